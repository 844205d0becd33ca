import { refusal } from "../errors/broker-error.js";
import { propertyLimits } from "../messages/check-message.js";
import type { ApplicationProperties } from "../messages/message.js";
import { sizeOfApplicationProperties } from "../messages/message-size.js";
import { isStorable } from "../messages/storable-value.js";
import { correlationFields } from "./correlation-filter.js";
import type { RuleDefinition } from "./rule.js";

const ruleFields = ["name", "filter", "action"];
const textFields = ["expression", "parameters"];
/** The allowed fields of a filter of each type, besides its type. */
const filterFields: Readonly<Record<string, readonly string[]>> = Object.freeze({
  sql: textFields,
  correlation: [...correlationFields, "properties"],
  true: [],
  false: [],
});

/**
 * Throws `argument-error` for an invalid rule, which untyped callers may pass; the text names the rule, the subscription and the property.
 * The syntax of texts is checked by the compiler.
 */
export function checkRule(definition: RuleDefinition, path: string): void {
  const fault = faultOf(definition);
  if (fault === undefined) return;
  const name = typeof definition?.name === "string" ? `Rule '${definition.name.slice(0, 50)}'` : "A rule";
  throw refusal(path, "argument-error", `${name} of '${path}': ${fault}.`);
}

function faultOf(definition: unknown): string | undefined {
  if (!isObject(definition)) return "it has to be an object with a name and a filter";
  const { name, filter, action } = definition;
  if (typeof name !== "string") return "name has to be a string";
  if (!isObject(filter)) return "filter has to be an object with a type";
  const fault = unknownField(definition, "", ruleFields) ?? faultOfFilter(filter) ?? faultOfAction(action);
  return fault ?? (isStorable(definition) ? undefined : "it holds a value that cannot be copied");
}

function faultOfFilter(filter: Record<string, unknown>): string | undefined {
  const known = filterFields[String(filter.type)];
  const unknown = known && unknownField(filter, "filter.", ["type", ...known]);
  if (unknown !== undefined) return unknown;
  switch (filter.type) {
    case "sql":
      return faultOfText(filter, "filter");
    case "correlation":
      return (
        faultOfConditions(filter) ?? faultOfMap(filter.properties, "filter.properties") ?? faultOfSize(filter)
      );
    case "true":
    case "false":
      return undefined;
    default:
      return 'filter.type has to be "sql", "correlation", "true" or "false"';
  }
}

/** The size of a correlation filter's conditions with their names, in bytes. */
export function sizeOfConditions(filter: object): number {
  const { properties = {}, ...fields } = filter as Record<string, unknown>;
  const own = properties instanceof Map ? Object.fromEntries(properties) : properties;
  return (
    sizeOfApplicationProperties({ ...(own as ApplicationProperties) }) +
    sizeOfApplicationProperties(fields as ApplicationProperties)
  );
}

function faultOfSize(filter: object): string | undefined {
  const bytes = sizeOfConditions(filter);
  const { totalBytes } = propertyLimits;
  return bytes <= totalBytes
    ? undefined
    : `a correlation filter has at most ${totalBytes} bytes, and this one has ${bytes}`;
}

function faultOfAction(action: unknown): string | undefined {
  if (action === undefined) return undefined;
  const unknown = isObject(action) ? unknownField(action, "action.", textFields) : undefined;
  return unknown ?? faultOfText(action, "action");
}

/** A misspelt field would be ignored, and the rule would match messages that it should not. */
function unknownField(
  value: Record<string, unknown>,
  at: string,
  known: readonly string[],
): string | undefined {
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown === undefined) return undefined;
  return `${at}${unknown.slice(0, 50)} is unknown, expected ${known.map((name) => at + name).join(", ")}`;
}

function faultOfConditions(filter: Record<string, unknown>): string | undefined {
  const isNone = (value: unknown): boolean => value === undefined || value === null;
  const wrong = correlationFields.find((name) => !isNone(filter[name]) && typeof filter[name] !== "string");
  return wrong === undefined ? undefined : `filter.${wrong} has to be a string`;
}

function faultOfText(text: unknown, at: string): string | undefined {
  if (!isObject(text) || typeof text.expression !== "string") return `${at}.expression has to be a string`;
  return faultOfMap(text.parameters, `${at}.parameters`);
}

function faultOfMap(map: unknown, at: string): string | undefined {
  return map === undefined || isObject(map) ? undefined : `${at} has to be an object`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
