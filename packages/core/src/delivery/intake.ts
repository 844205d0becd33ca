import type { Awaitable } from "../contracts/serializer.js";
import type {
  CallOptions,
  DeliveredMessage,
  TransportPeekOptions,
  TransportReceiveOptions,
  TransportReceiver,
} from "../contracts/transport.js";
import type { ReceiveEvent } from "../diagnostics/diagnostics.js";
import type { HealthMonitor } from "../diagnostics/health-monitor.js";
import type { Observer } from "../diagnostics/observer.js";
import { afterwards, isPromise } from "../foundation/is-promise.js";
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
import { mayHaveCrashedProcess, rememberRead } from "./redelivery.js";
import {
  deadLetterUndecoded,
  quarantineUndecoded,
  type UndecodedSettlement,
  undeserializableEvent,
} from "./settle-undecoded.js";

/** Shared by all clients, because they share the memory of the process. */
const readings = new ReadingGate();

const tightened: DeserializeCallOptions = Object.freeze({ limits: "tightened" });

/** Dependencies of an intake. */
export interface IntakeSettings extends UndecodedSettlement {
  readonly receiver: TransportReceiver;
  readonly pipeline: Pipeline;
  /** Whether it receives from a dead-letter queue: undeserializable messages are handed over there. */
  readonly isSubQueue: boolean;
  /** Whether the session's lock covers the messages, so that none of their own is renewed. */
  readonly isSession: boolean;
  /** Reports every read body; undefined without diagnostics. */
  readonly observer: Observer | undefined;
  /** Counts deliveries and lost locks. */
  readonly health: HealthMonitor;
}

/** What to do with an undeserializable message; `"hold"` and `"block"` leave it locked. */
export type IntakeAction = "deadLetter" | "hold" | "block";

/** Is notified of every outcome, and decides what to do with undeserializable messages. */
export interface IntakePolicy {
  /** The circuit breaker's counter of openings; passed to `onDecoded` as it was when reading began. */
  readonly openings: number;
  onDecoded(delivered: DeliveredMessage, report: DeserializationReport, openings: number): void;
  onUndeserializable(delivered: DeliveredMessage, report: DeserializationReport): Awaitable<IntakeAction>;
}

/** What a delivery became: a message for the application, or the event that says what happened to it instead. */
export type IntakeResult = ReceivedMessage | UndecodedMessage | UndeserializableEvent;

/**
 * Takes the deliveries of one receiver: deserializes each, renews its lock, and settles it if it is undeserializable. Each delivery results
 * in a message or an event.
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

  /** Receives as the transport does, and reports the call; so do the next two. */
  receive(options: TransportReceiveOptions): Promise<DeliveredMessage[]> {
    return this.#observed("receive", () => this.settings.receiver.receive(options));
  }

  receiveDeferred(sequenceNumbers: readonly bigint[], options?: CallOptions): Promise<DeliveredMessage[]> {
    return this.#observed("receiveDeferred", () =>
      this.settings.receiver.receiveDeferred(sequenceNumbers, options),
    );
  }

  peek(options: TransportPeekOptions): Promise<DeliveredMessage[]> {
    return this.#observed("peek", () => this.settings.receiver.peek(options));
  }

  #observed(
    type: ReceiveEvent["type"],
    work: () => Promise<DeliveredMessage[]>,
  ): Promise<DeliveredMessage[]> {
    const { observer, entityPath } = this.settings;
    return observer?.isOn ? observer.receive(type, entityPath, work) : work();
  }

  /** Starts to renew the lock of a delivery. Undefined in receive-and-delete mode, where there is no lock. */
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
   * Reads one delivery. Never throws or rejects. After `held` or `blocked` the message is still locked; after `abandoned` the caller has to
   * abandon it. Returns a promise only if a serializer is asynchronous, the policy has to peek, or the message has to be settled.
   */
  read(
    delivered: DeliveredMessage,
    delivery: Delivery | undefined,
    policy: IntakePolicy | undefined,
  ): Awaitable<IntakeResult> {
    const openings = policy?.openings ?? 0;
    const outcome = this.#read(delivered);
    return isPromise(outcome)
      ? outcome.then((settled) => this.#conclude(delivered, settled, delivery, policy, openings))
      : this.#conclude(delivered, outcome, delivery, policy, openings);
  }

  /** Reads a peeked message; one that cannot be read is handed over with its `failure`. */
  readPeeked(delivered: DeliveredMessage): Awaitable<PeekedMessage> {
    const { pipeline, observer, entityPath } = this.settings;
    return afterwards(readBody(pipeline, delivered), (outcome): PeekedMessage => {
      observer?.deserialized(entityPath, delivered, outcome, true);
      return outcome.status === "decoded"
        ? receivedMessage(delivered, outcome, undefined)
        : undecodedMessage(delivered, outcome, undefined);
    });
  }

  #conclude(
    delivered: DeliveredMessage,
    outcome: DeserializationOutcome,
    delivery: Delivery | undefined,
    policy: IntakePolicy | undefined,
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
    const action = policy?.onUndeserializable(delivered, outcome.report) ?? "deadLetter";
    return afterwards(action, (decided) => this.#settle(delivered, outcome, delivery, decided));
  }

  /**
   * The message stays locked until it can be read. One of a newer version is abandoned, so that another instance receives it.
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

  /** A message that may have crashed the process which read it before is read alone and with lower limits. */
  #read(delivered: DeliveredMessage): Awaitable<DeserializationOutcome> {
    const { isSubQueue, entityPath, pipeline, scheduler } = this.settings;
    // In a dead-letter queue the delivery count is that of the original queue.
    return !isSubQueue && mayHaveCrashedProcess(delivered, entityPath)
      ? readings.run("alone", scheduler, () => readBody(pipeline, delivered, tightened))
      : readings.run("among-others", scheduler, () => readBody(pipeline, delivered));
  }

  #settle(
    delivered: DeliveredMessage,
    outcome: Undeserializable,
    delivery: Delivery | undefined,
    action: IntakeAction,
  ): Awaitable<IntakeResult> {
    const { settings } = this;
    if (delivery === undefined) return quarantineUndecoded({ delivered, outcome, delivery }, settings);
    const undecoded = { delivered, outcome, delivery };
    if (action === "deadLetter") return this.deadLetter(undecoded);
    return undeserializableEvent(undecoded, settings, action === "hold" ? "held" : "blocked");
  }

  /** Dead-letters an undeserializable message. Never rejects. */
  async deadLetter(undecoded: Parameters<typeof deadLetterUndecoded>[0]): Promise<UndeserializableEvent> {
    const event = await deadLetterUndecoded(undecoded, this.settings);
    // If that failed, the lock must expire, so that the message is delivered again.
    this.renewal.forget(undecoded.delivery);
    return event;
  }
}

/** Whether a delivery ended in an event instead of a message. */
export function isUndeserializableEvent(result: IntakeResult): result is UndeserializableEvent {
  return "disposition" in result;
}
