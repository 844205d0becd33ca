import type { CircuitBreaker } from "../circuit-breaker/circuit-breaker.js";
import type { WhenFull } from "../circuit-breaker/circuit-breaker-options.js";
import { SetAsideGate } from "../circuit-breaker/set-aside-gate.js";
import type { DeliveredMessage } from "../contracts/transport.js";
import type { Delivery } from "../delivery/delivery.js";
import type { Intake } from "../delivery/intake.js";
import { undeserializableEvent } from "../delivery/settle-undecoded.js";
import type { Scheduler, Timer } from "../foundation/scheduler.js";
import type { Undeserializable } from "../message/outcome.js";
import type {
  UndeserializableDisposition,
  UndeserializableEvent,
} from "../message/undeserializable-event.js";
import { type HeldMessage, HeldMessages } from "./held-messages.js";
import { SetAside } from "./set-aside.js";
import { backoffDelayMs, type UnavailableBackoff } from "./unavailable-backoff.js";

/** Dependencies for holding messages. */
export interface HoldingSettings {
  readonly intake: Intake;
  readonly breaker: CircuitBreaker | undefined;
  readonly backoff: Required<UnavailableBackoff>;
  /** Whether the processor's entity supports deferral. */
  readonly canDefer: boolean;
  /** Reads a held message again; resolves when it is handled or held again. */
  readonly readAgain: (message: HeldMessage) => Promise<void>;
  /** Handles a deferred message that was received again; resolves when that is done. */
  readonly take: (delivered: DeliveredMessage) => Promise<void>;
  /** Called when a message is not held any more although it was not read. */
  readonly onSettled: (event: UndeserializableEvent) => void;
  readonly onError: (error: unknown) => void;
}

/**
 * Holds messages of a processor that cannot be read now: it keeps them locked, reads them again, and sets some aside if they keep others from
 * being received. There are two kinds: those that wait for an unavailable dependency, and those that the circuit breaker holds.
 */
export class Holding {
  readonly #settings: HoldingSettings;
  readonly #unavailable: HeldMessages;
  readonly #undeserializable: HeldMessages | undefined;
  readonly #gate: SetAsideGate | undefined;
  readonly #aside: SetAside | undefined;
  readonly #stopListening: (() => void) | undefined;
  readonly #discovery: Timer | undefined;
  /** Messages to abandon on closing. */
  readonly #left: HeldMessage[] = [];
  #isClosed = false;

