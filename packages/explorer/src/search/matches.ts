import type { DeserializationOutcome } from "@waybill/core";
import type { DeliveredMessage } from "@waybill/core/transport";
import { idText } from "../reads/message-row.js";
import { isContainer } from "../values/value-tree.js";
import { children, type JsonPath, parseJsonPath, valuesAt } from "./json-path.js";
import type { SearchCriteria } from "./search-criteria.js";

/** Whether a message meets the criteria. */
export type Matcher = (message: DeliveredMessage, outcome: DeserializationOutcome) => boolean;

/** Makes a matcher from criteria. */
export function matcher(criteria: SearchCriteria): Matcher {
  const { text, path, value, property, propertyValue, reason } = criteria;
  const parsed = path === undefined ? undefined : parseJsonPath(path);
  const tests: Matcher[] = [];
  if (text !== undefined) tests.push((message, outcome) => bodyHas(message, outcome, text.toLowerCase()));
  if (parsed !== undefined) tests.push((_, outcome) => pathHolds(outcome, parsed, value));
  if (property !== undefined) tests.push((message) => propertyHolds(message, property, propertyValue));
  if (reason !== undefined) tests.push((message, outcome) => hasReason(message, outcome, reason));
  return (message, outcome) => tests.every((test) => test(message, outcome));
}

function bodyHas(message: DeliveredMessage, outcome: DeserializationOutcome, text: string): boolean {
  if (outcome.status === "decoded") return valueHas(outcome.body, text);
  if (!(message.body instanceof Uint8Array)) return false;
  const { buffer, byteOffset, byteLength } = message.body;
  return Buffer.from(buffer, byteOffset, byteLength).toString("utf8").toLowerCase().includes(text);
}

function valueHas(value: unknown, text: string): boolean {
  const waiting: unknown[] = [value];
  for (let part = waiting.pop(); part !== undefined || waiting.length > 0; part = waiting.pop()) {
    if (isContainer(part)) {
      const keys = part instanceof Map ? [...part.keys()] : Array.isArray(part) ? [] : Object.keys(part);
      if (keys.some((key) => typeof key === "string" && key.toLowerCase().includes(text))) return true;
      for (const child of children(part)) waiting.push(child);
    } else if (leafText(part).toLowerCase().includes(text)) {
      return true;
    }
  }
  return false;
}

function pathHolds(outcome: DeserializationOutcome, path: JsonPath, value: string | undefined): boolean {
  if (outcome.status !== "decoded") return false;
  const found = valuesAt(outcome.body, path);
  return value === undefined ? found.length > 0 : found.some((part) => leafText(part) === value);
}

function propertyHolds(message: DeliveredMessage, name: string, value: string | undefined): boolean {
  const { applicationProperties, body: _, settlement: __, ...properties } = message;
  const own = Object.entries(properties).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1];
  const found = Object.hasOwn(applicationProperties, name) ? applicationProperties[name] : own;
  if (found === undefined) return false;
  return value === undefined || leafText(found) === value;
}

function hasReason(message: DeliveredMessage, outcome: DeserializationOutcome, reason: string): boolean {
  const reasons = [
    message.deadLetterReason,
    outcome.status === "undeserializable" ? outcome.reason : undefined,
    ...outcome.report.attempts.map((attempt) => attempt.reason),
  ];
  return reasons.some((each) => each?.toLowerCase() === reason.toLowerCase());
}

function leafText(value: unknown): string {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "invalid" : value.toISOString();
  if (value instanceof Uint8Array) return idText(value) ?? "";
  return typeof value === "object" && value !== null ? "" : String(value);
}
