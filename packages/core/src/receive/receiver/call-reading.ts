import { isPromise } from "@waybill/foundation";
import type { DeliveredMessage } from "../../contracts/transport.js";
import type { WaybillError } from "../../errors/error.js";
import type { ReceivedMessage, UndecodedMessage } from "../../message/message.js";
import type {
  UndeserializableDisposition,
  UndeserializableEvent,
} from "../../message/undeserializable-event.js";
import { DelayedAbandons } from "../delivery/delayed-abandons.js";
import { type Delivery, openDelivery } from "../delivery/delivery.js";
import { isUnread, type ReadResult, readDelivery } from "../delivery/read-delivery.js";
import type { ReceiverContext } from "../delivery/receiver-context.js";
import { HeldForCalls } from "../holding/held-for-calls.js";

type Received = ReceivedMessage | UndecodedMessage;

/** Whether an unread message is still in the entity, to be received again: then a call that read nothing rejects with its error. */
const isStillThere: Readonly<Record<UndeserializableDisposition, boolean>> = {
  deadLettered: false,
  held: true,
  deferred: false,
  abandoned: true,
  quarantined: false,
  handedOver: false,
  blocked: true,
  unsettled: true,
};

/** Reads the messages that calls of a receiver received, and holds those that cannot be read. */
export class CallReading {
  readonly held: HeldForCalls;
  readonly #context: ReceiverContext;
  readonly #abandons: DelayedAbandons;
  readonly #abandoning = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  #blockedBy: WaybillError | undefined;

  constructor(context: ReceiverContext) {
    this.#context = context;
    this.#abandons = new DelayedAbandons(context.scheduler, context.backoff);
    this.held = new HeldForCalls(context, this.#onSettled);
  }

  /** Aborts when the receiver closes. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** Ends calls that wait before reading again. */
  stopWaiting(): void {
    this.#closing.abort();
  }

  /** Throws the error of the message at which the session stopped. */
  requireUnblocked(): void {
    if (this.#blockedBy !== undefined) throw this.#blockedBy;
  }

  /** Reads the messages of a call. Throws when none can be read and one of them is still in the entity. */
  async read(
    delivered: readonly DeliveredMessage[],
    { isDeferred }: { readonly isDeferred: boolean },
  ): Promise<Received[]> {
    const { renewForMs, isBlocking } = this.#context;
    const deliveries = delivered.map((message) =>
      openDelivery(this.#context, message, renewForMs, ignoreRenewalError),
    );
    if (isBlocking) return this.#readUntilBlocked(delivered, deliveries);
    const readings = delivered.map((message, index) =>
      readDelivery(this.#context, message, deliveries[index], this.held.decide),
    );
    // With synchronous serializers, all messages are ready now.
    const results = readings.some(isPromise) ? await Promise.all(readings) : (readings as ReadResult[]);
    return this.#collect(results, delivered, deliveries, isDeferred);
  }

  /** Messages behind the one at which the session stops stay locked and unread. */
  async #readUntilBlocked(
    delivered: readonly DeliveredMessage[],
    deliveries: readonly (Delivery | undefined)[],
  ): Promise<Received[]> {
    this.requireUnblocked();
    const results: ReadResult[] = [];
    for (const [index, message] of delivered.entries()) {
      if (this.#blockedBy !== undefined) break;
      const result = await readDelivery(this.#context, message, deliveries[index], this.held.decide);
      results.push(result);
      if (!isUnread(result)) continue;
      if (result.disposition === "blocked") this.#blockedBy = result.error;
      if (result.disposition === "held") break;
    }
    return this.#collect(results, delivered, deliveries, false);
  }

  /** Reports unread messages and holds them. Throws the error of one that is still in the entity if no message was read. */
  #collect(
    results: readonly ReadResult[],
    delivered: readonly DeliveredMessage[],
    deliveries: readonly (Delivery | undefined)[],
    isDeferred: boolean,
  ): Received[] {
    const messages: Received[] = [];
    const isOrdered = this.#context.session !== undefined && !isDeferred;
    let failure: unknown;
    let isBehind = false;
    for (const [i, message] of delivered.entries()) {
      const delivery = deliveries[i];
      const result = results[i];
      const event = result !== undefined && isUnread(result) ? result : undefined;
      if (event !== undefined) this.#context.onUndeserializable(event);
      if (delivery?.state === "open" && (event?.disposition === "held" || isBehind)) {
        this.held.add({ delivered: message, delivery, event, isDeferred });
        // In a session, what is behind an unread message waits, readable or not.
        isBehind ||= isOrdered;
      } else if (event === undefined) {
        if (result === undefined) continue;
        this.held.onDecoded();
        messages.push(result as Received);
      } else if (event.disposition === "handedOver") messages.push(event.message);
      else if (event.disposition === "abandoned" && delivery !== undefined) this.#abandonLater(delivery);
      if (event !== undefined && isStillThere[event.disposition]) {
        failure ??= event.settlementError ?? this.held.explain(event);
      }
    }
    if (messages.length === 0 && failure !== undefined) throw failure;
    return messages;
  }

  /** Not awaited, because the call returns long before the delay ends. If abandoning fails, the lock expires, with the same effect. */
  #abandonLater(delivery: Delivery): void {
    const abandoning = this.#abandons.abandon(delivery).catch(() => {});
    this.#abandoning.add(abandoning);
    void abandoning.then(() => this.#abandoning.delete(abandoning));
  }

  readonly #onSettled = (event: UndeserializableEvent): void => {
    if (event.disposition === "blocked") this.#blockedBy = event.error;
    this.#context.onUndeserializable(event);
  };

  /** Abandons the held messages. */
  async close(): Promise<void> {
    this.#abandons.flush();
    await Promise.all([...this.#abandoning, this.held.close()]);
  }
}

/** Ignored, because settling the message will reject with `message-lock-lost`. */
function ignoreRenewalError(): void {}
