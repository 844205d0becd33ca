import type { ReasonCode, Stage } from "../errors/reason.js";
import type { BodySection } from "./body.js";

/** One failed attempt to read a body. */
export interface DeserializationAttempt {
  /** The serializer's name; undefined when the attempt ended before one was chosen. */
  readonly serializer: string | undefined;
  /** 0 for the main serializer, 1… for the additional deserializers in their order; -1 when none was chosen. */
  readonly position: number;
  readonly stage: Stage;
  readonly reason: ReasonCode;
  /** What was wrong and where, without payload. */
  readonly detail: string;
  /**
   * The unexpected error of a serializer or upcaster (`serializer-fault`, `upcast-failed`): its class and stack without its message, which
   * may quote the payload. Not part of dead-letter records.
   */
  readonly cause?: Error | undefined;
}

/** How a body was read, or why it could not be. Every received message has one. */
export interface DeserializationReport {
  /** The serializer that read the body; undefined when none did, or the body needed none. */
  readonly serializer: string | undefined;
  /** Its position: 0 for the main serializer, 1… for the additional deserializers; -1 when none read the body. */
  readonly position: number;
  /** The serializer that the content type names, if it names one. */
  readonly declared: string | undefined;
  /** The serializer whose format a policy assumed, because the content type names none: it was tried first, as if declared. */
  readonly assumed?: string | undefined;
  /** Whether the message has no body: its `body` is `undefined`, and no serializer was called. */
  readonly isEmpty?: boolean | undefined;
  /** The content type as received. */
  readonly contentType: string | undefined;
  /** The AMQP section of the body; value and sequence sections are already decoded and need no serializer. */
  readonly section: BodySection;
  /** The message type as which the body was read; undefined for an untyped message. */
  readonly messageType: string | undefined;
  /** The version of the body as received; undefined for an untyped message. */
  readonly messageVersion: number | undefined;
  /** The versions it was converted through, from the received one to the current one; empty when it was current. */
  readonly upcastPath: readonly number[];
  /** The failed attempts, in order. Empty when the first attempt succeeded. */
  readonly attempts: readonly DeserializationAttempt[];
  /** The content encodings undone before decoding, outermost first. */
  readonly contentEncodings: readonly string[];
  /** The key of the body in the claim-check store, if it is there. */
  readonly claimCheck: string | undefined;
  /** The id of the key that the body is encrypted with, if it is. */
  readonly encryptionKeyId: string | undefined;
  /** The size of the encoded body in bytes; 0 for value and sequence sections. */
  readonly bytes: number;
  /**
   * How long reading took, in milliseconds, including waiting for stores and registries. Measured for clients with `diagnostics`, and for
   * calls of a pipeline with `isTimed`; otherwise undefined.
   */
  readonly durationInMs?: number | undefined;
}
