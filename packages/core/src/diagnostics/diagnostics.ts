import type { SettlementVerb } from "../contracts/settlement.js";
import type { LinkStall } from "../contracts/transport.js";
import type { ApplicationProperties, MessageId } from "../message/message.js";
import type { DeadLetterReason } from "../message/outcome.js";
import type { DeserializationReport } from "../message/report.js";
import type { UndeserializableDisposition } from "../message/undeserializable-event.js";

/**
 * What a client lets others see of its work: for logs, metrics and traces. No payload, no application property and no key is in what it
 * is notified. Both members are looked up for each operation, so a getter can switch them on and off; absent, they cost
 * nothing. What they throw is ignored.
 */
export interface Diagnostics {
  /** Is notified of what happened, right after it did. */
  readonly onEvent?: ((event: DiagnosticEvent) => void) | undefined;
  /** Begins to follow an operation; undefined when nobody is interested. `@waybill/opentelemetry` makes spans of it. */
  readonly trace?: ((operation: TracedOperation) => OperationTrace | undefined) | undefined;
}

/** What happened. `error` is what the operation failed with, `durationInMs` how long it took, in milliseconds. */
export type DiagnosticEvent =
  | SendEvent
  | ReceiveEvent
  | DeserializeEvent
  | ProcessEvent
  | SettleEvent
  | RenewLockEvent
  | UndeserializedEvent
  | LinkStalledEvent;

/** An operation that begins. */
export type TracedOperation =
  | { readonly type: "create" | "process"; readonly entityPath: string; readonly message: MessageFacts }
  | {
      readonly type: "send" | "schedule" | "receive" | "receiveDeferred" | "peek";
      readonly entityPath: string;
      readonly messages: readonly MessageFacts[];
      /** When it began, in milliseconds since 1970; receiving is reported when the messages are there. */
      readonly startedAtMs: number;
    }
  | {
      readonly type: "settle";
      readonly entityPath: string;
      readonly message: MessageFacts;
      readonly verb: SettlementVerb;
    };

/** Follows one operation until it ends. */
export interface OperationTrace {
  /** Runs what belongs to the operation; the place to make its context the current one. */
  run<T>(work: () => T): T;
  /** Application properties to add to the message that is created, or to the single one that is sent. */
  readonly propertiesToAdd?: ApplicationProperties | undefined;
  /** Is notified of what happens while the operation runs. */
  onEvent?(event: DiagnosticEvent): void;
  /** The operation has ended; with an error if it failed. */
  end(error?: unknown): void;
}

/** What may be reported of a message: names and numbers. */
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
  /** The size of the body as it travels, in bytes; 0 for AMQP value and sequence sections. */
  readonly bodyBytes: number;
  /** The W3C trace context it carries: `traceparent`, else `Diagnostic-Id`. */
  readonly traceparent: string | undefined;
  /** The W3C `tracestate` that belongs to `traceparent`. */
  readonly tracestate: string | undefined;
  /** Set for received messages only, as are the next two. */
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
  readonly messages: readonly MessageFacts[];
  readonly durationInMs: number;
  readonly error: unknown;
}

/** Messages were received or peeked by a call; `messages` is empty when none came in time. */
export interface ReceiveEvent {
  readonly type: "receive" | "receiveDeferred" | "peek";
  readonly entityPath: string;
  readonly messages: readonly MessageFacts[];
  readonly durationInMs: number;
  readonly error: unknown;
}

/** A body was read, or could not be; the report lists every attempt. */
export interface DeserializeEvent {
  readonly type: "deserialize";
  readonly entityPath: string;
  readonly message: MessageFacts;
  /** Whether the message was only looked at. */
  readonly isPeeked: boolean;
  readonly outcome: "decoded" | "undeserializable" | "unavailable";
  /** Set when the outcome is `undeserializable`. */
  readonly deadLetterReason: DeadLetterReason | undefined;
  readonly report: DeserializationReport;
}

/** A handler has ended. */
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
  /** As it was given with `deadLetter`. */
  readonly deadLetterReason: string | undefined;
  readonly durationInMs: number;
  readonly error: unknown;
}

/** A message's lock was extended, or could not be. */
export interface RenewLockEvent {
  readonly type: "renewLock";
  readonly entityPath: string;
  readonly message: MessageFacts;
  readonly durationInMs: number;
  readonly error: unknown;
}

/** What happened to a message whose body could not be read. */
export interface UndeserializedEvent {
  readonly type: "undeserializable";
  readonly entityPath: string;
  readonly message: MessageFacts;
  readonly disposition: UndeserializableDisposition;
  readonly error: unknown;
}

/** A link had credit, messages were waiting, and none came; it was torn down and is made again. */
export interface LinkStalledEvent extends LinkStall {
  readonly type: "linkStalled";
}
