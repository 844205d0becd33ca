import type { Census } from "./census.js";

/** A census as JSON, with instants and 64-bit numbers as strings; {@link parseCensus} reads it back. */
export function formatCensus(census: Census): string {
  return JSON.stringify(census, exactText);
}

/** 64-bit numbers become strings: numbers of JSON would round them. */
export function exactText(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}

/** Reads a census that {@link formatCensus} or `waybill census --json` wrote; undefined when the text is something else. */
export function parseCensus(text: string): Census | undefined {
  let census: unknown;
  try {
    census = JSON.parse(text, revived);
  } catch {
    return undefined;
  }
  return isCensus(census) ? census : undefined;
}

/** Instants and 64-bit numbers are strings in JSON. */
export function revived(key: string, value: unknown): unknown {
  if (typeof value === "string" && /At$/.test(key)) return new Date(value);
  if (key === "examples" && Array.isArray(value)) return value.map((number) => BigInt(String(number)));
  return value;
}

function isCensus(value: unknown): value is Census {
  const census = value as Partial<Record<keyof Census, unknown>> | null;
  return (
    typeof census === "object" &&
    census !== null &&
    isInstant(census.startedAt) &&
    isInstant(census.finishedAt) &&
    typeof census.sampleRate === "number" &&
    (census.entities === undefined || isList(census.entities, isText)) &&
    isList(census.serializers, isText) &&
    isList(census.messageTypes, isMessageType) &&
    isList(census.places, isPlace) &&
    isList(census.groups, isGroup) &&
    isList(census.hidden, (hidden) => has(hidden, { entityPath: "string", kind: "string", count: "number" }))
  );
}

function isMessageType(type: unknown): boolean {
  if (!has(type, { name: "string" })) return false;
  const { aliases, versions } = type as Record<string, unknown>;
  return isList(aliases, isText) && isList(versions, (version) => typeof version === "number");
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}

function isPlace(place: unknown): boolean {
  if (!has(place, { entityPath: "string", peeked: "number", end: "string" })) return false;
  const { subQueue, requiresSession, counts } = place as Members;
  return (
    (subQueue === undefined || isText(subQueue)) &&
    (requiresSession === undefined || typeof requiresSession === "boolean") &&
    (counts === undefined || areCounts(counts))
  );
}

function areCounts(counts: unknown): boolean {
  if (!has(counts, { active: "number", scheduled: "number", deadLetter: "number" })) return false;
  return Object.values(counts as Members).every((count) => typeof count === "number");
}

function isGroup(group: unknown): boolean {
  const isComplete = has(group, {
    entityPath: "string",
    status: "string",
    state: "string",
    mediaType: "string",
    position: "number",
    count: "number",
    bytes: "number",
    isOwnRecord: "boolean",
  });
  if (!isComplete) return false;
  const { upcastPath, examples, ...others } = group as Members;
  const texts = ["subQueue", "messageType", "origin", "serializer", "declared", "reason"];
  return (
    isList(upcastPath, (version) => typeof version === "number") &&
    isList(examples, (number) => typeof number === "bigint") &&
    texts.every((name) => others[name] === undefined || isText(others[name])) &&
    (others.messageVersion === undefined || typeof others.messageVersion === "number") &&
    Object.entries(others).every(([name, value]) => !/At$/.test(name) || isInstant(value))
  );
}

type Members = Readonly<Record<string, unknown>>;

function has(value: unknown, types: Readonly<Record<string, string>>): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(types).every(([key, type]) => typeof (value as Members)[key] === type);
}

/** Whether a value is a list whose items all pass a check. */
export function isList(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isItem);
}

/** Whether a value is a valid date. */
export function isInstant(value: unknown): value is Date {
  return value instanceof Date && !Number.isNaN(value.getTime());
}