  constructor(settings: HoldingSettings) {
    const { breaker, backoff, intake } = settings;
    this.#settings = settings;
    this.#unavailable = this.#list(backoff.maxHeldMessages, (attempts) => backoffDelayMs(backoff, attempts));
    if (breaker === undefined) return;
    const { probeIntervalInMs, maxHeldMessages } = breaker.options;
    this.#undeserializable = this.#list(maxHeldMessages, () => probeIntervalInMs);
    this.#gate = new SetAsideGate({
      breaker,
      scheduler: this.#scheduler,
      // A message that was deleted on receipt cannot be set aside.
      isPossible: intake.settings.receiver.receiveMode === "peekLock" && this.#whenFull !== "pause",
      onOpened: () => void this.#passAll(),
      onError: settings.onError,
    });
    this.#stopListening = breaker.onClosed(() => this.#onClosed());
    if (this.#whenFull !== "defer") return;
    const { take, onError } = settings;
    const { maxHoldDurationInMs } = breaker.options;
    this.#aside = new SetAside({
      intake,
      isDue: (sinceMs) => !breaker.isOpen && this.#scheduler.now() - sinceMs >= maxHoldDurationInMs,
      take,
      onError,
    });
    // Finds messages that a process set aside which has ended since.
    this.#discovery = this.#scheduler.schedule(probeIntervalInMs, () => void this.#aside?.discover());
    this.#discovery.unref();
  }

  onDecoded(): void {
    this.#gate?.onDecoded();
  }

  /** Holds a message; resolves with the event to report, or undefined if it is reported elsewhere. Never rejects. */
  async hold(message: HeldMessage): Promise<UndeserializableEvent | undefined> {
    const { outcome, circuit } = message;
    if (this.#isClosed) {
      await this.#giveBack(message);
      return this.#event(message, "held");
    }
    if (outcome.status === "unavailable") {
      this.#unavailable.add(message);
      return this.#event(message, "held");
    }
    if (circuit === undefined || this.#undeserializable === undefined) {
      // Its circuit has closed meanwhile.
      void this.#settings.readAgain(message);
      return undefined;
    }
    this.#undeserializable.add(message);
    const isInSlot = this.#undeserializable.inSlots.includes(message);
    return isInSlot ? this.#pass(message, this.#undeserializable) : this.#event(message, "held");
  }

  /** Releases the slots of all held messages: the transport is closing, so nothing can be settled any more. */
  releaseSlots(): void {
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
    this.#gate?.stop();
    this.#aside?.stop();
    this.#stopListening?.();
    this.#discovery?.cancel();
    return [...this.#unavailable.close(), ...(this.#undeserializable?.close() ?? [])];
  }

  get #scheduler(): Scheduler {
    return this.#settings.intake.settings.scheduler;
  }

  get #whenFull(): WhenFull | undefined {
    const { breaker, canDefer } = this.#settings;
    const whenFull = breaker?.options.whenFull;
    return whenFull === "defer" && !canDefer ? "pause" : whenFull;
  }

  #list(maxMessages: number, delayMs: (attempts: number) => number): HeldMessages {
    const { intake, readAgain, breaker } = this.#settings;
    return new HeldMessages({
      scheduler: this.#scheduler,
      renewal: intake.renewal,
      maxMessages,
      delayMs,
      onRetry: () => breaker?.beginProbe(),
      readAgain,
    });
  }

  /** Messages of a circuit that closed are read again, and dead-lettered if that fails. */
  #onClosed(): void {
    for (const message of this.#undeserializable?.inSlots ?? []) {
      const isGone = message.delivery === undefined && message.circuit?.isOpen === false;
      if (isGone && this.#undeserializable?.delete(message)) message.free();
    }
    if (this.#settings.breaker?.isOpen === false) this.#gate?.reset();
    void this.#undeserializable?.readAgain();
    void this.#aside?.bringBack();
  }

  async #passAll(): Promise<void> {
    const list = this.#undeserializable;
    for (const message of list?.inSlots ?? []) {
      const event = await this.#pass(message, list);
      if (event?.disposition === "held") return;
      if (event !== undefined) this.#settings.onSettled(event);
    }
  }

  /** Sets a message aside and releases its slot, if other messages can be read. */
  async #pass(
    message: HeldMessage,
    list: HeldMessages | undefined,
  ): Promise<UndeserializableEvent | undefined> {
    const { circuit, delivery, delivered } = message;
    const held = this.#event(message, "held");
    if (this.#gate === undefined || circuit === undefined) return held;
    if (!(await this.#gate.tryPass(delivered.sequenceNumber))) return held;
    const { opening } = message;
    const isOver = () => !circuit.isOpen || circuit.opening !== opening;
    if (this.#whenFull === "pause" && !isOver()) return held;
    // It may have been read again meanwhile.
    if (!list?.delete(message)) return undefined;
    if (delivery === undefined) {
      message.free();
      return held;
    }
    // A message behind it decoded and closed its circuit.
    if (isOver()) {
      void this.#settings.readAgain(message);
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
    if (this.#aside === undefined || this.#aside.isFull) return this.#deadLetter(message, delivery);
    if (!(await this.#aside.defer(delivery, isOver))) return undefined;
    message.free();
    if (isOver()) void this.#aside.bringBack();
    return this.#event(message, "deferred");
  }

  async #deadLetter(message: HeldMessage, delivery: Delivery): Promise<UndeserializableEvent> {
    const { delivered, outcome } = message;
    const event = await this.#settings.intake.deadLetter({
      delivered,
      outcome: outcome as Undeserializable,
      delivery,
    });
    message.free();
    return event;
  }

  #keep(message: HeldMessage, list: HeldMessages): UndeserializableEvent {
    if (this.#isClosed) void this.#giveBack(message);
    else list.add(message);
    return this.#event(message, "held");
  }

  #event(message: HeldMessage, disposition: UndeserializableDisposition): UndeserializableEvent {
    return undeserializableEvent(message, this.#settings.intake.settings, disposition);
  }

  async #giveBack({ delivery, free }: HeldMessage): Promise<void> {
    try {
      if (delivery?.state === "open") await delivery.settle("abandon");
    } catch (error) {
      if (delivery !== undefined) this.#settings.intake.renewal.forget(delivery);
      this.#settings.onError(error);
    }
    free();
  }
}
