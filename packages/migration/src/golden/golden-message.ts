import type { EncodedMessage } from "@waybill/core";
import type { PortableValue } from "./portable-value.js";

/** A message as it once was on the wire, and what the chain of that time made of it. */
export interface GoldenMessage {
  /** `order-placed.v1.json.3f2a91c0`: type, version, serializer and a digest of its shape; the name of its file. */
  readonly name: string;
  /** The body as it travelled, with what helps to read it. */
  readonly message: GoldenParts;
  /** Whether texts, numbers, dates and bytes were replaced. */
  readonly isRedacted: boolean;
  readonly expected: GoldenExpectation;
}

/** The parts of a message that decide how it is read. */
export interface GoldenParts
  extends Pick<EncodedMessage, "contentType" | "subject" | "applicationProperties"> {
  readonly body: Uint8Array;
}

/** What shall stay as it is. */
export interface GoldenExpectation {
  /** The serializer that reads it. */
  readonly serializer: string;
  /** Undefined for an untyped message. */
  readonly messageType: string | undefined;
  /** The version that it travelled in. */
  readonly messageVersion: number | undefined;
  /** The version that `value` is of: the current one when it was captured. */
  readonly valueVersion: number | undefined;
  /** The value that handlers got. */
  readonly value: PortableValue;
  /** The serializers that would take the body without its content type. */
  readonly acceptedBy: readonly string[];
}
