import { parseMediaType } from "@waybill/core/serializer";
import { type DeadLetterKind, deadLetterKind, isSameKind } from "./dead-letter-kind.js";
import type { RepairCandidate, RepairOptions } from "./repair-options.js";

/** Which dead letters to select: every criterion given must match, each with any one of its values. */
export interface DeadLetterCriteria {
  /** Dead-letter reasons. */
  readonly reason?: readonly string[] | undefined;
  /** Message types or subjects. */
  readonly messageType?: readonly string[] | undefined;
  /** Versions in which the bodies travel. */
  readonly messageVersion?: readonly number[] | undefined;
  /** Serializers that read the bodies now, or content types without parameters. */
  readonly format?: readonly string[] | undefined;
  /** Only the dead letters of this group of a survey. */
  readonly kind?: DeadLetterKind | undefined;
  /** Sequence numbers in the dead-letter queue. */
  readonly number?: readonly bigint[] | undefined;
}

/** Makes a function that tells whether a dead letter meets the criteria. */
export function selectDeadLetters(criteria: DeadLetterCriteria): (candidate: RepairCandidate) => boolean {
  const { reason, messageType, messageVersion, format, number, kind } = criteria;
  return ({ message, outcome: { report } }) =>
    isOneOf(reason, [message.deadLetterReason]) &&
    isOneOf(messageType, [report.messageType, message.subject]) &&
    isOneOf(messageVersion, [report.messageVersion]) &&
    isOneOf(format, [
      report.serializer,
      message.contentType && parseMediaType(message.contentType)?.essence,
    ]) &&
    (number === undefined || setOf(number).has(message.sequenceNumber)) &&
    (kind === undefined || isSameKind(kind, deadLetterKind(message, report)));
}

/** Whether a repair is to send a candidate. */
export function isSelected(select: RepairOptions["select"], candidate: RepairCandidate): boolean {
  if (select === undefined) return true;
  return typeof select === "function" ? select(candidate) : selectDeadLetters(select)(candidate);
}

/** Made once for each list, which may be as long as the queue. */
const sets = new WeakMap<readonly bigint[], ReadonlySet<bigint>>();

function setOf(numbers: readonly bigint[]): ReadonlySet<bigint> {
  const known = sets.get(numbers);
  if (known !== undefined) return known;
  const made = new Set(numbers);
  sets.set(numbers, made);
  return made;
}

function isOneOf<T>(wanted: readonly T[] | undefined, values: readonly (T | undefined)[]): boolean {
  return wanted === undefined || values.some((value) => value !== undefined && wanted.includes(value));
}
