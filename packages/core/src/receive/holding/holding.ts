import type { Timer } from "@waybill/foundation";
import type {
  UndeserializableDisposition,
  UndeserializableEvent,
} from "../../message/undeserializable-event.js";
import type { WhenFull } from "../circuit-breaker/circuit-breaker-options.js";
import type { ReceiverContext } from "../delivery/receiver-context.js";
import { undeserializableEvent } from "../delivery/settle-undecoded.js";
import { backoffDelayMs } from "../delivery/unavailable-backoff.js";
import { type HeldMessage, HeldMessages, type HeldMessagesSettings, isCircuitOver } from "./held-messages.js";
import { LookPast } from "./look-past.js";
import { SetAside, type SetAsideOwner } from "./set-aside.js";

/** Who handles the messages that are not held any more. */
export interface HoldingOwner extends SetAsideOwner {
  /** Reads a held message again; resolves when it is read. */
  readAgain(message: HeldMessage): Promise<void>;
  /** Called when a message is not held any more although it was not read. */
  onSettled(event: UndeserializableEvent): void;
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
  readonly #lookPast: LookPast | undefined;
  readonly #aside: SetAside;
  readonly #stopListening: (() => void) | undefined;
  readonly #discovery: Timer | undefined;
  #probe: Timer | undefined;
  /** Messages to abandon on closing. */
  readonly #left: HeldMessage[] = [];
  #isClosed = false;

