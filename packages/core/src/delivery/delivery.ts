import type { SettleableMessage, SettlementVerb } from "../contracts/settlement.js";
import type {
  CallOptions,
  DeadLetterOptions,
  DeliveredMessage,
  SettlementHandle,
  TransportReceiver,
} from "../contracts/transport.js";
import type { HealthMonitor } from "../diagnostics/health-monitor.js";
import { messageFacts } from "../diagnostics/message-facts.js";
import type { Observer } from "../diagnostics/observer.js";
import { type ErrorCode, WaybillError } from "../errors/error.js";
import { quoted } from "../errors/wire-text.js";
import { inspected } from "../foundation/inspected.js";
import { kindOf } from "../foundation/known-options.js";
import type { LockRenewal, RenewableLock } from "./lock-renewal.js";
import { giveBack } from "./redelivery.js";

/** Where a delivery is on its way to being settled. `lost` means that its lock ran out. */
export type DeliveryState = "open" | "settling" | "settled" | "lost";

/** Is notified when a lock could not be renewed. */
export type RenewalErrorHandler = (error: unknown, delivery: Delivery) => void;

/**
 * One locked message between its delivery and its settlement. It stands as `settlement` on the received message, so that a copy of
 * the message settles as well as the original.
 */
export class Delivery implements RenewableLock {
  readonly receiver: TransportReceiver;
  readonly message: DeliveredMessage;
  readonly handle: SettlementHandle;
  state: DeliveryState = "open";
  /** What the application holds; its `lockedUntilUtc` follows renewals. */
  received: { lockedUntilUtc?: Date | undefined } | undefined = undefined;
  lockedUntilMs: number;
  endsAtMs = Number.POSITIVE_INFINITY;
  renewAtMs = Number.POSITIVE_INFINITY;
  renewEveryMs = Number.POSITIVE_INFINITY;
  renewUntilMs = 0;
  previous: RenewableLock | undefined = undefined;
  next: RenewableLock | undefined = undefined;
  onRenewalError: RenewalErrorHandler | undefined = undefined;
  /** Who renews the lock, to be told when the delivery is settled. */
  renewal: LockRenewal | undefined = undefined;
  /** Who reports what is done with it, if anybody wants to know. */
  observer: Observer | undefined = undefined;
  /** Who notes what happens to it. */
  health: HealthMonitor | undefined = undefined;
  /** The settlement in progress, which may outlast the handler that began it. */
  settling: Promise<void> | undefined = undefined;
  /** Whose lock it was, once the state is `lost`. */
  lostCode: ErrorCode = "message-lock-lost";

  constructor(receiver: TransportReceiver, message: DeliveredMessage, handle: SettlementHandle) {
    this.receiver = receiver;
    this.message = message;
    this.handle = handle;
    this.lockedUntilMs = message.lockedUntilUtc?.getTime() ?? Number.POSITIVE_INFINITY;
  }

  renew(): Promise<Date> {
    return renewLock(this);
  }

  /** A copy of a message is printed with it. */
  [inspected](): object {
    return { state: this.state };
  }

  /** It has no JSON. */
  toJSON(): undefined {}

  /** A pending settlement tells its own story. */
  giveUp(error: unknown): void {
    if (this.state !== "open") return;
    if (isLockLost(error)) this.lose(error);
    this.onRenewalError?.(error, this);
  }

  /** Notes that its lock, or that of its session, ran out. */
  lose(error: WaybillError): void {
    this.state = "lost";
    this.lostCode = error.code;
    if (error.code === "session-lock-lost") this.health?.sessionLost(this.receiver);
    else this.health?.lockLost();
  }
}

/**
 * Settles once. Rejects with `operation-invalid` when the message was settled already, with `message-lock-lost` when its lock ran
 * out; after any other failure the delivery is open again and the call may be repeated.
 */
export function settle(delivery: Delivery, verb: SettlementVerb, options?: DeadLetterOptions): Promise<void> {
  if (delivery.state !== "open") return Promise.reject(notOpenError(delivery));
  delivery.settling = settleOpen(delivery, verb, options);
  return delivery.settling;
}

/** The delivery behind a received message. Throws `operation-invalid` when there is nothing to settle, or not for this receiver. */
export function requireDelivery(message: SettleableMessage, receiver: TransportReceiver): Delivery {
  if (typeof message !== "object" || message === null || Array.isArray(message)) {
    throw new TypeError(
      `Only a message that ${quoted(receiver.entityPath)} delivered can be settled or renewed; got ${kindOf(message)}.`,
    );
  }
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
  const lockedUntil = await renewObserved(delivery, options);
  delivery.lockedUntilMs = lockedUntil.getTime();
  if (delivery.received !== undefined) delivery.received.lockedUntilUtc = lockedUntil;
  return lockedUntil;
}

/** Whether the broker has taken the message away from this receiver. */
export function isLockLost(error: unknown): error is WaybillError {
  return (
    error instanceof WaybillError &&
    (error.code === "message-lock-lost" || error.code === "session-lock-lost")
  );
}

function renewObserved(delivery: Delivery, options: CallOptions | undefined): Promise<Date> {
  const { observer, receiver, handle } = delivery;
  const work = () => receiver.renewLock(handle, options);
  if (observer === undefined || !observer.isOn) return work();
  return observer.follow(undefined, work, (durationInMs, error) => {
    const { entityPath } = receiver;
    return { type: "renewLock", entityPath, message: messageFacts(delivery.message), durationInMs, error };
  });
}

async function settleOpen(
  delivery: Delivery,
  verb: SettlementVerb,
  options: DeadLetterOptions | undefined,
): Promise<void> {
  delivery.state = "settling";
  try {
    const { observer, receiver, message, handle } = delivery;
    const work = () =>
      verb === "abandon" || verb === "defer"
        ? giveBack(receiver, verb, handle, message, options)
        : receiver[verb](handle, options);
    if (observer === undefined) await work();
    else await observer.settle(receiver.entityPath, message, verb, options, work);
    delivery.state = "settled";
    if (verb === "deadLetter") delivery.health?.deadLettered();
  } catch (error) {
    if (isLockLost(error)) delivery.lose(error);
    else delivery.state = "open";
    throw error;
  } finally {
    if (delivery.state !== "open") delivery.renewal?.forget(delivery);
  }
}

function notOpenError({ state, lostCode, message, receiver }: Delivery): WaybillError {
  const details = { messageId: message.messageId, entityPath: receiver.entityPath };
  return state === "lost"
    ? new WaybillError(lostCode, "Its lock ran out; it will be delivered again.", details)
    : new WaybillError("operation-invalid", "It was settled already.", details);
}
