import { bodySection } from "../body.js";
import { isPromise } from "../deserialization/attempt.js";
import type { DeserializationOutcome } from "../deserialization/outcome.js";
import type { Pipeline } from "../deserialization/pipeline.js";
import type { DeserializationReport } from "../deserialization/report.js";
import type { Observer } from "../diagnostics/observer.js";
import { WaybillError } from "../error.js";
import type { PeekedMessage, ReceivedMessage, UndecodedMessage } from "../message.js";
import type { Awaitable } from "../serializer.js";
import type { DeliveredMessage, TransportReceiver } from "../transport.js";
import { Delivery, type RenewalErrorHandler } from "./delivery.js";
import type { HealthMonitor } from "./health-monitor.js";
import { LockRenewal } from "./lock-renewal.js";
import { receivedMessage, undecodedMessage } from "./received-message.js";
import {
  deadLetterUndecoded,
  quarantineUndecoded,
  type UndecodedSettlement,
  undeserializableEvent,
} from "./settle-undecoded.js";
import type { UndeserializableEvent } from "./undeserializable-event.js";

/** What an intake works with. */
export interface IntakeSettings extends UndecodedSettlement {
  readonly receiver: TransportReceiver;
  readonly pipeline: Pipeline;
  /** Whether the messages lie in a dead-letter queue already: there, what cannot be read is handed over. */
  readonly isSubQueue: boolean;
  /** Whether the lock is the session's, which covers its messages: they have none to renew. */
  readonly isSession: boolean;
  /** Is told of every body that is read; undefined when nobody wants to know. */
  readonly observer: Observer | undefined;
  /** Notes deliveries and what becomes of their locks. */
  readonly health: HealthMonitor;
}

/** What is to become of a message that nobody can read, while it is locked: the last two leave it locked. */
export type Verdict = "deadLetter" | "hold" | "block";

/** Sees every body that is read or cannot be read, and decides about the latter. */
export interface Judge {
  onDecoded(delivered: DeliveredMessage, report: DeserializationReport): void;
  onUndeserializable(
    delivered: DeliveredMessage,
    report: DeserializationReport,
    delivery: Delivery | undefined,
  ): Verdict;
}

/** What became of a delivery: a message for the application, or the event that tells where it went instead. */
export type IntakeResult = ReceivedMessage | UndecodedMessage | UndeserializableEvent;

/**
 * The way in of one receiver: reads each delivery through the pipeline, keeps its lock, and settles what nobody can read. A delivery
 * comes out as a message or as an event; never as neither.
 */
export class Intake {
  readonly renewal: LockRenewal;
  readonly settings: IntakeSettings;

  constructor(settings: IntakeSettings) {
    this.settings = settings;
    this.renewal = new LockRenewal(settings.scheduler);
  }

  /** Takes charge of a delivery's lock. Undefined in receive-and-delete mode, where there is none. */
  open(
    delivered: DeliveredMessage,
    renewForMs: number,
    onRenewalError: RenewalErrorHandler,
  ): Delivery | undefined {
    const { health } = this.settings;
    health.delivered();
    if (delivered.settlement === undefined) return undefined;
    const delivery = new Delivery(this.settings.receiver, delivered, delivered.settlement);
    delivery.observer = this.settings.observer;
    delivery.health = health;
    this.#keepLock(delivery, renewForMs, onRenewalError);
    return delivery;
  }

