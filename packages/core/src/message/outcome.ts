import type { WaybillError } from "../errors/error.js";
import type { DeserializationReport } from "./report.js";

/** The reasons under which waybill dead-letters what it cannot read (`deadLetterReason`). The set is closed. */
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

/** What became of a body. */
export type DeserializationOutcome = Decoded | Undeserializable | Unavailable;

/** The body was read. */
export interface Decoded {
  readonly status: "decoded";
  readonly body: unknown;
  readonly report: DeserializationReport;
}

/** Nobody could read the body: it is poison and belongs in the dead-letter queue. */
export interface Undeserializable {
  readonly status: "undeserializable";
  readonly reason: DeadLetterReason;
  /** Every attempt in one text of at most 4096 characters, without payload. */
  readonly description: string;
  readonly report: DeserializationReport;
}

/** Something needed to read the body could not be reached: says nothing about the body, try again later. */
export interface Unavailable {
  readonly status: "unavailable";
  readonly error: WaybillError;
  readonly report: DeserializationReport;
}
