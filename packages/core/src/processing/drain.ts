import type { TransportSubscription } from "../contracts/transport.js";
import { WaybillError } from "../errors/error.js";
import { isDoneWithin } from "../foundation/within.js";
import type { Holding } from "../holding/holding.js";
import type { CallSlots } from "./call-slots.js";
import type { ErrorReporter } from "./error-reporter.js";
import type { Handling } from "./handling.js";
import type { InFlightMessage } from "./in-flight-message.js";
import type { InFlightMessages } from "./in-flight-messages.js";
import type { PendingWaits } from "./pending-waits.js";
import type { ProcessorSettings } from "./processor-settings.js";

/** Handlers get at least four fifths of the time for closing; abandoning the remaining messages takes at most this long. In milliseconds. */
const maxSettlingMs = 5_000;

/** The parts of a processor that are drained. */
export interface DrainParts {
  readonly settings: ProcessorSettings;
  readonly subscription: TransportSubscription;
  readonly messages: InFlightMessages;
  readonly slots: CallSlots;
  readonly waits: PendingWaits;
  readonly holding: Holding | undefined;
  readonly handling: Handling;
  readonly report: ErrorReporter;
  /** Abandons and ends a message that no handler has received. */
  readonly giveBack: (inFlight: InFlightMessage) => Promise<void>;
}

/**
 * Stops receiving, abandons messages that no handler has received, and waits for the running handlers; when the time is up, their messages
 * are abandoned, too. Messages that could not be settled stay locked until their locks expire.
 */
export async function drain(parts: DrainParts, timeoutMs: number): Promise<void> {
  const { scheduler } = parts.settings.intake.settings;
  const settlingMs = timeoutMs === Number.POSITIVE_INFINITY ? 0 : Math.min(timeoutMs / 5, maxSettlingMs);
  try {
    if (await isDoneWithin(finish(parts), timeoutMs - settlingMs, scheduler)) return;
    await isDoneWithin(cutShort(parts), settlingMs, scheduler);
  } finally {
    for (const inFlight of parts.messages.toArray()) parts.messages.end(inFlight);
  }
}

async function finish({
  subscription,
  messages,
  slots,
  waits,
  holding,
  giveBack,
}: DrainParts): Promise<void> {
  const stopped = subscription.stop();
  waits.end();
  await Promise.all([stopped, holding?.close(stopped), ...slots.takeWaiting().map(giveBack)]);
  await messages.whenIdle();
}

/** Aborts the handlers that are still running and abandons their messages. */
async function cutShort(parts: DrainParts): Promise<void> {
  const { messages, holding } = parts;
  await Promise.all([
    holding?.giveBack(),
    ...messages.toArray().map((inFlight) => takeFromHandler(inFlight, parts)),
  ]);
}

async function takeFromHandler(
  inFlight: InFlightMessage,
  { settings, messages, handling, report }: DrainParts,
): Promise<void> {
  if (inFlight.isCalling) {
    const { entityPath } = settings.intake.settings;
    const { messageId } = inFlight.delivered;
    const text = "The message was still being processed when the subscription had to close; it is abandoned.";
    const error = new WaybillError("timeout", text, { entityPath, messageId });
    inFlight.abort(error);
    void report(error, "processMessageCallback", messageId);
  }
  if (inFlight.delivery !== undefined) await handling.abandon(inFlight.delivery);
  messages.end(inFlight);
}
