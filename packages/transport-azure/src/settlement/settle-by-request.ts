import { WaybillError } from "@waybill/core";
import { onAbort } from "@waybill/foundation";
import Long from "long";
import type { ServiceBusReceiverLike } from "../sdk/service-bus-client.js";
import { withoutLink } from "./lost-link.js";
import type { Settlement } from "./settlement.js";
import { tookEffect } from "./took-effect.js";

/** How long a request may go unanswered before it is repeated, in milliseconds. */
const repeatAfterMs = 5_000;

/** How long opening the request link may take, in milliseconds. */
const openTimeoutMs = 3_000;

/** After this many attempts, any lock has expired. */
const maxAttempts = 12;

/**
 * Settles a message by a request with its lock token. The request is repeated while unanswered, and the first answer ends the settlement:
 * the SDK waits a whole timeout for the answer to a request whose connection broke. If the settlement was sent before and the lock is lost,
 * the queue shows whether it took effect then. When the signal aborts because the receiver closes, the
 * settlement fails and the lock expires.
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
    attempts++;
    if (attempts > maxAttempts) {
      end();
      settlement.fail(
        new WaybillError("connection-lost", "The broker could not be reached to settle the message."),
      );
      return;
    }
    openRequestLink(receiver).then((isOpen) => {
      if (!isOpen) return;
      // A repetition may fail because the first request took effect: then the queue is asked.
      const { wasSent } = settlement;
      settlement.wasSent = true;
      send(receiver, withoutLink(delivery.message))
        .finally(end)
        .then(
          () => settlement.succeed(),
          async (error: unknown) => {
            if (wasSent && (await tookEffect(settlement, error, receiver))) settlement.succeed();
            else settlement.fail(error);
          },
        );
    });
  }
  attempt();
}

/**
 * Peeks behind all messages, which opens the request link. A settlement would open it with a timeout of a minute that cannot be aborted.
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
