import type { CircuitBreaker } from "../circuit-breaker/circuit-breaker.js";
import { SetAsideGate } from "../circuit-breaker/set-aside-gate.js";
import type { DeliveredMessage } from "../contracts/transport.js";
import type { Delivery } from "../delivery/delivery.js";
import { type Intake, type IntakePolicy, isUndeserializableEvent } from "../delivery/intake.js";
import type { WaybillError } from "../errors/error.js";
import type { ReceivedMessage, UndecodedMessage } from "../message/message.js";
import type { Undeserializable } from "../message/outcome.js";
import type { UndeserializableEvent } from "../message/undeserializable-event.js";
import { blockingPolicy, receiverPolicy } from "./intake-policy.js";
import { backoffDelayMs, type UnavailableBackoff } from "./unavailable-backoff.js";

/** Dependencies for holding messages between calls. */
export interface HeldForCallsSettings {
  readonly intake: Intake;
  readonly breaker: CircuitBreaker | undefined;
  readonly backoff: Required<UnavailableBackoff>;
  /** Whether the order must be kept, so that messages behind an unreadable one wait. */
  readonly isOrdered: boolean;
  /** Whether a session stops at an undeserializable message. */
  readonly isBlocking: boolean;
  /** How long locks are renewed after a call, in milliseconds. */
  readonly renewForMs: number;
  readonly onSettled: (event: UndeserializableEvent) => void;
}

/** A message that a call could not read, or one behind it in a session. */
export interface HeldForCall {
  readonly delivered: DeliveredMessage;
  readonly delivery: Delivery;
  /** Why it is held; undefined for a message that only waits behind another. */
  readonly event: UndeserializableEvent | undefined;
  /** Whether it was received by its sequence number. */
  readonly isDeferred: boolean;
}

type Received = ReceivedMessage | UndecodedMessage;

/**
 * Messages that calls of `receiveMessages` could not read: they stay locked, and the next call reads them again. So waiting for an unavailable
 * dependency does not increase the delivery count, and a consumer that has decoded nothing dead-letters nothing.
 */
export class HeldForCalls {
  readonly policy: IntakePolicy | undefined;
  readonly #settings: HeldForCallsSettings;
  readonly #gate: SetAsideGate | undefined;
  #held: HeldForCall[] = [];
  #attempts = 0;

