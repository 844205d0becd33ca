import type { Timer } from "@waybill/foundation";
import type { DeliveredMessage } from "../../contracts/transport.js";
import type { Undeserializable } from "../../message/outcome.js";
import type {
  UndeserializableDisposition,
  UndeserializableEvent,
} from "../../message/undeserializable-event.js";
import type { WhenFull } from "../circuit-breaker/circuit-breaker-options.js";
import type { Delivery } from "../delivery/delivery.js";
import { deadLetter } from "../delivery/read-delivery.js";
import type { ReceiverContext } from "../delivery/receiver-context.js";
import { undeserializableEvent } from "../delivery/settle-undecoded.js";
import { backoffDelayMs } from "../delivery/unavailable-backoff.js";
import { type HeldMessage, HeldMessages } from "./held-messages.js";
import { LookPast } from "./look-past.js";
import { SetAside } from "./set-aside.js";

/** Who handles the messages that are not held any more. */
export interface HoldingOwner {
  /** Reads a held message again; resolves when it is read. */
  readAgain(message: HeldMessage): Promise<void>;
  /** Handles a deferred message that was received again; resolves when it is read. */
  take(delivered: DeliveredMessage): Promise<void>;
  /** Called when a message is not held any more although it was not read. */
  onSettled(event: UndeserializableEvent): void;
  onError(error: unknown): void;
}

/** How long after its start a processor looks for messages that a process set aside which has ended, in milliseconds. */
const defaultDiscoveryMs = 30_000;

/**
 * Holds messages of a processor that cannot be read now: it keeps them locked, reads them again, and sets some aside if they keep others from
 * being received. There are two kinds: those that wait for an unavailable dependency, and those that the circuit breaker holds.
 */
export class Holding {
  readonly #context: ReceiverContext;
  readonly #owner: HoldingOwner;
  readonly #unavailable: HeldMessages;
  readonly #undeserializable: HeldMessages | undefined;
  /** Undefined for dead-letter queues, and like the next one where messages cannot be deferred. */
  readonly #lookPast: LookPast | undefined;
  readonly #aside: SetAside | undefined;
  readonly #stopListening: (() => void) | undefined;
  readonly #discovery: Timer | undefined;
  #probe: Timer | undefined;
  #probes = 0;
  /** Messages to abandon on closing. */
  readonly #left: HeldMessage[] = [];
  #isClosed = false;