  constructor(context: ReceiverContext, owner: HoldingOwner) {
    const { breaker, backoff, scheduler } = context;
    this.#context = context;
    this.#owner = owner;
    this.#unavailable = this.#list({
      maxMessages: backoff.maxHeldMessages,
      delayMs: (attempts) => backoffDelayMs(backoff, attempts),
    });
    if (breaker !== undefined) {
      const { maxHeldMessages, probeIntervalInMs } = breaker.options;
      this.#undeserializable = this.#list({
        maxMessages: maxHeldMessages,
        delayMs: () => probeIntervalInMs,
        onRetry: () => breaker.beginProbe(),
      });
      this.#stopListening = breaker.onCircuitClosed(() => this.#onCircuitClosed());
    }
    const onAllowance = () => void this.#passAll();
    this.#lookPast = LookPast.of(context, { onAllowance, onError: owner.onError });
    this.#aside = new SetAside(context, owner, whenFull(context));
    if (!this.#aside.canDefer) return;
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
      await this.#abandon(message);
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
    const event = list.inPlaces.includes(message)
      ? await this.#pass(message, list)
      : this.#event(message, "held");
    const isKnown = event?.disposition === "held" && message.isReported;
    if (event?.disposition === "held") message.isReported = true;
    return isKnown ? undefined : event;
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
    // Receiving stops only when all places are free.
    for (const { free } of this.#left) free();
    await stopped;
    await this.abandonLeft();
  }

  /** Abandons the messages left after closing. Never rejects. */
  async abandonLeft(): Promise<void> {
    await Promise.all(this.#left.splice(0).map((message) => this.#abandon(message)));
  }

  #stop(): HeldMessage[] {
    // First, so that a message that is on its way into a list or aside is abandoned instead: see `hold` and `#keep`.
    this.#isClosed = true;
    this.#lookPast?.stop();
    this.#aside.stop();
    this.#stopListening?.();
    this.#discovery?.cancel();
    this.#probe?.cancel();
    return [...this.#unavailable.close(), ...(this.#undeserializable?.close() ?? [])];
  }

  #list(kind: Pick<HeldMessagesSettings, "maxMessages" | "delayMs" | "onRetry">): HeldMessages {
    const { scheduler, renewal } = this.#context;
    return new HeldMessages({
      ...kind,
      scheduler,
      renewal,
      readAgain: (message) => this.#owner.readAgain(message),
      onEmpty: () => this.#forgetIfEmpty(),
    });
  }

  #forgetIfEmpty(): void {
    const held = this.#unavailable.size + (this.#undeserializable?.size ?? 0);
    if (held === 0 && this.#context.breaker?.isOpen !== true) this.#lookPast?.reset();
  }

  /** A circuit has closed: all that circuits hold is read again. What is still undeserializable is dead-lettered, or held by its own circuit. */
  #onCircuitClosed(): void {
    for (const message of this.#undeserializable?.inPlaces ?? []) {
      // A message that was deleted on receipt cannot be read again; it only kept its place.
      const isGone = message.delivery === undefined && message.circuit?.isOpen === false;
      if (isGone && this.#undeserializable?.delete(message)) message.free();
    }
    if (this.#context.breaker?.isOpen === false && this.#unavailable.size === 0) this.#lookPast?.reset();
    void this.#undeserializable?.readAgain();
    // After this, some may still be deferred: those that could not be received, or that were handled and left unsettled.
    void this.#aside.bringBack().then(() => this.#probeSoon());
  }

  async #discover(): Promise<void> {
    await this.#aside.discover();
    this.#probeSoon();
  }

  /** Looks after messages that were set aside, at growing intervals while none can be read. */
  #probeSoon(): void {
    if (this.#probe !== undefined || this.#isClosed || !this.#aside.hasProbes) return;
    this.#probe = this.#context.scheduler.schedule(this.#aside.probeDelayMs, async () => {
      await this.#aside.probe();
      this.#probe = undefined;
      this.#probeSoon();
    });
  }

  async #passAll(): Promise<void> {
    for (const list of [this.#undeserializable, this.#unavailable]) {
      for (const message of list?.inPlaces ?? []) {
        if (!this.#aside.accepts(message)) continue;
        const event = await this.#pass(message, list);
        // No allowance is left, so those behind it wait, too.
        if (event?.disposition === "held") break;
        if (event !== undefined) this.#owner.onSettled(event);
      }
    }
  }

  /** Sets a message aside and frees its place, if other messages can be read. Resolves with undefined if it is read again instead. */
  async #pass(
    message: HeldMessage,
    list: HeldMessages | undefined,
  ): Promise<UndeserializableEvent | undefined> {
    const { delivery } = message;
    const held = this.#event(message, "held");
    const mayPass =
      this.#aside.accepts(message) && (await this.#lookPast?.tryPass(message.delivered.sequenceNumber));
    // It may have been read again meanwhile.
    if (!list?.has(message)) return undefined;
    if (!mayPass) return held;
    // From here until it is deferred, a timer of the list must not read it a second time.
    list.delete(message);
    if (delivery === undefined) {
      message.free();
      return held;
    }
    // A message behind it decoded and closed its circuit.
    if (isCircuitOver(message)) {
      void this.#owner.readAgain(message);
      return undefined;
    }
    const event = await this.#aside.setAside(message, delivery);
    this.#probeSoon();
    return event ?? this.#keep(message, list);
  }

  #keep(message: HeldMessage, list: HeldMessages): UndeserializableEvent {
    // It was in no list when closing collected them.
    if (this.#isClosed) {
      void this.#abandon(message);
      return this.#event(message, "abandoned");
    }
    list.add(message);
    return this.#event(message, "held");
  }

  #event(message: HeldMessage, disposition: UndeserializableDisposition): UndeserializableEvent {
    return undeserializableEvent(message, this.#context, disposition);
  }

  async #abandon({ delivery, free }: HeldMessage): Promise<void> {
    try {
      if (delivery?.state === "open") await delivery.settle("abandon");
    } catch (error) {
      // Renewed for ever, its lock would keep it from all receivers.
      if (delivery !== undefined) this.#context.renewal.forget(delivery);
      this.#owner.onError(error);
    }
    free();
  }
}

/** Where the transport cannot defer, receiving pauses instead. */
function whenFull({ breaker, canDefer }: ReceiverContext): WhenFull {
  const wanted = breaker?.options.whenFull ?? "defer";
  return wanted === "defer" && !canDefer ? "pause" : wanted;
}
