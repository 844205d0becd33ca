import type { Awaitable } from "../contracts/serializer.js";
import type { DeliveredMessage, TransportReceiver } from "../contracts/transport.js";
import type { HealthMonitor } from "../diagnostics/health-monitor.js";
import type { Observer } from "../diagnostics/observer.js";
import { isPromise } from "../foundation/is-promise.js";
import type { PeekedMessage, ReceivedMessage, UndecodedMessage } from "../message/message.js";
import type { DeserializationOutcome, Unavailable, Undeserializable } from "../message/outcome.js";
import type { DeserializationReport } from "../message/report.js";
import type { UndeserializableEvent } from "../message/undeserializable-event.js";
import type { DeserializeCallOptions, Pipeline } from "../pipeline/pipeline.js";
import { Delivery, type DeliverySource, type RenewalErrorHandler } from "./delivery.js";
import { LockRenewal } from "./lock-renewal.js";
import { readBody } from "./read-body.js";
import { ReadingGate } from "./reading-gate.js";
import { receivedMessage, undecodedMessage } from "./received-message.js";
import { mayHaveEndedProcess, rememberRead } from "./redelivery.js";
import {
  deadLetterUndecoded,
  quarantineUndecoded,
  type UndecodedSettlement,
  undeserializableEvent,
} from "./settle-undecoded.js";

/** One for all clients: they share the memory of the process. */
const readings = new ReadingGate();

const tightened: DeserializeCallOptions = Object.freeze({ limits: "tightened" });

/** What an intake works with. */
export interface IntakeSettings extends UndecodedSettlement {
  readonly receiver: TransportReceiver;
  readonly pipeline: Pipeline;
  /** Whether the messages lie in a dead-letter queue already: there, what cannot be read is handed over. */
  readonly isSubQueue: boolean;
  /** Whether the lock is the session's, which covers its messages: they have none to renew. */
  readonly isSession: boolean;
  /** Is notified of every body that is read; undefined when nobody wants to know. */
  readonly observer: Observer | undefined;
  /** Notes deliveries and what happens to their locks. */
  readonly health: HealthMonitor;
}

/** What to do with a message that cannot be read, while it is locked: the last two leave it locked. */
export type UnreadableAction = "deadLetter" | "hold" | "block";

/** Sees every body that is read or cannot be read, and decides about the latter. */
export interface UnreadablePolicy {
  /** A number that is handed back when what is being read now was read. */
  readonly openings: number;
  onDecoded(delivered: DeliveredMessage, report: DeserializationReport, openings: number): void;
  onUnreadable(delivered: DeliveredMessage, report: DeserializationReport): Awaitable<UnreadableAction>;
}

/** What happened to a delivery: a message for the application, or the event that tells where it went instead. */
export type IntakeResult = ReceivedMessage | UndecodedMessage | UndeserializableEvent;

/**
 * The way in of one receiver: reads each delivery through the pipeline, keeps its lock, and settles what cannot be deserialized. A delivery
 * comes out as a message or as an event; never as neither.
 */
export class Intake {
  readonly renewal: LockRenewal;
  readonly settings: IntakeSettings;
  readonly #source: DeliverySource;

  constructor(settings: IntakeSettings) {
    const { receiver, observer, health, isSession } = settings;
    this.settings = settings;
    this.renewal = new LockRenewal(settings.scheduler);
    this.#source = { receiver, observer, health, renewal: isSession ? undefined : this.renewal };
  }