  constructor(context: ReceiverContext, owner: HoldingOwner) {
    const { breaker, backoff, receiver, lookAhead, scheduler, canDefer } = context;
    this.#context = context;
    this.#owner = owner;
    this.#unavailable = this.#list(backoff.maxHeldMessages, (attempts) => backoffDelayMs(backoff, attempts));
    if (breaker !== undefined) {
      const { maxHeldMessages, probeIntervalInMs } = breaker.options;
      this.#undeserializable = this.#list(maxHeldMessages, () => probeIntervalInMs);
      this.#stopListening = breaker.onClosed(() => this.#onClosed());
    }
    if (lookAhead === undefined) return;
    const isPeekLock = receiver.receiveMode === "peekLock";
    const looking = { lookAhead, scheduler, breaker };
    this.#lookPast = new LookPast(looking, {
      // A message that was deleted on receipt cannot be set aside.
      isRefilled: isPeekLock,
      onOpened: () => void this.#passAll(),
      onError: owner.onError,
    });
    if (!canDefer || !isPeekLock) return;
    this.#aside = new SetAside(context, owner);
    // Finds messages that a process set aside which has ended since.
    const delayMs = breaker?.options.probeIntervalInMs ?? defaultDiscoveryMs;
    this.#discovery = scheduler.schedule(delayMs, () => void this.#discover());
    this.#discovery.unref();
  }

  onDecoded(): void {
    this.#lookPast?.onDecoded();
  }

  /** Holds a message; resolves with the event to report, or undefined if it is reported elsewhere. Never rejects. */
  async hold(message: HeldMessage): Promise<UndeserializableEvent | undefined> {
    if (this.#isClosed) {
      await this.#giveBack(message);
      return this.#event(message, "abandoned");
    }
    const list = this.#listFor(message);
    if (list === undefined) {
      // Its circuit has closed meanwhile.
      void this.#owner.readAgain(message);
      return undefined;
    }
    list.add(message);
    // A list that is full lets it keep its place in the transport, so receiving would end once all are kept, unless it is set aside.
    return list.inPlaces.includes(message) ? this.#pass(message, list) : this.#event(message, "held");
  }

  #listFor({ outcome, circuit }: HeldMessage): HeldMessages | undefined {
    if (outcome.status === "unavailable") return this.#unavailable;
    return circuit === undefined ? undefined : this.#undeserializable;
  }

  /** Frees the places of all held messages: the transport is closing, so nothing can be settled any more. */
  freePlaces(): void {
    for (const { free } of this.#stop()) free();
  }

  /** Abandons all held messages once receiving has stopped; before, they would be delivered again at once. Never rejects. */
  async close(stopped: Promise<unknown>): Promise<void> {
    this.#left.push(...this.#stop());
    for (const { free } of this.#left) free();
    await stopped;
    await this.giveBack();
  }

  /** Abandons the messages left after closing. Never rejects. */
  async giveBack(): Promise<void> {
    await Promise.all(this.#left.splice(0).map((message) => this.#giveBack(message)));
  }

  #stop(): HeldMessage[] {
    this.#isClosed = true;
    this.#lookPast?.stop();
    this.#aside?.stop();
    this.#stopListening?.();
    this.#discovery?.cancel();
    this.#probe?.cancel();
    return [...this.#unavailable.close(), ...(this.#undeserializable?.close() ?? [])];
  }

  get #whenFull(): WhenFull {
    const { breaker, canDefer } = this.#context;
    const whenFull = breaker?.options.whenFull ?? "defer";
    return whenFull === "defer" && !canDefer ? "pause" : whenFull;
  }

  #list(maxMessages: number, delayMs: (attempts: number) => number): HeldMessages {
    const { scheduler, renewal, breaker } = this.#context;
    return new HeldMessages({
      scheduler,
      renewal,
      maxMessages,
      delayMs,
      onRetry: () => breaker?.beginProbe(),
      readAgain: (message) => this.#owner.readAgain(message),
      onEmpty: () => this.#forgetIfEmpty(),
    });
  }

  #forgetIfEmpty(): void {
    const held = this.#unavailable.size + (this.#undeserializable?.size ?? 0);
    if (held === 0 && this.#context.breaker?.isOpen !== true) this.#lookPast?.reset();
  }

  /** Messages of a circuit that closed are read again, and dead-lettered if that fails. */
  #onClosed(): void {
    for (const message of this.#undeserializable?.inPlaces ?? []) {
      // A message that was deleted on receipt cannot be read again; it only kept its place.
      const isGone = message.delivery === undefined && message.circuit?.isOpen === false;
      if (isGone && this.#undeserializable?.delete(message)) message.free();
    }
    if (this.#context.breaker?.isOpen === false && this.#unavailable.size === 0) this.#lookPast?.reset();
    void this.#undeserializable?.readAgain();
    void this.#aside?.bringBack().then(() => this.#probeSoon());
  }

  async #discover(): Promise<void> {
    await this.#aside?.discover();
    this.#probeSoon();
  }

  /** Looks after messages that were set aside, at growing intervals while none can be read. */
  #probeSoon(): void {
    const { scheduler, backoff } = this.#context;
    if (this.#probe !== undefined || this.#isClosed || this.#aside?.hasProbes !== true) return;
    this.#probe = scheduler.schedule(backoffDelayMs(backoff, this.#probes), async () => {
      this.#probes = (await this.#aside?.probe()) ? 0 : this.#probes + 1;
      this.#probe = undefined;
      this.#probeSoon();
    });
  }

  async #passAll(): Promise<void> {
    for (const list of [this.#undeserializable, this.#unavailable]) {
      for (const message of list?.inPlaces ?? []) {
        const event = await this.#pass(message, list);
        // No allowance is left, so those behind it wait, too.
        if (event?.disposition === "held") break;
        if (event !== undefined) this.#owner.onSettled(event);
      }
    }
  }

  /** Sets a message aside and frees its place, if other messages can be read. */
  async #pass(
    message: HeldMessage,
    list: HeldMessages | undefined,
  ): Promise<UndeserializableEvent | undefined> {
    const { circuit, delivery, delivered, opening } = message;
    const held = this.#event(message, "held");
    const isPossible = circuit === undefined ? this.#aside?.isFull === false : this.#whenFull !== "pause";
    if (!isPossible || !(await this.#lookPast?.tryPass(delivered.sequenceNumber))) return held;
    // It may have been read again meanwhile.
    if (!list?.delete(message)) return undefined;
    if (delivery === undefined) {
      message.free();
      return held;
    }
    const isOver = () => circuit !== undefined && (!circuit.isOpen || circuit.opening !== opening);
    // A message behind it decoded and closed its circuit.
    if (isOver()) {
      void this.#owner.readAgain(message);
      return undefined;
    }
    return (await this.#setAside(message, delivery, isOver)) ?? this.#keep(message, list);
  }

  /** Defers or dead-letters a message; undefined when that is not possible now. */
  async #setAside(
    message: HeldMessage,
    delivery: Delivery,
    isOver: () => boolean,
  ): Promise<UndeserializableEvent | undefined> {
    const isUnavailable = message.circuit === undefined;
    const isDeferred = isUnavailable || this.#whenFull === "defer";
    if (this.#aside === undefined || this.#aside.isFull || !isDeferred) {
      return isUnavailable ? undefined : this.#deadLetter(message, delivery);
    }
    if (!(await this.#aside.defer(delivery, isUnavailable ? "unavailable" : isOver))) return undefined;
    message.free();
    // Its circuit closed while it was being deferred, too late for `#onClosed` to see it.
    if (isOver()) void this.#aside.bringBack();
    this.#probeSoon();
    return this.#event(message, "deferred");
  }

  async #deadLetter(message: HeldMessage, delivery: Delivery): Promise<UndeserializableEvent> {
    const { delivered } = message;
    const outcome = message.outcome as Undeserializable;
    const event = await deadLetter(this.#context, { delivered, outcome, delivery });
    message.free();
    return event;
  }

  #keep(message: HeldMessage, list: HeldMessages): UndeserializableEvent {
    if (this.#isClosed) {
      void this.#giveBack(message);
      return this.#event(message, "abandoned");
    }
    list.add(message);
    return this.#event(message, "held");
  }

  #event(message: HeldMessage, disposition: UndeserializableDisposition): UndeserializableEvent {
    return undeserializableEvent(message, this.#context, disposition);
  }

  async #giveBack({ delivery, free }: HeldMessage): Promise<void> {
    try {
      if (delivery?.state === "open") await delivery.settle("abandon");
    } catch (error) {
      if (delivery !== undefined) this.#context.renewal.forget(delivery);
      this.#owner.onError(error);
    }
    free();
  }
}
