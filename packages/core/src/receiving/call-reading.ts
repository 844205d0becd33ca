import type { DeliveredMessage } from "../contracts/transport.js";
import { DelayedAbandons } from "../delivery/delayed-abandons.js";
import type { Delivery } from "../delivery/delivery.js";
import { type Intake, type IntakeResult, isUndeserializableEvent } from "../delivery/intake.js";
import type { WaybillError } from "../errors/error.js";
import { isPromise } from "../foundation/is-promise.js";
import { HeldForCalls } from "../holding/held-for-calls.js";
import type { ReceivedMessage, UndecodedMessage } from "../message/message.js";
import type {
  UndeserializableDisposition,
  UndeserializableEvent,
} from "../message/undeserializable-event.js";
import type { SubscribeDependencies } from "../processing/subscribe-settings.js";

/** Dependencies of {@link CallReading}. */
export interface CallReadingSettings
  extends Pick<
    SubscribeDependencies,
    "breaker" | "backoff" | "isBlocking" | "renewForMs" | "scheduler" | "onUndeserializable"
  > {
  readonly isSession: boolean;
}

type Received = ReceivedMessage | UndecodedMessage;

/** The dispositions of unread messages that are still in the entity. */
const stillThere: ReadonlySet<UndeserializableDisposition> = new Set([
  "held",
  "abandoned",
  "unsettled",
  "blocked",
]);

/** Reads the messages that calls of a receiver received, and holds those that cannot be read. */
export class CallReading {
  readonly held: HeldForCalls;
  readonly #settings: CallReadingSettings;
  readonly #intake: Intake;
  readonly #abandons: DelayedAbandons;
  readonly #abandoning = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  #blockedBy: WaybillError | undefined;

  constructor(settings: CallReadingSettings, intake: Intake) {
    const { backoff, isSession, scheduler } = settings;
    this.#settings = settings;
    this.#intake = intake;
    this.#abandons = new DelayedAbandons(scheduler, backoff);
    this.held = new HeldForCalls({ ...settings, intake, isOrdered: isSession, onSettled: this.#onSettled });
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
    const { renewForMs, isBlocking } = this.#settings;
    const deliveries = delivered.map((message) => this.#intake.open(message, renewForMs, ignoreRenewalError));
    if (isBlocking) return this.#readUntilBlocked(delivered, deliveries);
    const readings = delivered.map((message, index) =>
      this.#intake.read(message, deliveries[index], this.held.policy),
    );
    const results = readings.some(isPromise) ? await Promise.all(readings) : (readings as IntakeResult[]);
    return this.#conclude(results, delivered, deliveries, isDeferred);
  }

  /** Messages behind the one at which the session stops stay locked and unread. */
  async #readUntilBlocked(
    delivered: readonly DeliveredMessage[],
    deliveries: readonly (Delivery | undefined)[],
  ): Promise<Received[]> {
    this.requireUnblocked();
    const results: IntakeResult[] = [];
    for (const [index, message] of delivered.entries()) {
      if (this.#blockedBy !== undefined) break;
      const result = await this.#intake.read(message, deliveries[index], this.held.policy);
      results.push(result);
      if (!isUndeserializableEvent(result)) continue;
      if (result.disposition === "blocked") this.#blockedBy = result.error;
      if (result.disposition === "held") break;
    }
    return this.#conclude(results, delivered, deliveries, false);
  }

  /** Reports unread messages and holds them. Throws the error of one that is still in the entity if no message was read. */
  #conclude(
    results: readonly IntakeResult[],
    delivered: readonly DeliveredMessage[],
    deliveries: readonly (Delivery | undefined)[],
    isDeferred: boolean,
  ): Received[] {
    const messages: Received[] = [];
    const isOrdered = this.#settings.isSession && !isDeferred;
    let failure: unknown;
    let isBehind = false;
    for (const [i, message] of delivered.entries()) {
      const delivery = deliveries[i];
      const result = results[i];
      const event = result !== undefined && isUndeserializableEvent(result) ? result : undefined;
      if (event !== undefined) this.#settings.onUndeserializable(event);
      if (delivery?.state === "open" && (event?.disposition === "held" || isBehind)) {
        this.held.add({ delivered: message, delivery, event, isDeferred });
        isBehind ||= isOrdered;
      } else if (event === undefined) {
        if (result !== undefined) messages.push(result as Received);
      } else if (event.disposition === "handedOver") messages.push(event.message);
      else if (event.disposition === "abandoned" && delivery !== undefined) this.#abandonLater(delivery);
      if (event !== undefined && stillThere.has(event.disposition)) {
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
    this.#settings.onUndeserializable(event);
  };

  /** Abandons the held messages. */
  async close(): Promise<void> {
    this.#abandons.flush();
    await Promise.all([...this.#abandoning, this.held.close()]);
  }
}

/** Ignored, because settling the message will reject with `message-lock-lost`. */
function ignoreRenewalError(): void {}
