import { fromLong } from "../messages/from-service-bus-message.js";
import { toAzureError } from "../sdk/azure-error.js";
import type { ReceivedServiceBusMessage, ServiceBusReceiverLike } from "../sdk/service-bus-client.js";
import type { Settlement } from "./settlement.js";

/** How long the question may take, in milliseconds. */
const timeoutMs = 5_000;

/**
 * Whether a settlement took effect whose answer was lost with its link: its repetition then fails because the lock is lost. While the lock
 * would still be held, nobody else can have settled the message, so the queue shows its outcome. Once the lock has
 * expired, it is not known, and the answer is no. Never rejects.
 */
export async function tookEffect(
  { delivery, verb }: Settlement,
  error: unknown,
  receiver: ServiceBusReceiverLike,
): Promise<boolean> {
  const { message } = delivery;
  const isHeld = (message.lockedUntilUtc?.getTime() ?? 0) > Date.now();
  if (!isHeld || toAzureError(error, "").code !== "message-lock-lost") return false;
  try {
    const found = await findMessage(message, receiver);
    if (verb === "defer") return found?.state === "deferred";
    // An abandoned message is still there; only its delivery count tells.
    if (verb === "abandon" && found !== undefined)
      return (found.deliveryCount ?? 0) > (message.deliveryCount ?? 0);
    return found === undefined;
  } catch {
    return false;
  }
}

/** The message as it is now; undefined if it is gone. */
async function findMessage(
  { sequenceNumber }: ReceivedServiceBusMessage,
  receiver: ServiceBusReceiverLike,
): Promise<ReceivedServiceBusMessage | undefined> {
  if (sequenceNumber === undefined) throw new TypeError("The message has no sequence number.");
  const abortSignal = AbortSignal.timeout(timeoutMs);
  const [next] = await receiver.peekMessages(1, { fromSequenceNumber: sequenceNumber, abortSignal });
  const isSame =
    next?.sequenceNumber !== undefined && fromLong(next.sequenceNumber) === fromLong(sequenceNumber);
  return isSame ? next : undefined;
}
