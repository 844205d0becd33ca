import { WaybillError } from "../error.js";
import type { MessageId } from "../message.js";
import type {
  CallOptions,
  DeadLetterOptions,
  DeliveredMessage,
  SettlementHandle,
  TransportReceiver,
} from "../transport.js";

/** Where a delivery is on its way to being settled. `lost` means that its lock ran out. */
export type DeliveryState = "open" | "settling" | "settled" | "lost";

/** The four ways to settle, by their name on the transport. */
export type SettlementVerb = "complete" | "abandon" | "defer" | "deadLetter";

/** What settling needs of a received message. */
export interface SettleableMessage {
  readonly messageId?: MessageId | undefined;
  readonly settlement?: object | undefined;
}

/** Is told when a lock could not be renewed. */
export type RenewalErrorHandler = (error: unknown, delivery: Delivery) => void;

/**
 * One locked message between its delivery and its settlement. It stands as `settlement` on the received message, so that a copy of
 * the message settles as well as the original.
 */
export class Delivery {
  readonly receiver: TransportReceiver;
  readonly message: DeliveredMessage;
  readonly handle: SettlementHandle;
  state: DeliveryState = "open";
  /** What the application holds; its `lockedUntilUtc` follows renewals. */
  received: { lockedUntilUtc?: Date | undefined } | undefined = undefined;
  lockedUntilMs: number;
  /** When to renew next, how often, and when to stop; the lock renewal keeps these. */
  renewAtMs = Number.POSITIVE_INFINITY;
  renewEveryMs = Number.POSITIVE_INFINITY;
  renewUntilMs = 0;
  onRenewalError: RenewalErrorHandler | undefined = undefined;
  /** Who renews the lock, to be told when the delivery is settled. */
  renewal: { forget(delivery: Delivery): void } | undefined = undefined;

  constructor(receiver: TransportReceiver, message: DeliveredMessage, handle: SettlementHandle) {
    this.receiver = receiver;
    this.message = message;
    this.handle = handle;
    this.lockedUntilMs = message.lockedUntilUtc?.getTime() ?? Number.POSITIVE_INFINITY;
  }
}

/**
 * Settles once. Rejects with `operation-invalid` when the message was settled already, with `message-lock-lost` when its lock ran
 * out; after any other failure the delivery is open again and the call may be repeated.
 */
export async function settle(
  delivery: Delivery,
  verb: SettlementVerb,
  options?: DeadLetterOptions,
): Promise<void> {
  requireOpen(delivery);
  delivery.state = "settling";
  try {
    await delivery.receiver[verb](delivery.handle, options);
    delivery.state = "settled";
    delivery.renewal?.forget(delivery);
  } catch (error) {
    delivery.state = isLockLost(error) ? "lost" : "open";
    throw error;
  }
}

/** The delivery behind a received message. Throws `operation-invalid` when there is nothing to settle, or not for this receiver. */
export function requireDelivery(message: SettleableMessage, receiver: TransportReceiver): Delivery {
  const { settlement } = message;
  if (settlement instanceof Delivery && settlement.receiver === receiver) return settlement;
  const text =
    settlement === undefined
      ? "It holds no lock: it was peeked, or received in receiveAndDelete mode."
      : "It was received by another receiver; only that one can settle it.";
  throw new WaybillError("operation-invalid", text, {
    messageId: message.messageId,
    entityPath: receiver.entityPath,
  });
}

/** Extends the lock, on the delivery and on what the application holds. Rejects as the transport does. */
export async function renewLock(delivery: Delivery, options?: CallOptions): Promise<Date> {
  const lockedUntil = await delivery.receiver.renewLock(delivery.handle, options);
  delivery.lockedUntilMs = lockedUntil.getTime();
  if (delivery.received !== undefined) delivery.received.lockedUntilUtc = lockedUntil;
  return lockedUntil;
}

/** Whether the broker has taken the message away from this receiver. */
export function isLockLost(error: unknown): boolean {
  return (
    error instanceof WaybillError &&
    (error.code === "message-lock-lost" || error.code === "session-lock-lost")
  );
}

function requireOpen(delivery: Delivery): void {
  if (delivery.state === "open") return;
  const { messageId } = delivery.message;
  const details = { messageId, entityPath: delivery.receiver.entityPath };
  if (delivery.state === "lost") {
    throw new WaybillError("message-lock-lost", "Its lock ran out; it will be delivered again.", details);
  }
  throw new WaybillError("operation-invalid", "It was settled already.", details);
}
