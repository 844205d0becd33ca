import { inspected, isObject, kindOf, quoted } from "@waybill/foundation";
import type { SettleableMessage, SettlementVerb } from "../../contracts/settlement.js";
import type {
  CallOptions,
  DeliveredMessage,
  SettlementHandle,
  TransportDeadLetterOptions,
  TransportReceiver,
} from "../../contracts/transport.js";
import { messageFacts } from "../../diagnostics/message-facts.js";
import { type ErrorCode, hasCode, WaybillError } from "../../errors/error.js";
import { settleMarked } from "../reading/redelivery.js";
import type { RenewableLock, RenewalPlan } from "./lock-renewal.js";
import type { ReceiverContext } from "./receiver-context.js";

/** The state of a delivery. `lost` means that its lock expired. */
export type DeliveryState = "open" | "settling" | "settled" | "lost";

/** Called when a lock could not be renewed. */
export type RenewalErrorHandler = (error: unknown, delivery: Delivery) => void;

/**
 * One locked message between its delivery and its settlement. The received message refers to it as `settlement`, so a copy of the
 * message can be settled like the original.
 */
export class Delivery implements RenewableLock {
  readonly message: DeliveredMessage;
  readonly handle: SettlementHandle;
  readonly #context: ReceiverContext;
  readonly #onRenewalError: RenewalErrorHandler;
  plan: RenewalPlan | undefined = undefined;
  #lockedUntilMs: number;
  #received: { lockedUntilUtc?: Date | undefined } | undefined = undefined;
  #state: DeliveryState = "open";
  #settling: Promise<void> | undefined = undefined;
  #isAbandoned = false;
  /** Whether the message's or the session's lock was lost, once the state is `lost`. */
  #lostCode: ErrorCode = "message-lock-lost";

  constructor(
    context: ReceiverContext,
    message: DeliveredMessage,
    handle: SettlementHandle,
    onRenewalError: RenewalErrorHandler,
  ) {
    this.#context = context;
    this.message = message;
    this.handle = handle;
    this.#onRenewalError = onRenewalError;
    this.#lockedUntilMs = message.lockedUntilUtc?.getTime() ?? Number.POSITIVE_INFINITY;
  }

  get receiver(): TransportReceiver {
    return this.#context.receiver;
  }

  get state(): DeliveryState {
    return this.#state;
  }

  /** The pending settlement, which may outlast the handler that began it. */
  get settling(): Promise<void> | undefined {
    return this.#settling;
  }

  get lockedUntilMs(): number {
    return this.#lockedUntilMs;
  }

  /** Whether the broker has the message back: it was abandoned, or its lock has ended. */
  isReturned(nowMs: number): boolean {
    if (this.#state === "open") return this.#lockedUntilMs <= nowMs;
    return this.#state === "lost" || this.#isAbandoned;
  }

  /** Sets the received message whose `lockedUntilUtc` is updated by renewals; undefined once the handler has finished with it. */
  handOver(received: { lockedUntilUtc?: Date | undefined } | undefined): void {
    this.#received = received;
  }

  /**
   * Settles once. Rejects with `operation-invalid` when the message was settled already, with `message-lock-lost` when its lock
   * expired; after any other failure the delivery is open again and the call may be repeated.
   */
  settle(verb: SettlementVerb, options?: TransportDeadLetterOptions): Promise<void> {
    if (this.#state !== "open") return Promise.reject(this.#notOpenError());
    this.#settling = this.#settle(verb, options);
    return this.#settling;
  }

  /** Renews the lock and updates the received message. Rejects as the transport does. */
  async renew(options?: CallOptions): Promise<Date> {
    const lockedUntil = await this.#renewObserved(options);
    this.#lockedUntilMs = lockedUntil.getTime();
    if (this.#received !== undefined) this.#received.lockedUntilUtc = lockedUntil;
    return lockedUntil;
  }

  /** A pending settlement reports the error itself. */
  onRenewalFailed(error: unknown): void {
    // A settlement that overtook the renewal has ended the lock itself.
    if (this.#state !== "open") return;
    if (isLockLost(error)) this.#lose(error);
    this.#onRenewalError(error, this);
  }

  /** `console.log` of a copied message shows only the state. */
  [inspected](): object {
    return { state: this.#state };
  }

  /** Left out of the JSON of a message. */
  toJSON(): undefined {}

  async #settle(verb: SettlementVerb, options: TransportDeadLetterOptions | undefined): Promise<void> {
    // Before any await: of two calls, the second is refused.
    this.#state = "settling";
    const { receiver, observer, health, renewal } = this.#context;
    try {
      const { message, handle } = this;
      const work = () =>
        verb === "abandon" || verb === "defer"
          ? settleMarked(receiver, verb, handle, message, options)
          : receiver[verb](handle, options);
      if (observer === undefined) await work();
      else await observer.settle(receiver.entityPath, message, verb, options, work);
      this.#state = "settled";
      // Only then does the broker have the message back, although it is settled.
      this.#isAbandoned = verb === "abandon";
      if (verb === "deadLetter") health.deadLettered();
    } catch (error) {
      if (isLockLost(error)) this.#lose(error);
      else this.#state = "open";
      throw error;
    } finally {
      // After a failed settlement the handler may try again, so the lock must last.
      if (this.#state !== "open") renewal.forget(this);
    }
  }

  /** Its lock, or that of its session, expired. */
  #lose(error: WaybillError): void {
    const { receiver, health } = this.#context;
    this.#state = "lost";
    this.#lostCode = error.code;
    if (error.code === "session-lock-lost") health.sessionLost(receiver);
    else health.lockLost();
  }

  #renewObserved(options: CallOptions | undefined): Promise<Date> {
    const { observer, receiver } = this.#context;
    const work = () => receiver.renewLock(this.handle, options);
    if (observer === undefined || !observer.isOn) return work();
    return observer.follow(undefined, work, (durationInMs, error) => {
      const { entityPath } = receiver;
      return { type: "renewLock", entityPath, message: messageFacts(this.message), durationInMs, error };
    });
  }

  #notOpenError(): WaybillError {
    const details = { messageId: this.message.messageId, entityPath: this.receiver.entityPath };
    return this.#state === "lost"
      ? new WaybillError(this.#lostCode, "Its lock ran out; it will be delivered again.", details)
      : new WaybillError("operation-invalid", "It was settled already.", details);
  }
}

/** Starts to renew the lock of a delivered message. Undefined in receive-and-delete mode, where there is no lock. */
export function openDelivery(
  context: ReceiverContext,
  delivered: DeliveredMessage,
  renewForMs: number,
  onRenewalError: RenewalErrorHandler,
): Delivery | undefined {
  context.health.delivered();
  if (delivered.settlement === undefined) return undefined;
  const delivery = new Delivery(context, delivered, delivered.settlement, onRenewalError);
  // In a session, the session's lock covers its messages.
  if (context.session === undefined) context.renewal.track(delivery, renewForMs);
  return delivery;
}

/** The delivery of a received message. Throws `operation-invalid` when it holds no lock or belongs to another receiver. */
export function requireDelivery(message: SettleableMessage, receiver: TransportReceiver): Delivery {
  if (!isObject(message) || Array.isArray(message)) {
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

/** Whether the broker has taken the message away from this receiver. */
export function isLockLost(error: unknown): error is WaybillError {
  return hasCode(error, "message-lock-lost", "session-lock-lost");
}
