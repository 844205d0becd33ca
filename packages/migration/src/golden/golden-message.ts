import type { EncodedMessage } from "@waybill/core";
import type { PortableValue } from "./portable-value.js";

/** A message as it once was on the wire, and how the chain of that time read it. */
export interface GoldenMessage {
  /** `order-placed.v1.json.3f2a91c0`: type, version, serializer and a digest of its shape; the name of its file. */
  readonly name: string;
  /** The body as it was on the wire, with the properties that decide how it is read. */
  readonly message: GoldenParts;
  /** Whether texts, numbers, dates and bytes were replaced. */
  readonly isRedacted: boolean;
  readonly expected: GoldenExpectation;
}

/** The parts of a message that decide how it is read. */
export interface GoldenParts
  extends Pick<EncodedMessage, "contentType" | "contentEncoding" | "subject" | "applicationProperties"> {
  readonly body: Uint8Array;
}

/** What must not change. */
export interface GoldenExpectation {
  /** The serializer that reads it. */
  readonly serializer: string;
  /** Undefined for an untyped message. */
  readonly messageType: string | undefined;
  /** The version of the body on the wire. */
  readonly messageVersion: number | undefined;
  /** The version of `value`: the current one when it was captured. */
  readonly valueVersion: number | undefined;
  /** The value that handlers received. */
  readonly value: PortableValue;
  /** The serializers that would accept the body without its content type. */
  readonly acceptedBy: readonly string[];
}