  constructor(settings: HeldForCallsSettings) {
    const { breaker, intake, isBlocking } = settings;
    this.#settings = settings;
    if (isBlocking) this.policy = blockingPolicy;
    if (breaker === undefined || isBlocking) return;
    const gate = new SetAsideGate({
      breaker,
      scheduler: intake.settings.scheduler,
      isPossible: true,
      onOpened: undefined,
      // The call itself rejects with the reason.
      onError: () => {},
    });
    this.#gate = gate;
    this.policy = receiverPolicy(breaker, () => gate.onDecoded());
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** Whether no more messages may be received until one of these can be read. */
  get isFull(): boolean {
    const { isOrdered, backoff, breaker } = this.#settings;
    if (isOrdered && this.#waiting.length > 0) return true;
    const unavailable = this.#waiting.filter(isUnavailable).length;
    const maxHeld = breaker?.options.maxHeldMessages ?? Number.POSITIVE_INFINITY;
    return unavailable >= backoff.maxHeldMessages || this.#waiting.length - unavailable >= maxHeld;
  }

  /** How long to wait before they are read again, in milliseconds. */
  get delayMs(): number {
    return backoffDelayMs(this.#settings.backoff, this.#attempts);
  }

  /** Why the first of them cannot be read. */
  get error(): WaybillError | undefined {
    const event = this.#waiting.find(({ event }) => event !== undefined)?.event;
    return event === undefined ? undefined : this.explain(event);
  }

  /** The error that a call rejects with. */
  explain({ error }: UndeserializableEvent): WaybillError {
    return this.#settings.breaker?.explain(error) ?? error;
  }

  add(held: HeldForCall): void {
    const { intake, isOrdered, renewForMs } = this.#settings;
    if (!isOrdered) intake.renewal.track(held.delivery, renewForMs);
    this.#held.push(held);
  }

  /** Reads the held messages again and returns up to `maxMessages` that can be read now; the others stay held. Never rejects. */
  async readAgain(maxMessages: number): Promise<Received[]> {
    const { isOrdered, breaker } = this.#settings;
    breaker?.beginProbe();
    const waiting = this.#take(({ isDeferred }) => !isDeferred);
    if (waiting.length === 0) return [];
    const messages = await (isOrdered
      ? this.#readInOrder(waiting, maxMessages)
      : this.#readAll(waiting, maxMessages));
    this.#attempts = messages.length > 0 ? 0 : this.#attempts + 1;
    if (messages.length === 0) await this.#makeRoom();
    return messages;
  }

  /** Reads those of these deferred messages again that are held. */
  readDeferred(sequenceNumbers: readonly bigint[]): {
    readonly found: readonly bigint[];
    readonly messages: Promise<Received[]>;
  } {
    const asked = this.#take(
      ({ isDeferred, delivered }) => isDeferred && sequenceNumbers.includes(delivered.sequenceNumber),
    );
    const found = asked.map(({ delivered }) => delivered.sequenceNumber);
    return { found, messages: this.#readAll(asked, asked.length) };
  }

  /** Abandons all held messages. Never rejects. */
  async close(): Promise<void> {
    const held = this.#held.splice(0);
    await Promise.all(
      held.map(async ({ delivery }) => {
        // Closing a session releases its messages and does not increase their delivery count.
        if (delivery.state !== "open" || this.#settings.isOrdered) return;
        await delivery.settle("abandon").catch(() => this.#settings.intake.renewal.forget(delivery));
      }),
    );
  }

  get #waiting(): readonly HeldForCall[] {
    return this.#held.filter(({ isDeferred }) => !isDeferred);
  }

  /** Removes the messages that match and returns those that are still locked; the broker delivers the others again. */
  #take(matches: (held: HeldForCall) => boolean): HeldForCall[] {
    const nowMs = this.#settings.intake.settings.scheduler.now();
    const taken = this.#held.filter(matches);
    this.#held = this.#held.filter((held) => !taken.includes(held));
    const { isOrdered } = this.#settings;
    return taken.filter(
      ({ delivery }) => delivery.state === "open" && (isOrdered || delivery.lockedUntilMs > nowMs),
    );
  }

  async #readAll(waiting: readonly HeldForCall[], maxMessages: number): Promise<Received[]> {
    const results = await Promise.all(waiting.map((held) => this.#read(held)));
    const messages: Received[] = [];
    for (const [i, result] of results.entries()) {
      if (typeof result === "string") continue;
      if (messages.length < maxMessages) messages.push(result);
      else this.add({ ...waiting[i], event: undefined } as HeldForCall);
    }
    return messages;
  }

  /** Reads until the first message that still cannot be read. */
  async #readInOrder(waiting: readonly HeldForCall[], maxMessages: number): Promise<Received[]> {
    const messages: Received[] = [];
    let next = 0;
    while (next < waiting.length && messages.length < maxMessages) {
      const result = await this.#read(waiting[next++] as HeldForCall);
      if (result === "stuck") break;
      if (result !== "settled") messages.push(result);
    }
    for (const behind of waiting.slice(next)) this.add({ ...behind, event: undefined });
    return messages;
  }

  async #read(held: HeldForCall): Promise<Received | "settled" | "stuck"> {
    const { intake, onSettled } = this.#settings;
    const { delivered, delivery } = held;
    const result = await intake.read(delivered, delivery, this.policy);
    if (!isUndeserializableEvent(result)) return result;
    if (result.disposition === "held") {
      this.add({ ...held, event: result });
      return "stuck";
    }
    onSettled(result);
    return result.disposition === "blocked" ? "stuck" : "settled";
  }

  /** Dead-letters messages held by an open circuit, so that readable ones can be received. */
  async #makeRoom(): Promise<void> {
    const { breaker, intake, onSettled } = this.#settings;
    if (breaker === undefined || breaker.options.whenFull === "pause" || !this.isFull) return;
    for (const held of this.#waiting.filter((each) => each.event !== undefined && !isUnavailable(each))) {
      const { delivered, delivery, event } = held;
      if (!(await this.#gate?.tryPass(delivered.sequenceNumber))) return;
      this.#held = this.#held.filter((each) => each !== held);
      const outcome = event?.message.failure as Undeserializable;
      onSettled(await intake.deadLetter({ delivered, outcome, delivery }));
    }
  }
}

function isUnavailable({ event }: HeldForCall): boolean {
  return event?.error.code === "unavailable";
}
