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

/** What the serializer that came closest said: the declared one's word counts, then that of the first that tried. */
function deadLetterReason({ attempts, declared }: DeserializationReport): DeadLetterReason {
  const closest =
    attempts.find((attempt) => attempt.serializer === declared && declared !== undefined) ??
    attempts.find((attempt) => attempt.stage !== "select");
  switch (closest?.stage) {
    case undefined:
    case "select":
      return closest?.serializer === undefined ? "NoDeserializer" : "DeserializationFailed";
    case "decompress":
      return "DecompressionFailed";
    case "decode":
      return "DeserializationFailed";
    case "validate":
      return "ValidationFailed";
  }
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
