import { cut, quoted } from "@waybill/foundation";
import type { Stage } from "../errors/reason.js";
import { decisiveAttempt, finalReasons, isFinal } from "../message/decisive-attempt.js";
import type { Origin } from "../message/origin.js";
import type { DeadLetterReason, Undeserializable } from "../message/outcome.js";
import type { DeserializationAttempt, DeserializationReport } from "../message/report.js";
import { originText } from "../recognition/origin-of.js";

/** The service truncates or refuses longer dead-letter descriptions. Source: Service Bus quotas. */
const maxDescriptionLength = 4096;

/** Longer details are truncated, because a description must have room for every attempt. */
const maxDetailLength = 300;

/** The outcome for an undeserializable body: a reason from the closed set, and a description of every attempt. */
export function undeserializable(report: DeserializationReport, looksLike?: Origin): Undeserializable {
  return {
    status: "undeserializable",
    reason: deadLetterReason(report),
    description: describe(report, looksLike),
    looksLike,
    report,
  };
}

/** The reasons by the stage that the decisive attempt reached. */
const reasonsByStage: Readonly<Record<Stage, DeadLetterReason | undefined>> = {
  // The reason depends on the serializer; see `deadLetterReason`.
  select: undefined,
  fetch: "ClaimCheckFailed",
  decrypt: "DecryptionFailed",
  decompress: "DecompressionFailed",
  decode: "DeserializationFailed",
  validate: "ValidationFailed",
  upcast: "UpcastFailed",
};

/**
 * Decided by the attempt that got furthest, unless one ended with a final reason: a body that decodes but breaks its schema is more telling than
 * its content type.
 */
function deadLetterReason(report: DeserializationReport): DeadLetterReason {
  const attempt = decisiveAttempt(report);
  if (attempt === undefined) return "NoDeserializer";
  const { serializer, stage, reason } = attempt;
  const known = finalReasons[reason] ?? reasonsByStage[stage];
  if (known !== undefined) return known;
  const isNamed = serializer === report.declared || serializer === report.assumed;
  const isRefusedByNamed = serializer !== undefined && isNamed && reason !== "not-recognized";
  return isRefusedByNamed ? "DeserializationFailed" : "NoDeserializer";
}

function describe(report: DeserializationReport, looksLike: Origin | undefined): string {
  const label =
    report.contentType === undefined ? "no content type" : `content type ${quoted(report.contentType)}`;
  const assumption = report.assumed === undefined ? "" : `, assumed to be ${report.assumed}`;
  const body =
    report.messageType === undefined
      ? "the body"
      : `the body of ${quoted(report.messageType)} version ${report.messageVersion}`;
  const lines = [
    `${isFinal(report) ? "Refused" : "No deserializer could read"} ${body} (${report.bytes} bytes, ${label}${assumption}).`,
    ...(looksLike === undefined ? [] : [originText(looksLike)]),
    ...report.attempts.map(line),
  ];
  return cut(lines.join("\n"), maxDescriptionLength);
}

function line({ serializer, position, stage, reason, detail }: DeserializationAttempt): string {
  const who = serializer === undefined ? "" : `${serializer} [${position}] `;
  return `${who}${stage}: ${reason}: ${cut(detail, maxDetailLength)}`;
}
