import type { DeadLetterReason, Undeserializable } from "./outcome.js";
import type { ReasonCode } from "./reason.js";
import type { DeserializationAttempt, DeserializationReport } from "./report.js";

/** The service cuts off or refuses longer dead-letter descriptions. Source: Service Bus quotas. */
const maxDescriptionLength = 4096;

/** Longer details are cut: a description must have room for every attempt. */
const maxDetailLength = 300;

/** The outcome for a body that nobody could read: a reason from the closed set and every attempt in one text. */
export function undeserializable(report: DeserializationReport): Undeserializable {
  return {
    status: "undeserializable",
    reason: deadLetterReason(report),
    description: describe(report),
    report,
  };
}

/** Failures that say it all, whatever was tried before them. */
const finalReasons: { readonly [Reason in ReasonCode]?: DeadLetterReason } = {
  "message-type-missing": "UnknownMessageType",
  "message-type-unknown": "UnknownMessageType",
  "message-type-unhandled": "UnhandledMessageType",
  "message-version-malformed": "UnknownMessageVersion",
  "message-version-unknown": "UnknownMessageVersion",
  "upcast-failed": "UpcastFailed",
  "upcast-invalid": "UpcastFailed",
};

/** What the serializer that got furthest said: a body that decodes and breaks its schema is known better than by its label. */
function deadLetterReason({ attempts, declared }: DeserializationReport): DeadLetterReason {
  const last = attempts.at(-1);
  const final = last && finalReasons[last.reason];
  if (final !== undefined) return final;
  const reached = new Set(attempts.map(({ stage }) => stage));
  if (reached.has("validate")) return "ValidationFailed";
  if (reached.has("decode")) return "DeserializationFailed";
  if (reached.has("decompress")) return "DecompressionFailed";
  if (reached.has("decrypt")) return "DecryptionFailed";
  if (reached.has("fetch")) return "ClaimCheckFailed";
  const isRefusedByDeclared = attempts.some(
    ({ serializer, reason }) => serializer === declared && reason !== "not-recognized",
  );
  return declared !== undefined && isRefusedByDeclared ? "DeserializationFailed" : "NoDeserializer";
}

function describe(report: DeserializationReport): string {
  const label =
    report.contentType === undefined ? "no content type" : `content type "${cut(report.contentType, 128)}"`;
  const body =
    report.messageType === undefined
      ? "the body"
      : `the body of "${report.messageType}" version ${report.messageVersion}`;
  const last = report.attempts.at(-1);
  const isFinal = last !== undefined && finalReasons[last.reason] !== undefined;
  const lines = [
    `${isFinal ? "Refused" : "No deserializer could read"} ${body} (${report.bytes} bytes, ${label}).`,
    ...report.attempts.map(line),
  ];
  return cut(lines.join("\n"), maxDescriptionLength);
}

function line({ serializer, position, stage, reason, detail }: DeserializationAttempt): string {
  const who = serializer === undefined ? "" : `${serializer} [${position}] `;
  return `${who}${stage}: ${reason}: ${cut(detail, maxDetailLength)}`;
}

function cut(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - 1)}…`;
}
