import type { DeserializationOutcome } from "@waybill/core";
import type { DeliveredMessage } from "@waybill/core/transport";
import { type JsonPath, parseJsonPath, valuesAt } from "./json-path.js";
import { leafText, messageTexts, reasonTexts } from "./message-texts.js";
import { expressionIn, type Needle, needle } from "./needle.js";
import type { SearchCriteria } from "./search-criteria.js";

/** Whether a message meets the criteria. */
export type Matcher = (message: DeliveredMessage, outcome: DeserializationOutcome) => boolean;

/** How values are compared. */
export interface MatcherOptions {
  /** `"part"` finds a value, a property or a reason by a part of its text; `"whole"` only by all of it. Default: `"part"`. */
  readonly compare?: "part" | "whole" | undefined;
}

/** Makes a matcher from criteria. */
export function matcher(criteria: SearchCriteria, { compare = "part" }: MatcherOptions = {}): Matcher {
  const { text, path, value, property, propertyValue, reason } = criteria;
  const tests: Matcher[] = [];
  if (text !== undefined) {
    const isWanted = needle(text);
    tests.push((message, outcome) => messageTexts(message, outcome).some(isWanted));
  }
  if (path !== undefined) {
    const parsed = parseJsonPath(path);
    const isWanted = value === undefined ? undefined : leafTest(value, compare);
    tests.push((_, outcome) => pathHolds(outcome, parsed, isWanted));
  }
  if (property !== undefined) {
    const isWanted = propertyValue === undefined ? undefined : leafTest(propertyValue, compare);
    tests.push((message) => propertyHolds(message, property, isWanted));
  }
  if (reason !== undefined) {
    const isWanted = compare === "part" ? needle(reason) : isEqual(reason);
    tests.push((message, outcome) => reasonTexts(message, outcome).some(isWanted));
  }
  return (message, outcome) => tests.every((test) => test(message, outcome));
}

type LeafTest = (value: unknown) => boolean;

/** A part of a string or of bytes, or a regular expression; numbers, instants and other leaves only as a whole, since 7 is no part of 17. */
function leafTest(wanted: string, compare: "part" | "whole"): LeafTest {
  const isExpression = expressionIn(wanted) !== undefined;
  const isFound = needle(wanted);
  return (value) => {
    const text = leafText(value);
    if (text === wanted) return true;
    const hasParts = typeof value === "string" || value instanceof Uint8Array;
    return (isExpression || (compare === "part" && hasParts)) && isFound(text);
  };
}

function isEqual(text: string): Needle {
  const wanted = text.toLowerCase();
  return (each) => each.toLowerCase() === wanted;
}

function pathHolds(outcome: DeserializationOutcome, path: JsonPath, isWanted: LeafTest | undefined): boolean {
  if (outcome.status !== "decoded") return false;
  const found = valuesAt(outcome.body, path);
  return isWanted === undefined ? found.length > 0 : found.some(isWanted);
}

function propertyHolds(message: DeliveredMessage, name: string, isWanted: LeafTest | undefined): boolean {
  const { applicationProperties, body: _, settlement: __, ...properties } = message;
  const own = Object.entries(properties).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1];
  const found = Object.hasOwn(applicationProperties, name) ? applicationProperties[name] : own;
  if (found === undefined) return false;
  return isWanted === undefined || isWanted(found);
}
