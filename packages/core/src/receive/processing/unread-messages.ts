import { afterwards, LazyAbortController, pause } from "@waybill/foundation";
import type { Awaitable } from "../../contracts/serializer.js";
import type { WaybillError } from "../../errors/error.js";
import type { ReceivedMessage, UndecodedMessage } from "../../message/message.js";
import type { UndeserializableEvent } from "../../message/undeserializable-event.js";
import { DelayedAbandons } from "../delivery/delayed-abandons.js";
import type { Delivery } from "../delivery/delivery.js";
import { type DecideUnread, isUnread, type ReadResult } from "../delivery/read-delivery.js";
import { isOrdered, type ReceiverContext } from "../delivery/receiver-context.js";
import { backoffDelayMs } from "../delivery/unavailable-backoff.js";
import { heldMessage } from "../holding/held-messages.js";
import { Holding, type HoldingOwner } from "../holding/holding.js";
import type { ErrorReporter } from "./error-reporter.js";
import type { InFlightMessage } from "./in-flight-message.js";
import type { BlockCause, SessionKeeper } from "./processor-settings.js";

/** The processor of unread messages. */
export interface UnreadOwner extends Omit<HoldingOwner, "onSettled"> {
  /** Reads a message in place. */
  read(inFlight: InFlightMessage): Awaitable<ReadResult>;
  /** Abandons a message that no handler has received. */
  abandon(inFlight: InFlightMessage): Promise<void>;
  /** Passes the call slot of a message to the next one. */
  freeSlot(inFlight: InFlightMessage): void;
  /** Stops at a message. */
  block(cause: BlockCause): void;
}

/**
 * What a processor does with messages that cannot be read: each is reported, and held to be read again, left to another reader, or settled
 * already. A session stops at it instead of holding it, so that its order is kept.
 */
export class UnreadMessages {
  readonly #context: ReceiverContext;
  readonly #keeper: SessionKeeper | undefined;
  readonly #report: ErrorReporter;
  readonly #owner: UnreadOwner;
  /** Undefined where the order of a session does not allow holding a message while others go on. */
  readonly #holding: Holding | undefined;
  /** Messages for other readers, which are abandoned after a delay. */
  readonly #abandons: DelayedAbandons;
  /** Ends the delays before a message is read again in place. */
  readonly #stopping = new LazyAbortController();
  #isClosing = false;

  constructor(
    context: ReceiverContext,
    keeper: SessionKeeper | undefined,
    report: ErrorReporter,
    owner: UnreadOwner,
  ) {
    this.#context = context;
    this.#keeper = keeper;
    this.#report = report;
    this.#owner = owner;
    this.#abandons = new DelayedAbandons(context.scheduler, context.backoff);
    if (isOrdered(context) || keeper !== undefined) return;
    this.#holding = new Holding(context, { ...owner, onSettled: (event) => void this.#notify(event) });
  }

  onDecoded(): void {
    (this.#keeper ?? this.#holding)?.onDecoded();
  }

  /** What to do with an undeserializable message: the circuit breaker and the session decide. */
  readonly decide: DecideUnread = (delivered, report) => {
    const { breaker, isBlocking } = this.#context;
    const keeper = this.#keeper;
    return afterwards(breaker?.decide(delivered, report), async (circuit) => {
      if (isBlocking) return "block";
      if (circuit === undefined) return "deadLetter";
      if (keeper === undefined) return "hold";
      return (await keeper.tryBlock(delivered)) ? "block" : "deadLetter";
    });
  };

  /** Resolves with the message if it can be read after all, while the messages behind it wait. */
  async followUp(
    inFlight: InFlightMessage,
    event: UndeserializableEvent,
  ): Promise<ReceivedMessage | UndecodedMessage | undefined> {
    const result = this.#staysInPlace(event) ? await this.#readInPlace(inFlight, event) : event;
    if (result === undefined || !isUnread(result)) return result;
    await this.#carryOut(inFlight, result);
    return undefined;
  }

  async #carryOut(inFlight: InFlightMessage, event: UndeserializableEvent): Promise<void> {
    const { delivery } = inFlight;
    if (event.disposition === "held") return this.#hold(inFlight, event);
    // Before any await, so that later messages cannot overtake it.
    if (event.disposition === "blocked")
      this.#owner.block(this.#context.isBlocking ? "undeserializable" : "circuitOpen");
    else if (delivery === undefined) this.#holdPlace(inFlight, event);
    await this.#notify(event);
    if (event.disposition === "abandoned" && delivery !== undefined) await this.#abandonLater(delivery);
  }