  /**
   * Reads one delivery. Never throws or rejects. An event with `abandoned` leaves the abandoning, after the back-off, to the caller; one
   * with `held` or `blocked` leaves the message locked. Returns a value unless a serializer is asynchronous or the message has to be
   * settled.
   */
  read(
    delivered: DeliveredMessage,
    delivery: Delivery | undefined,
    judge: Judge | undefined,
  ): Awaitable<IntakeResult> {
    const outcome = this.#deserialize(delivered);
    return isPromise(outcome)
      ? outcome.then((settled) => this.#conclude(delivered, settled, delivery, judge))
      : this.#conclude(delivered, outcome, delivery, judge);
  }

  /** Reads a peeked message, marking what cannot be read. */
  readPeeked(delivered: DeliveredMessage): Awaitable<PeekedMessage> {
    const outcome = this.#deserialize(delivered);
    return isPromise(outcome)
      ? outcome.then((settled) => this.#peeked(delivered, settled))
      : this.#peeked(delivered, outcome);
  }

  #peeked(delivered: DeliveredMessage, outcome: DeserializationOutcome): PeekedMessage {
    this.settings.observer?.deserialized(this.settings.entityPath, delivered, outcome, true);
    return outcome.status === "decoded"
      ? receivedMessage(delivered, outcome, undefined)
      : undecodedMessage(delivered, outcome, undefined);
  }

  #keepLock(delivery: Delivery, renewForMs: number, onRenewalError: RenewalErrorHandler): void {
    if (this.settings.isSession) return;
    delivery.onRenewalError = onRenewalError;
    delivery.renewal = this.renewal;
    this.renewal.track(delivery, renewForMs);
  }

  #conclude(
    delivered: DeliveredMessage,
    outcome: DeserializationOutcome,
    delivery: Delivery | undefined,
    judge: Judge | undefined,
  ): Awaitable<IntakeResult> {
    this.settings.observer?.deserialized(this.settings.entityPath, delivered, outcome, false);
    if (outcome.status === "decoded") {
      judge?.onDecoded(delivered, outcome.report);
      return receivedMessage(delivered, outcome, delivery);
    }
    const { isSubQueue } = this.settings;
    const isPoison = outcome.status === "undeserializable" && !isSubQueue;
    const verdict = isPoison ? judge?.onUndeserializable(delivered, outcome.report, delivery) : undefined;
    if (delivery === undefined) {
      return isSubQueue
        ? undecodedMessage(delivered, outcome, undefined)
        : quarantineUndecoded({ delivered, outcome, delivery }, this.settings);
    }
    if (outcome.status === "unavailable") {
      this.renewal.forget(delivery);
      return undeserializableEvent({ delivered, outcome, delivery }, this.settings, "abandoned");
    }
    if (isSubQueue) return undecodedMessage(delivered, outcome, delivery);
    if (verdict === "hold" || verdict === "block") {
      const disposition = verdict === "hold" ? "held" : "blocked";
      return undeserializableEvent({ delivered, outcome, delivery }, this.settings, disposition);
    }
    return this.#deadLetter(delivered, outcome, delivery);
  }

  async #deadLetter(
    delivered: DeliveredMessage,
    outcome: Parameters<typeof deadLetterUndecoded>[0]["outcome"],
    delivery: Delivery,
  ): Promise<UndeserializableEvent> {
    const event = await deadLetterUndecoded({ delivered, outcome, delivery }, this.settings);
    // If that failed, the lock must run out, so that the message comes again.
    this.renewal.forget(delivery);
    return event;
  }

  /** A pipeline of someone else's making that throws says nothing about the body: the message must not be lost for it. */
  #deserialize(delivered: DeliveredMessage): Awaitable<DeserializationOutcome> {
    try {
      const outcome = this.settings.pipeline.deserialize(delivered);
      return isPromise(outcome)
        ? (outcome as Promise<DeserializationOutcome>).catch((error: unknown) =>
            brokenPipeline(delivered, error),
          )
        : outcome;
    } catch (error) {
      return brokenPipeline(delivered, error);
    }
  }
}

/** Whether a delivery ended in an event instead of a message. */
export function isUndeserializableEvent(result: IntakeResult): result is UndeserializableEvent {
  return "disposition" in result;
}

function brokenPipeline(delivered: DeliveredMessage, error: unknown): DeserializationOutcome {
  const { body, contentType } = delivered;
  return {
    status: "unavailable",
    error: WaybillError.from(error),
    report: {
      serializer: undefined,
      position: -1,
      declared: undefined,
      contentType,
      messageType: undefined,
      messageVersion: undefined,
      upcastPath: [],
      section: bodySection(body),
      attempts: [],
      contentEncodings: [],
      claimCheck: undefined,
      encryptionKeyId: undefined,
      encryptionBinding: undefined,
      bytes: body instanceof Uint8Array ? body.length : 0,
      durationMs: 0,
    },
  };
}
