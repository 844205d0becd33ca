import { WaybillError } from "../error.js";
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
  /** When to renew next, and when to stop renewing; the lock renewal keeps both. */
  renewAtMs = Number.POSITIVE_INFINITY;
  renewUntilMs = 0;
  onRenewalError: ((error: unknown, delivery: Delivery) => void) | undefined = undefined;

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
  } catch (error) {
    delivery.state = isLockLost(error) ? "lost" : "open";
    throw error;
  }
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
