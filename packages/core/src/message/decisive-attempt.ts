import type { ErrorDetails } from "../errors/error.js";
import type { ReasonCode, Stage } from "../errors/reason.js";
import type { DeadLetterReason } from "../message/outcome.js";
import type { DeserializationAttempt, DeserializationReport } from "../message/report.js";

/** Reasons that decide the dead-letter reason, whatever was tried before. */
export const finalReasons: { readonly [Reason in ReasonCode]?: DeadLetterReason } = Object.freeze({
  "message-type-missing": "UnknownMessageType",
  "message-type-unknown": "UnknownMessageType",
  "message-type-unhandled": "UnhandledMessageType",
  "message-version-malformed": "UnknownMessageVersion",
  "message-version-missing": "UnknownMessageVersion",
  "message-version-removed": "UnknownMessageVersion",
  "message-version-unknown": "UnknownMessageVersion",
  "upcast-failed": "UpcastFailed",
  "upcast-invalid": "UpcastFailed",
});

/** Whether the last attempt ended reading, whatever was tried before. */
export function isFinal({ attempts }: Pick<DeserializationReport, "attempts">): boolean {
  const last = attempts.at(-1);
  return last !== undefined && finalReasons[last.reason] !== undefined;
}

/** How much reaching a stage says about a body. */
const progressOf: Readonly<Record<Stage, number>> = {
  select: 1,
  fetch: 2,
  decrypt: 3,
  decompress: 4,
  decode: 5,
  validate: 6,
  upcast: 7,
};

/**
 * The attempt that explains why a body could not be read: one with a final reason, otherwise the one that reached the latest stage; of
 * several, that of the declared or assumed serializer, else the first. Undefined without attempts.
 */
export function decisiveAttempt(
  report: Pick<DeserializationReport, "attempts" | "declared" | "assumed">,
): DeserializationAttempt | undefined {
  let decisive: DeserializationAttempt | undefined;
  let maxWeight = -1;
  for (const attempt of report.attempts) {
    const weight = weightOf(attempt, report.declared ?? report.assumed);
    if (weight <= maxWeight) continue;
    decisive = attempt;
    maxWeight = weight;
  }
  return decisive;
}

function weightOf({ serializer, stage, reason }: DeserializationAttempt, named: string | undefined): number {
  if (reason === "unavailable" || finalReasons[reason] !== undefined) return Number.POSITIVE_INFINITY;
  // `not-recognized` says least, also from the declared serializer.
  const progress = reason === "not-recognized" ? 0 : progressOf[stage];
  return 2 * progress + (serializer === named ? 1 : 0);
}

/** The details of the decisive attempt for an error. */
export function attemptDetails(
  report: DeserializationReport,
): Pick<ErrorDetails, "format" | "stage" | "reason" | "cause"> {
  const attempt = decisiveAttempt(report);
  if (attempt === undefined) return {};
  const { serializer: format, stage, reason, cause } = attempt;
  return { format, stage, reason, cause };
}