  /** Outside the call slots, while other messages are processed; a session of its own stops at the message instead. */
  async #hold(inFlight: InFlightMessage, event: UndeserializableEvent): Promise<void> {
    if (this.#holding === undefined) {
      this.#owner.block("unavailable");
      return this.#notify({ ...event, disposition: "blocked" });
    }
    inFlight.isHeld = true;
    const holding = this.#holding.hold(heldMessage(this.#context, inFlight, event));
    // Neither a look at the messages behind it nor a slow `processError` may keep others from being handled.
    this.#owner.freeSlot(inFlight);
    const reported = await holding;
    if (reported !== undefined) await this.#notify(reported);
  }

  /** A message that the broker has deleted is not read again, but its place in the transport is held, so that no further message is deleted. */
  #holdPlace(inFlight: InFlightMessage, event: UndeserializableEvent): void {
    const held = heldMessage(this.#context, inFlight, event);
    if (held.circuit === undefined) return;
    if (this.#keeper !== undefined) this.#owner.block("circuitOpen");
    if (this.#holding === undefined) return;
    inFlight.isHeld = true;
    void this.#holding.hold(held);
  }

  /** Whether the messages behind it have to wait until it can be read, because the caller manages the session. */
  #staysInPlace({ disposition }: UndeserializableEvent): boolean {
    return disposition === "held" && this.#holding === undefined && this.#keeper === undefined;
  }

  /** Reads a message repeatedly until it is not `held` any more; undefined if the processor stops before. */
  async #readInPlace(
    inFlight: InFlightMessage,
    event: UndeserializableEvent,
  ): Promise<ReadResult | undefined> {
    const { scheduler, session, breaker } = this.#context;
    await this.#notify(event);
    let result: ReadResult = event;
    for (let attempts = 0; isUnread(result) && this.#staysInPlace(result); attempts++) {
      const delayMs = this.#delayMs(result.error, attempts);
      await pause(delayMs, scheduler, this.#stopping.signal);
      if (inFlight.isAborted) return undefined;
      if (this.#stopping.isAborted) {
        if (this.#isClosing) await this.#owner.abandon(inFlight);
        return undefined;
      }
      // An outage may last longer than the lock of a session is renewed.
      session?.keep();
      if (result.error.code !== "unavailable") breaker?.beginProbe();
      result = await this.#owner.read(inFlight);
    }
    return result;
  }

  #delayMs({ code }: WaybillError, attempts: number): number {
    const { breaker, backoff } = this.#context;
    return code === "unavailable" || breaker === undefined
      ? backoffDelayMs(backoff, attempts)
      : breaker.options.probeIntervalInMs;
  }

  async #abandonLater(delivery: Delivery): Promise<void> {
    try {
      await this.#abandons.abandon(delivery);
    } catch (error) {
      await this.#report(error, "abandon", delivery.message.messageId);
    }
  }

  /** Reports an unread message to the client's hook and to `processError`. Never rejects. */
  async #notify(event: UndeserializableEvent): Promise<void> {
    const { message, disposition, error, settlementError } = event;
    this.#context.onUndeserializable(event);
    if (settlementError !== undefined) {
      const source = disposition === "unsettled" ? "deadLetter" : "quarantine";
      await this.#report(settlementError, source, message.messageId);
    }
    const explained = this.#context.breaker?.explain(error) ?? error;
    await this.#report(explained, "deserialize", message.messageId, event);
  }

  /** The transport is closing, so nothing can be settled any more: the held messages must not delay it. */
  stop(): void {
    this.#stopping.abort();
    this.#holding?.freePlaces();
  }

  /** Abandons the held messages once receiving has stopped, and those for other readers now. Never rejects. */
  async close(stopped: Promise<unknown>): Promise<void> {
    this.#isClosing = true;
    this.#stopping.abort();
    // They have waited for other readers long enough: closing does not wait for their delays.
    this.#abandons.flush();
    await this.#holding?.close(stopped);
  }

  /** Abandons the held messages that are left after closing. Never rejects. */
  async abandonHeld(): Promise<void> {
    await this.#holding?.abandonLeft();
  }
}
