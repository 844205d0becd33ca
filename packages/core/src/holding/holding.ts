import type { CircuitBreaker } from "../circuit-breaker/circuit-breaker.js";
import type { WhenFull } from "../circuit-breaker/circuit-breaker-options.js";
import { ReceivingGate } from "../circuit-breaker/receiving-gate.js";
import type { DeliveredMessage, TransportReceiver } from "../contracts/transport.js";
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

/** What holding messages works with. */
export interface HoldingSettings {
  readonly intake: Intake;
  readonly breaker: CircuitBreaker | undefined;
  readonly backoff: Required<UnavailableBackoff>;
  /** Whether messages can be deferred where the processor receives. */
  readonly canDefer: boolean;
  /** Reads a held message again; resolves when it is dealt with or held again. */
  readonly readAgain: (message: HeldMessage) => Promise<void>;
  /** Handles a message that comes back from where it was set aside; resolves when it is dealt with. */
  readonly take: (delivered: DeliveredMessage) => Promise<void>;
  /** Is notified of a message that is not held any more, and was not read. */
  readonly onSettled: (event: UndeserializableEvent) => void;
  readonly onError: (error: unknown) => void;
}

/**
 * What a processor does with messages that cannot be read now: it keeps them locked, reads them again, and sets aside those that are in the
 * way of others. There are two kinds: what waits for something out of reach, and what is held by the circuit breaker.
 */
export class Holding {
  readonly #settings: HoldingSettings;
  readonly #unavailable: HeldMessages;
  readonly #unreadable: HeldMessages | undefined;
  readonly #gate: ReceivingGate | undefined;
  readonly #aside: SetAside | undefined;
  readonly #stopListening: (() => void) | undefined;
  readonly #discovery: Timer | undefined;
  /** What is to be given back. */
  readonly #left: HeldMessage[] = [];
  #isClosed = false;

  constructor(settings: HoldingSettings) {
    const { breaker, backoff, intake } = settings;
    this.#settings = settings;
    this.#unavailable = this.#list(backoff.maxHeldMessages, (attempts) => backoffDelayMs(backoff, attempts));
    if (breaker === undefined) return;
    const { probeIntervalInMs, maxHeldMessages } = breaker.options;
    this.#unreadable = this.#list(maxHeldMessages, () => probeIntervalInMs);
    this.#gate = new ReceivingGate({
      lookAhead: breaker.lookAhead,
      scheduler: this.#scheduler,
      // What was deleted on receipt cannot be set aside: each more is one too many.
      allowance:
        intake.settings.receiver.receiveMode === "peekLock" && this.#whenFull !== "pause"
          ? maxHeldMessages
          : 0,
      restartIntervalInMs: probeIntervalInMs,
      onOpened: () => void this.#passAll(),
      onError: settings.onError,
    });
    this.#stopListening = breaker.onClosed(() => this.#onClosed());
    if (this.#whenFull !== "defer") return;
    this.#aside = this.#openAside(intake.settings.receiver, breaker);
    // What a process set aside that has ended since, perhaps to be replaced by this one.
    this.#discovery = this.#scheduler.schedule(probeIntervalInMs, () => void this.#aside?.discover());
    this.#discovery.unref();
  }

  /** Notes that a message was read. */
  onDecoded(): void {
    this.#gate?.onDecoded();
  }

  /** Takes a message that cannot be read now; resolves with the event to report, if it is not reported elsewhere. Never rejects. */
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
    if (circuit === undefined || this.#unreadable === undefined) {
      // Its circuit has closed meanwhile.
      void this.#settings.readAgain(message);
      return undefined;
    }
    this.#unreadable.add(message);
    const isInPlace = this.#unreadable.inPlace.includes(message);
    return isInPlace ? this.#pass(message, this.#unreadable) : this.#event(message, "held");
  }

  /** Has all that is held give up its place: the transport closes, and nothing can be settled any more. */
  letGo(): void {
    for (const { free } of this.#stop()) free();
  }

  /** Gives back what is held when nothing more is received: it would come again at once. Never rejects. */
  async close(stopped: Promise<unknown>): Promise<void> {
    this.#left.push(...this.#stop());
    for (const { free } of this.#left) free();
    await stopped;
    await this.giveBack();
  }

  /** Gives back what is held, now that it is closing. Never rejects. */
  async giveBack(): Promise<void> {
    await Promise.all(this.#left.splice(0).map((message) => this.#giveBack(message)));
  }

  #stop(): HeldMessage[] {
    this.#isClosed = true;
    this.#gate?.stop();
    this.#aside?.stop();
    this.#stopListening?.();
    this.#discovery?.cancel();
    return [...this.#unavailable.close(), ...(this.#unreadable?.close() ?? [])];
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

  #openAside(receiver: TransportReceiver, breaker: CircuitBreaker): SetAside {
    const { intake, take, onError } = this.#settings;
    return new SetAside({
      receiver,
      pipeline: intake.settings.pipeline,
      scheduler: this.#scheduler,
      isDue: (sinceMs) =>
        !breaker.isOpen && this.#scheduler.now() - sinceMs >= breaker.options.maxHoldDurationInMs,
      take,
      onError,
    });
  }

  /** What was held by a circuit that closed is read again, and is poison if that fails. */
  #onClosed(): void {
    for (const message of this.#unreadable?.inPlace ?? []) {
      const isGone = message.delivery === undefined && message.circuit?.isOpen === false;
      if (isGone && this.#unreadable?.delete(message)) message.free();
    }
    if (this.#settings.breaker?.isOpen === false) this.#gate?.reset();
    void this.#unreadable?.readAgain();
    void this.#aside?.bringBack();
  }

  async #passAll(): Promise<void> {
    const list = this.#unreadable;
    for (const message of list?.inPlace ?? []) {
      const event = await this.#pass(message, list);
      if (event?.disposition === "held") return;
      if (event !== undefined) this.#settings.onSettled(event);
    }
  }

  /** Sets a message aside for which there is no room, if others can be read. Its place is free then. */
  async #pass(
    message: HeldMessage,
    list: HeldMessages | undefined,
  ): Promise<UndeserializableEvent | undefined> {
    const { circuit, delivery, delivered } = message;
    const held = this.#event(message, "held");
    if (this.#gate === undefined || circuit === undefined) return held;
    if (!(await this.#gate.mayPass(delivered.sequenceNumber))) return held;
    const { opening } = message;
    const isOver = () => !circuit.isOpen || circuit.opening !== opening;
    if (this.#whenFull === "pause" && !isOver()) return held;
    // It may have been read again meanwhile.
    if (!list?.delete(message)) return undefined;
    if (delivery === undefined) {
      message.free();
      return held;
    }
    // One behind it could be read, and it is poison.
    if (isOver()) {
      void this.#settings.readAgain(message);
      return undefined;
    }
    return (await this.#setAside(message, delivery, isOver)) ?? this.#keep(message, list);
  }

  /** Undefined when that cannot be done for now. */
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
