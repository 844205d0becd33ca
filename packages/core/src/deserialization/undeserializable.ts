import type { DeadLetterReason, Undeserializable } from "./outcome.js";
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

/** What the serializer that got furthest said: a body that decodes and breaks its schema is known better than by its label. */
function deadLetterReason({ attempts, declared }: DeserializationReport): DeadLetterReason {
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
  const lines = [
    `No deserializer could read the body (${report.bytes} bytes, ${label}).`,
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