  /** Takes charge of a delivery's lock. Undefined in receive-and-delete mode, where there is none. */
  open(
    delivered: DeliveredMessage,
    renewForMs: number,
    onRenewalError: RenewalErrorHandler,
  ): Delivery | undefined {
    this.settings.health.delivered();
    if (delivered.settlement === undefined) return undefined;
    const delivery = new Delivery(this.#source, delivered, delivered.settlement, onRenewalError);
    this.#source.renewal?.track(delivery, renewForMs);
    return delivery;
  }

  /**
   * Reads one delivery. Never throws or rejects. An event with `held` or `blocked` leaves the message locked, one with `abandoned` leaves the
   * abandoning to the caller. Returns a value unless a serializer is asynchronous, the policy has to look around, or the message has to
   * be settled.
   */
  read(
    delivered: DeliveredMessage,
    delivery: Delivery | undefined,
    policy: UnreadablePolicy | undefined,
  ): Awaitable<IntakeResult> {
    const openings = policy?.openings ?? 0;
    const outcome = this.#read(delivered);
    return isPromise(outcome)
      ? outcome.then((settled) =>
          this.#conclude(delivered, settled as DeserializationOutcome, delivery, policy, openings),
        )
      : this.#conclude(delivered, outcome, delivery, policy, openings);
  }

  /** Reads a peeked message, marking what cannot be read. */
  readPeeked(delivered: DeliveredMessage): Awaitable<PeekedMessage> {
    const outcome = readBody(this.settings.pipeline, delivered);
    return isPromise(outcome)
      ? outcome.then((settled) => this.#peeked(delivered, settled as DeserializationOutcome))
      : this.#peeked(delivered, outcome);
  }

  #peeked(delivered: DeliveredMessage, outcome: DeserializationOutcome): PeekedMessage {
    this.settings.observer?.deserialized(this.settings.entityPath, delivered, outcome, true);
    return outcome.status === "decoded"
      ? receivedMessage(delivered, outcome, undefined)
      : undecodedMessage(delivered, outcome, undefined);
  }

  #conclude(
    delivered: DeliveredMessage,
    outcome: DeserializationOutcome,
    delivery: Delivery | undefined,
    policy: UnreadablePolicy | undefined,
    openings: number,
  ): Awaitable<IntakeResult> {
    this.settings.observer?.deserialized(this.settings.entityPath, delivered, outcome, false);
    if (outcome.status === "decoded") {
      rememberRead(delivered, this.settings.entityPath);
      policy?.onDecoded(delivered, outcome.report, openings);
      return receivedMessage(delivered, outcome, delivery);
    }
    if (outcome.status === "unavailable") return this.#concludeUnavailable(delivered, outcome, delivery);
    if (this.settings.isSubQueue) return undecodedMessage(delivered, outcome, delivery);
    const action = policy?.onUnreadable(delivered, outcome.report) ?? "deadLetter";
    return isPromise(action)
      ? action.then((decided) => this.#settle(delivered, outcome, delivery, decided as UnreadableAction))
      : this.#settle(delivered, outcome, delivery, action);
  }

  /**
   * Says nothing about the body: the message waits, locked, until it can be read. One of a newer version waits for another instance to
   * receive it.
   */
  #concludeUnavailable(
    delivered: DeliveredMessage,
    outcome: Unavailable,
    delivery: Delivery | undefined,
  ): Awaitable<IntakeResult> {
    const undecoded = { delivered, outcome, delivery };
    if (delivery !== undefined) {
      const isForAnother = outcome.error.stage === "select";
      if (isForAnother) this.renewal.forget(delivery);
      return undeserializableEvent(undecoded, this.settings, isForAnother ? "abandoned" : "held");
    }
    return this.settings.isSubQueue
      ? undecodedMessage(delivered, outcome, undefined)
      : quarantineUndecoded(undecoded, this.settings);
  }

  /** A message that may have ended the process that read it before is read alone, and under tighter limits. */
  #read(delivered: DeliveredMessage): Awaitable<DeserializationOutcome> {
    const { isSubQueue, entityPath, pipeline, scheduler } = this.settings;
    // In a dead-letter queue the count is that of the queue before.
    return !isSubQueue && mayHaveEndedProcess(delivered, entityPath)
      ? readings.run("alone", scheduler, () => readBody(pipeline, delivered, tightened))
      : readings.run("among-others", scheduler, () => readBody(pipeline, delivered));
  }

  #settle(
    delivered: DeliveredMessage,
    outcome: Undeserializable,
    delivery: Delivery | undefined,
    action: UnreadableAction,
  ): Awaitable<IntakeResult> {
    const { settings } = this;
    if (delivery === undefined) return quarantineUndecoded({ delivered, outcome, delivery }, settings);
    const undecoded = { delivered, outcome, delivery };
    if (action === "deadLetter") return this.deadLetter(undecoded);
    return undeserializableEvent(undecoded, settings, action === "hold" ? "held" : "blocked");
  }

  /** Dead-letters a message that cannot be read. Never rejects. */
  async deadLetter(undecoded: Parameters<typeof deadLetterUndecoded>[0]): Promise<UndeserializableEvent> {
    const event = await deadLetterUndecoded(undecoded, this.settings);
    // If that failed, the lock must run out, so that the message comes again.
    this.renewal.forget(undecoded.delivery);
    return event;
  }
}

/** Whether a delivery ended in an event instead of a message. */
export function isUndeserializableEvent(result: IntakeResult): result is UndeserializableEvent {
  return "disposition" in result;
}
