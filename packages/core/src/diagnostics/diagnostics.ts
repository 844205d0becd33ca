import type { SettlementVerb } from "../contracts/settlement.js";
import type { LinkStall } from "../contracts/transport.js";
import type { ApplicationProperties, MessageId } from "../message/message.js";
import type { Origin } from "../message/origin.js";
import type { DeadLetterReason } from "../message/outcome.js";
import type { DeserializationReport } from "../message/report.js";
import type { UndeserializableDisposition } from "../message/undeserializable-event.js";

/**
 * Receives events of a client for logs, metrics and traces, without payload, application properties and keys. Both members are read for each
 * operation, so a getter can switch them on and off; while undefined, they cost nothing. Their errors are ignored.
 */
export interface Diagnostics {
  /** Called with each event, right after it happened. */
  readonly onEvent?: ((event: DiagnosticEvent) => void) | undefined;
  /** Begins a trace of an operation; undefined if it is not traced. `@waybill/opentelemetry` turns traces into spans. */
  readonly trace?: ((operation: TracedOperation) => OperationTrace | undefined) | undefined;
}

/**
 * An event of a client. `entityPath` is the queue, topic, subscription or sub-queue. `error` is the error of a failed operation, undefined
 * if it succeeded, `durationInMs` its duration in milliseconds.
 */
export type DiagnosticEvent =
  | SendEvent
  | ReceiveEvent
  | DeserializeEvent
  | ProcessEvent
  | SettleEvent
  | RenewLockEvent
  | UndeserializableMessageEvent
  | LinkStalledEvent;

/** An operation that begins. */
export type TracedOperation =
  | { readonly type: "create" | "process"; readonly entityPath: string; readonly message: MessageFacts }
  | {
      readonly type: "send" | "schedule" | "receive" | "receiveDeferred" | "peek";
      readonly entityPath: string;
      readonly messages: readonly MessageFacts[];
      /** When it began, in milliseconds since 1970; receiving is reported only when messages have arrived. */
      readonly startedAtMs: number;
    }
  | {
      readonly type: "settle";
      readonly entityPath: string;
      readonly message: MessageFacts;
      readonly verb: SettlementVerb;
    };

/** The trace of one operation. */
export interface OperationTrace {
  /** Runs the operation; a trace can make its context the current one here. */
  run<T>(work: () => T): T;
  /** Application properties to add to the message that is created, or to the single one that is sent. */
  readonly propertiesToAdd?: ApplicationProperties | undefined;
  /** Called with events during the operation. */
  onEvent?(event: DiagnosticEvent): void;
  /** Called when the operation has ended, with its error if it failed. */
  end(error?: unknown): void;
}

/** The reported properties of a message, without payload. */
export interface MessageFacts {
  /** The message's id. */
  readonly messageId: MessageId | undefined;
  /** For a reply, the id of its request. */
  readonly correlationId: MessageId | undefined;
  /** The message's `subject`. */
  readonly messageType: string | undefined;
  /** The content type, as on the wire. */
  readonly contentType: string | undefined;
  /** The session of the message. */
  readonly sessionId: string | undefined;
  /** The size of the encoded body in bytes; 0 for AMQP value and sequence sections. */
  readonly bodyBytes: number;
  /** Its W3C trace context: `traceparent`, else `Diagnostic-Id`. */
  readonly traceparent: string | undefined;
  /** The W3C `tracestate` that belongs to `traceparent`. */
  readonly tracestate: string | undefined;
  /** Set only for received messages, like the next two. */
  readonly sequenceNumber: bigint | undefined;
  /** How often the message was delivered before. */
  readonly deliveryCount: number | undefined;
  /** When the broker enqueued the message. */
  readonly enqueuedTimeUtc: Date | undefined;
}

/** Messages were sent or scheduled. */
export interface SendEvent {
  readonly type: "send" | "schedule";
  readonly entityPath: string;
  /** All messages of the transfer, in order. */
  readonly messages: readonly MessageFacts[];
  /** Without the time in which bodies were written. */
  readonly durationInMs: number;
  readonly error: unknown;
}

/** A call received or peeked messages; `messages` is empty when none arrived in time. */
export interface ReceiveEvent {
  readonly type: "receive" | "receiveDeferred" | "peek";
  readonly entityPath: string;
  readonly messages: readonly MessageFacts[];
  /** With the time spent waiting for messages. */
  readonly durationInMs: number;
  readonly error: unknown;
}

/** A body was read, or could not be; the report lists every attempt. */
export interface DeserializeEvent {
  readonly type: "deserialize";
  readonly entityPath: string;
  readonly message: MessageFacts;
  /** Whether the message was peeked. */
  readonly isPeeked: boolean;
  readonly outcome: "decoded" | "undeserializable" | "unavailable";
  /** Set when the outcome is `undeserializable`. */
  readonly deadLetterReason: DeadLetterReason | undefined;
  /**
   * What an undeserializable body looks like, or the envelope of another bus that a decoded, untyped body is because its label was lost, with
   * what would read it; undefined if nothing is noticed.
   */
  readonly looksLike: Origin | undefined;
  readonly report: DeserializationReport;
}

/** A handler has finished. */
export interface ProcessEvent {
  readonly type: "process";
  readonly entityPath: string;
  readonly message: MessageFacts;
  readonly durationInMs: number;
  readonly error: unknown;
}

/** A message was settled, or could not be. */
export interface SettleEvent {
  readonly type: "settle";
  readonly entityPath: string;
  readonly message: MessageFacts;
  readonly verb: SettlementVerb;
  /** The reason given when dead-lettering. */
  readonly deadLetterReason: string | undefined;
  readonly durationInMs: number;
  readonly error: unknown;
}

/** A message's lock was renewed, or could not be. */
export interface RenewLockEvent {
  readonly type: "renewLock";
  readonly entityPath: string;
  readonly message: MessageFacts;
  readonly durationInMs: number;
  readonly error: unknown;
}

/** What happened to a message whose body could not be read. */
export interface UndeserializableMessageEvent {
  readonly type: "undeserializable";
  readonly entityPath: string;
  readonly message: MessageFacts;
  /** What happened to the message. */
  readonly disposition: UndeserializableDisposition;
  /** The error of settling or quarantining it if that failed, else why its body could not be read. */
  readonly error: unknown;
}

/** A link had credit and messages were waiting, but none arrived; it was closed and is reopened. */
export interface LinkStalledEvent extends LinkStall {
  readonly type: "linkStalled";
}
