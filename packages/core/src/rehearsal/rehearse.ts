import { pause, type Scheduler, steadyNowOf } from "@waybill/foundation";
import { afterPage } from "../contracts/after-page.js";
import type { TransportPeekOptions, TransportReceiver } from "../contracts/transport.js";
import type { Pipeline } from "../pipeline/pipeline.js";
import { rehearsalAnswer } from "./rehearsal-answer.js";
import type { RehearsalReport } from "./rehearsal-report.js";
import { RehearsalTally } from "./rehearsal-tally.js";
import type { RehearseOptions } from "./rehearse-options.js";

/** A rehearsal of one session ends after this many messages of other sessions. */
const maxOtherMessages = 100_000;

const pageSize = 100;

/** How many messages are read by default, if only those that wait are. */
const defaultMessageCount = 100;

/** Between two looks at live traffic. */
const lookIntervalMs = 500;

type Settings = RehearseOptions & { readonly watchForInMs: number };

/**
 * Reads the waiting messages as a client would and reports what would happen to them, and with `watchForInMs` those that arrive meanwhile. It does
 * not lock or settle them, and counts no delivery. Bodies in a claim-check store are fetched; nothing is written.
 */
export async function rehearse(
  receiver: Pick<TransportReceiver, "entityPath" | "peek">,
  pipeline: Pipeline,
  scheduler: Scheduler,
  options: Settings,
): Promise<RehearsalReport> {
  const { sessionId, watchForInMs } = options;
  const maxMessageCount =
    options.maxMessageCount ?? (watchForInMs > 0 ? Number.POSITIVE_INFINITY : defaultMessageCount);
  const tally = new RehearsalTally(pipeline);
  let otherMessages = 0;
  let isWhole = true;
  for await (const message of walk(receiver, scheduler, { ...options, maxMessageCount })) {
    if (tally.messageCount === maxMessageCount || otherMessages === maxOtherMessages) {
      isWhole = false;
      break;
    }
    if (sessionId === undefined || message.sessionId === sessionId) await tally.read(message);
    else otherMessages++;
  }
  const facts = { entityPath: receiver.entityPath, isWhole, ...tally.toCounts() };
  return { ...facts, ...rehearsalAnswer(facts) };
}

async function* walk(
  receiver: Pick<TransportReceiver, "entityPath" | "peek">,
  scheduler: Scheduler,
  { maxMessageCount, sessionId, watchForInMs, abortSignal }: Settings & { readonly maxMessageCount: number },
) {
  // One more than requested, to know whether there are more.
  const maxMessages = sessionId === undefined ? Math.min(maxMessageCount + 1, pageSize) : pageSize;
  const endsAt = steadyNowOf(scheduler) + watchForInMs;
  let fromSequenceNumber: bigint | undefined;
  for (;;) {
    const options: TransportPeekOptions = { maxMessages, fromSequenceNumber, abortSignal };
    const messages = await receiver.peek(options);
    yield* messages;
    const last = messages.at(-1);
    if (last === undefined) {
      const left = endsAt - steadyNowOf(scheduler);
      if (left <= 0) return;
      await pause(Math.min(left, lookIntervalMs), scheduler, abortSignal);
      continue;
    }
    fromSequenceNumber = afterPage(last, fromSequenceNumber, receiver.entityPath);
  }
}
