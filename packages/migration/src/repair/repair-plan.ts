import type { SubQueue } from "@waybill/core/transport";
import type { DeadLetterKind } from "./dead-letter-kind.js";
import { type DeadLetterQueue, deadLetterAddress } from "./dead-letter-queue.js";
import { type RepairOptions, type RepairTarget, targetOf } from "./repair-options.js";
import type { DeadLetterCriteria } from "./select-dead-letters.js";

/**
 * What a repair was started to do. It is kept with the receipts, so that a resumed repair sends the same messages to the same place in the same
 * way. Its members are options of `repairDeadLetters`.
 */
export interface RepairPlan {
  readonly from: DeadLetterQueue & { readonly subQueue: SubQueue };
  readonly to: RepairTarget;
  readonly body: "as-is" | "transcode";
  /** Undefined for all dead letters, or if a function selects them, which receipts cannot hold. */
  readonly select: DeadLetterCriteria | undefined;
  readonly includeUndeserializable: boolean;
  readonly targetDetectsDuplicates: boolean;
  readonly maxResubmits: number;
  /** Undefined for no limit. */
  readonly maxPerSecond: number | undefined;
  /** How many messages in all, before and after interruptions. Undefined for no limit. */
  readonly limit: number | undefined;
}

/** The plan of a repair, with every default filled in. */
export function planOf(options: RepairOptions): RepairPlan {
  const { select } = options;
  return {
    from: deadLetterAddress(options.from),
    to: targetOf(options),
    body: options.body ?? "as-is",
    select: typeof select === "function" ? undefined : select,
    includeUndeserializable: options.includeUndeserializable === true,
    targetDetectsDuplicates: options.targetDetectsDuplicates === true,
    maxResubmits: options.maxResubmits ?? 3,
    maxPerSecond: options.maxPerSecond,
    limit: options.limit,
  };
}

/** The names of the options in which two plans differ. Names of entities are compared without regard to case. */
export function differencesOf(one: RepairPlan, two: RepairPlan): string[] {
  return planNames.filter((name) => canonical(name, one[name]) !== canonical(name, two[name]));
}

const planNames = Object.freeze([
  "from",
  "to",
  "body",
  "select",
  "includeUndeserializable",
  "targetDetectsDuplicates",
  "maxResubmits",
  "maxPerSecond",
  "limit",
] as const satisfies readonly (keyof RepairPlan)[]);

function canonical(name: string, value: unknown): string {
  const text = JSON.stringify(plain(value)) ?? "";
  return name === "from" || name === "to" ? text.toLowerCase() : text;
}

/** The plan as a value for JSON. Sequence numbers become strings. */
export function formatPlan(plan: RepairPlan): unknown {
  return plain(plan);
}

/** With names in one order, without absent members. */
function plain(value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  const members = value as Readonly<Record<string, unknown>>;
  const names = Object.keys(members).filter((name) => members[name] !== undefined);
  return Object.fromEntries(names.sort().map((name) => [name, plain(members[name])]));
}

/** Reads what {@link formatPlan} wrote; undefined for anything else. */
export function parsePlan(value: unknown): RepairPlan | undefined {
  const plan = membersOf(value);
  const from = addressOf(plan?.from);
  const to = targetAt(plan?.to);
  const select = criteriaOf(plan?.select);
  if (plan === undefined || from === undefined || to === undefined) return undefined;
  if (plan.select !== undefined && select === undefined) return undefined;
  const { body, maxResubmits, maxPerSecond, limit } = plan;
  if ((body !== "as-is" && body !== "transcode") || !isCount(maxResubmits)) return undefined;
  if (![maxPerSecond, limit].every((count) => count === undefined || isCount(count))) return undefined;
  return {
    from,
    to,
    body,
    select,
    includeUndeserializable: plan.includeUndeserializable === true,
    targetDetectsDuplicates: plan.targetDetectsDuplicates === true,
    maxResubmits,
    maxPerSecond: maxPerSecond as number | undefined,
    limit: limit as number | undefined,
  };
}

type Members = Readonly<Record<string, unknown>>;

function membersOf(value: unknown): Members | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Members)
    : undefined;
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && value > 0;
}

function addressOf(value: unknown): RepairPlan["from"] | undefined {
  const { queue, topic, subscription, subQueue } = membersOf(value) ?? {};
  if (subQueue !== "deadLetter" && subQueue !== "transferDeadLetter") return undefined;
  if (typeof queue === "string") return { queue, subQueue };
  const isSubscription = typeof topic === "string" && typeof subscription === "string";
  return isSubscription ? { topic, subscription, subQueue } : undefined;
}

function targetAt(value: unknown): RepairTarget | undefined {
  const { queue, topic, subscription } = membersOf(value) ?? {};
  if (typeof queue === "string") return { queue };
  if (typeof topic !== "string") return undefined;
  return typeof subscription === "string" ? { topic, subscription } : { topic };
}

/** A list that cannot be read makes the whole plan unreadable: without it more messages would be selected. */
function criteriaOf(value: unknown): DeadLetterCriteria | undefined {
  const given = membersOf(value);
  if (given === undefined || !areCriteria(given)) return undefined;
  const { number, ...criteria } = given;
  return number === undefined ? criteria : { ...criteria, number: number.map(BigInt) };
}

/** Criteria as JSON has them. */
type WrittenCriteria = Omit<DeadLetterCriteria, "number"> & { readonly number?: readonly string[] };

function areCriteria(given: Members): given is Members & WrittenCriteria {
  const { reason, messageType, messageVersion, format, number, kind } = given;
  return (
    [reason, messageType, format].every((list) => isListOf(list, "string")) &&
    isListOf(messageVersion, "number") &&
    (number === undefined || (Array.isArray(number) && number.every(isSequenceNumber))) &&
    (kind === undefined || isKind(kind))
  );
}

function isListOf(value: unknown, type: "string" | "number"): boolean {
  return value === undefined || (Array.isArray(value) && value.every((item) => typeof item === type));
}

function isSequenceNumber(value: unknown): value is string {
  return typeof value === "string" && /^\d{1,20}$/.test(value);
}

function isKind(value: unknown): value is DeadLetterKind {
  const { deadLetterReason, mediaType, messageType, messageVersion } = membersOf(value) ?? {};
  const isText = (text: unknown) => text === undefined || typeof text === "string";
  const isVersion = messageVersion === undefined || typeof messageVersion === "number";
  return typeof mediaType === "string" && isText(deadLetterReason) && isText(messageType) && isVersion;
}
