import { printable } from "@waybill/foundation";
import type { WaybillError } from "../errors/error.js";
import type { ReasonCode, Stage } from "../errors/reason.js";
import { toFailure } from "../errors/to-failure.js";
import { decisiveAttempt, isFinal } from "../message/decisive-attempt.js";
import type { Origin } from "../message/origin.js";
import type { DeserializationOutcome } from "../message/outcome.js";
import type { DeserializationAttempt, DeserializationReport } from "../message/report.js";
import { originOf } from "../recognition/origin-of.js";
import type { ChainLink } from "./chain.js";
import type { Reading } from "./reading.js";
import { undeserializable } from "./undeserializable.js";

const tightenedNote =
  "That is less than usual: the message was delivered before, and neither settled nor given back.";

/** Records the failure of a stage or of a serializer. */
export function fail(reading: Reading, link: ChainLink | undefined, error: unknown): void {
  const failure = toFailure(error);
  if (failure.reason === "unavailable") reading.unavailable = failure;
  const { stage = "decode", reason = "serializer-fault" } = failure;
  const detail = printable(withLimits(reading, failure.text, failure.reason));
  push(reading, { ...attemptOf(link, stage, reason, detail), ...faultOf(failure) });
}

/** Records why a serializer, or none at all, was tried. */
export function note(
  reading: Reading,
  link: ChainLink | undefined,
  reason: ReasonCode,
  detail: string,
): void {
  push(reading, attemptOf(link, "select", reason, detail));
}

function attemptOf(
  link: ChainLink | undefined,
  stage: Stage,
  reason: ReasonCode,
  detail: string,
): DeserializationAttempt {
  return { serializer: link?.name, position: link?.position ?? -1, stage, reason, detail };
}

/** The outcome after a stage failed. */
export function refusedFor(reading: Reading, error: unknown): DeserializationOutcome {
  fail(reading, reading.link, error);
  reading.link = undefined;
  reading.isRefused = true;
  return conclude(reading);
}

/** The outcome after the last stage. */
export function conclude(reading: Reading): DeserializationOutcome {
  const report = completed(reading);
  if (!reading.isRefused) return { status: "decoded", body: reading.body, report };
  const { unavailable: error } = reading;
  if (error !== undefined) return { status: "unavailable", error, report };
  return undeserializable(report, looksLike(reading, report));
}

/** What a body looks like that no serializer recognised or could decode; undefined if another reason decided, or its serializer is in the chain. */
function looksLike(reading: Reading, report: DeserializationReport): Origin | undefined {
  const { bytes, chain, named, message } = reading;
  const stage = decisiveAttempt(report)?.stage;
  const isOfFormat = stage === undefined || stage === "select" || stage === "decode";
  if (bytes === undefined || named !== undefined || !isOfFormat || isFinal(report)) return undefined;
  const origin = originOf({ ...message, body: bytes });
  const isPresent = chain.links.some(({ serializer }) => serializer.name === origin?.serializer);
  return isPresent && origin?.sender === undefined ? undefined : origin;
}

function push({ report }: Reading, attempt: DeserializationAttempt): void {
  report.attempts = [...report.attempts, attempt];
}

/** Adds to the failure of a tightened limit why it was tightened. */
function withLimits({ options }: Reading, text: string, reason: ReasonCode | undefined): string {
  const isOfLimits = reason === "items-exceeded" || reason === "body-too-large";
  return options.isTightened && isOfLimits ? `${text} ${tightenedNote}` : text;
}

/** The redacted cause if code of the application threw; other causes are left out. */
function faultOf({ reason, cause }: WaybillError): Pick<DeserializationAttempt, "cause"> {
  const isFault = reason === "serializer-fault" || reason === "upcast-failed";
  return isFault && cause instanceof Error ? { cause } : {};
}

function completed(reading: Reading): DeserializationReport {
  const { report, link, known, named, asked, startedAt } = reading;
  if (link !== undefined) {
    report.serializer = link.name;
    report.position = link.position;
  }
  if (known !== undefined) {
    report.messageType = known.type.name;
    report.messageVersion = known.version.version;
  }
  if (named === undefined && asked !== reading.selection.link) report.assumed = asked?.name;
  if (startedAt !== undefined) report.durationInMs = performance.now() - startedAt;
  return report;
}
