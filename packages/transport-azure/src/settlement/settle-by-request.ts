import { WaybillError } from "@waybill/core";
import { onAbort } from "@waybill/core/transport";
import Long from "long";
import type { ServiceBusReceiverLike } from "../sdk/service-bus-client.js";
import { withoutLink } from "./lost-link.js";
import type { Settlement } from "./settlement.js";

/** How long a request may go without an answer before it is made again, in milliseconds. */
const repeatAfterMs = 5_000;

/** How long opening the link for requests may take, in milliseconds. */
const openTimeoutMs = 3_000;

/** After so many attempts, locks have run out anyway. */
const mostAttempts = 12;

/**
 * Settles a message by a request that names its lock. The request is made again while it has no answer, and the settlement ends as the
 * first does that gets one: the SDK waits a whole time-out for the answer to a request whose connection broke. When the signal says that
 * the receiver closes, the settlement fails: its lock runs out.
 */
export function settleByRequest(
  settlement: Settlement,
  receiver: ServiceBusReceiverLike,
  closing: AbortSignal,
): void {
  const { delivery, send } = settlement;
  if (closing.aborted) {
    settlement.fail(closing.reason);
    return;
  }
  const timer = setInterval(attempt, repeatAfterMs);
  const stopListening = onAbort(closing, onClosing);
  let attempts = 0;
  function end(): void {
    clearInterval(timer);
    stopListening();
  }
  function onClosing(): void {
    end();
    settlement.fail(closing.reason);
  }
  function attempt(): void {
    attempts += 1;
    if (attempts > mostAttempts) {
      end();
      settlement.fail(
        new WaybillError("connection-lost", "The broker was not reached to settle the message."),
      );
      return;
    }
    openRequestLink(receiver).then((isOpen) => {
      if (!isOpen) return;
      send(receiver, withoutLink(delivery.message))
        .finally(end)
        .then(
          () => settlement.succeed(),
          (error: unknown) => settlement.fail(error),
        );
    });
  }
  attempt();
}

/**
 * Asks for messages behind all others, which opens the link for requests. A settlement would open it with a time-out of a minute and no
 * way to end it.
 */
async function openRequestLink(receiver: ServiceBusReceiverLike): Promise<boolean> {
  try {
    const abortSignal = AbortSignal.timeout(openTimeoutMs);
    await receiver.peekMessages(1, { fromSequenceNumber: Long.MAX_VALUE, abortSignal });
    return true;
  } catch {
    return false;
  }
}
