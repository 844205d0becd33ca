import type { ReasonCode, Stage } from "../errors/reason.js";
import type { BodySection } from "./body.js";

/** One failed attempt to read a body. */
export interface DeserializationAttempt {
  /** The serializer's name, or undefined when the attempt ended before one was chosen. */
  readonly serializer: string | undefined;
  /** 0 for the main serializer, 1… for the additional deserializers in their order; -1 when none was chosen. */
  readonly position: number;
  readonly stage: Stage;
  readonly reason: ReasonCode;
  /** What was wrong and where, without payload. */
  readonly detail: string;
  /**
   * Where a serializer or an upcaster threw what it should not (`serializer-fault`, `upcast-failed`): the kind of its error and its stack, without
   * its text, which may quote the payload. Not kept in dead-letter records.
   */
  readonly cause?: Error | undefined;
}

/** How a body was read, or why it could not be. Every received message carries one. */
export interface DeserializationReport {
  /** The serializer that read the body; undefined when none did, or the body needed none. */
  readonly serializer: string | undefined;
  /** The winner's position: 0 for the main serializer, 1… for the additional deserializers; -1 when none read the body. */
  readonly position: number;
  /** The serializer that the content type names, if it names one. */
  readonly declared: string | undefined;
  /** The serializer whose format a policy assumed, because the content type names none: it had the first attempt, as if declared. */
  readonly assumed?: string | undefined;
  /** Whether the message has no body: its `body` is `undefined`, and no serializer was asked. */
  readonly isEmpty?: boolean | undefined;
  /** The content type as it arrived. */
  readonly contentType: string | undefined;
  /** The AMQP section; bodies in value and sequence sections arrive decoded and pass no serializer. */
  readonly section: BodySection;
  /** The message type as which the body was read; undefined for an untyped one. */
  readonly messageType: string | undefined;
  /** The version in which the body travelled; undefined for an untyped one. */
  readonly messageVersion: number | undefined;
  /** The versions it was taken through, from the one it travelled in to the current one; empty when there was nothing to do. */
  readonly upcastPath: readonly number[];
  /** What failed before, in order. Empty when the first attempt succeeded. */
  readonly attempts: readonly DeserializationAttempt[];
  /** The content encodings undone before decoding, outermost first. */
  readonly contentEncodings: readonly string[];
  /** The key under which the body lies in the claim-check store, if it travelled so. */
  readonly claimCheck: string | undefined;
  /** The id of the key that the body is encrypted under, if it is. */
  readonly encryptionKeyId: string | undefined;
  /**
   * Whether an encrypted body is bound to all that decides how it is read: `"partial"` for one of an earlier release, whose message version
   * somebody on the way may have changed. Undefined when it is not encrypted.
   */
  readonly encryptionBinding: "full" | "partial" | undefined;
  /** The size of the body as it travelled, in bytes; 0 for value and sequence sections. */
  readonly bytes: number;
  /** How long reading took, in milliseconds. */
  readonly durationInMs: number;
}
