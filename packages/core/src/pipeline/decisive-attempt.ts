import type { ErrorDetails } from "../errors/error.js";
import type { ReasonCode, Stage } from "../errors/reason.js";
import type { DeadLetterReason } from "../message/outcome.js";
import type { DeserializationAttempt, DeserializationReport } from "../message/report.js";

/** Failures that say it all, whatever was tried before them. */
export const finalReasons: { readonly [Reason in ReasonCode]?: DeadLetterReason } = Object.freeze({
  "message-type-missing": "UnknownMessageType",
  "message-type-unknown": "UnknownMessageType",
  "message-type-unhandled": "UnhandledMessageType",
  "message-version-malformed": "UnknownMessageVersion",
  "message-version-unknown": "UnknownMessageVersion",
  "upcast-failed": "UpcastFailed",
  "upcast-invalid": "UpcastFailed",
});

/** From what says least of a body to what says most. */
const stages: readonly Stage[] = ["select", "fetch", "decrypt", "decompress", "decode", "validate", "upcast"];

/**
 * The attempt that tells why a body could not be read: one that ended it all, otherwise the one that got furthest; of several, that of the
 * serializer that the content type names or a policy assumes, else the first. Undefined without attempts.
 */
export function decisiveAttempt(
  report: Pick<DeserializationReport, "attempts" | "declared" | "assumed">,
): DeserializationAttempt | undefined {
  let decisive: DeserializationAttempt | undefined;
  let most = -1;
  for (const attempt of report.attempts) {
    const weight = weightOf(attempt, report.declared ?? report.assumed);
    if (weight <= most) continue;
    decisive = attempt;
    most = weight;
  }
  return decisive;
}

function weightOf({ serializer, stage, reason }: DeserializationAttempt, named: string | undefined): number {
  if (reason === "unavailable" || finalReasons[reason] !== undefined) return Number.POSITIVE_INFINITY;
  // That the bytes are not its own says least, whichever serializer says it.
  const progress = reason === "not-recognized" ? 0 : stages.indexOf(stage) + 1;
  return 2 * progress + (serializer === named ? 1 : 0);
}

/** What an error says of the attempt that tells why. */
export function attemptDetails(
  report: DeserializationReport,
): Pick<ErrorDetails, "format" | "stage" | "reason" | "cause"> {
  const attempt = decisiveAttempt(report);
  if (attempt === undefined) return {};
  const { serializer, stage, reason, cause } = attempt;
  return { ...(serializer === undefined ? {} : { format: serializer }), stage, reason, cause };
}
