import type { Origin } from "../message/origin.js";
import type { DeserializationOutcome } from "../message/outcome.js";
import { enclosingEnvelope } from "./enclosing-envelope.js";

/**
 * What the outcome of reading a body leaves to notice: what an unreadable body looks like, or the envelope of another bus that a decoded, untyped
 * body is because its label was lost. Undefined if there is nothing.
 */
export function looksLike(outcome: DeserializationOutcome): Origin | undefined {
  if (outcome.status === "undeserializable") return outcome.looksLike;
  const isUntyped = outcome.status === "decoded" && outcome.report.messageType === undefined;
  return isUntyped ? enclosingEnvelope(outcome.body) : undefined;
}
