import type { WaybillError } from "../errors/error.js";
import type { Origin } from "./origin.js";
import type { DeserializationReport } from "./report.js";

/** The values of `deadLetterReason` with which waybill dead-letters undeserializable messages. The set is closed. */
export const deadLetterReasons = Object.freeze([
  "ClaimCheckFailed",
  "DecryptionFailed",
  "NoDeserializer",
  "DecompressionFailed",
  "DeserializationFailed",
  "ValidationFailed",
  "UpcastFailed",
  "UnknownMessageType",
  "UnknownMessageVersion",
  "UnhandledMessageType",
] as const);

/** One of the closed set of dead-letter reasons; see {@link deadLetterReasons}. */
export type DeadLetterReason = (typeof deadLetterReasons)[number];

/** The result of reading a body. */
export type DeserializationOutcome = Decoded | Undeserializable | Unavailable;

/** The body was read. */
export interface Decoded {
  readonly status: "decoded";
  /** The value for the handler; undefined for a message without a body. */
  readonly body: unknown;
  readonly report: DeserializationReport;
}

/** No deserializer could read the body: the message belongs in the dead-letter queue. */
export interface Undeserializable {
  readonly status: "undeserializable";
  readonly reason: DeadLetterReason;
  /** All attempts in one text of at most 4096 characters, without payload. */
  readonly description: string;
  /** What the body looks like, and what would read it; undefined if the reason explains enough, or it looks like nothing known. */
  readonly looksLike?: Origin | undefined;
  readonly report: DeserializationReport;
}

/** A dependency needed to read the body was unavailable: it can be read again later. */
export interface Unavailable {
  readonly status: "unavailable";
  readonly error: WaybillError;
  readonly report: DeserializationReport;
}
