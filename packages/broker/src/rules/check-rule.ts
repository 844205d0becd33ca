import { BrokerError } from "../broker-error.js";
import { APPLICATION_PROPERTIES_LIMIT } from "../messages/check-message.js";
import type { ApplicationProperties } from "../messages/message.js";
import { sizeOfApplicationProperties } from "../messages/message-size.js";
import { isStorable } from "../messages/storable-value.js";
import type { RuleDefinition } from "./rule.js";

/**
 * Refuses what is no rule, as callers without types may give it, with an `argument-error` that names the rule, the subscription and the
 * property at fault. Whether the texts keep to their grammar is the compiler's to say.
 */
export function checkRule(definition: RuleDefinition, path: string): void {
  const fault = faultOf(definition);
  if (fault === undefined) return;
  const name = typeof definition?.name === "string" ? `Rule '${definition.name.slice(0, 50)}'` : "A rule";
  throw new BrokerError("argument-error", `${name} of '${path}': ${fault}.`, { entity: path });
}

function faultOf(definition: unknown): string | undefined {
  if (!isObject(definition)) return "it has to be an object with a name and a filter";
  const { name, filter, action } = definition;
  if (typeof name !== "string") return "name has to be a string";
  if (!isObject(filter)) return "filter has to be an object with a type";
  const fault = faultOfFilter(filter) ?? (action === undefined ? undefined : faultOfText(action, "action"));
  return fault ?? (isStorable(definition) ? undefined : "it holds a value that cannot be copied");
}

function faultOfFilter(filter: Record<string, unknown>): string | undefined {
  switch (filter.type) {
    case "sql":
      return faultOfText(filter, "filter");
    case "correlation":
      return faultOfMap(filter.properties, "filter.properties") ?? faultOfSize(filter);
    case "true":
    case "false":
      return undefined;
    default:
      return 'filter.type has to be "sql", "correlation", "true" or "false"';
  }
}

function faultOfSize({ properties = {}, ...fields }: Record<string, unknown>): string | undefined {
  const own = properties instanceof Map ? Object.fromEntries(properties) : properties;
  const bytes =
    sizeOfApplicationProperties({ ...(own as ApplicationProperties) }) +
    sizeOfApplicationProperties(fields as ApplicationProperties);
  return bytes <= APPLICATION_PROPERTIES_LIMIT
    ? undefined
    : `a correlation filter has at most ${APPLICATION_PROPERTIES_LIMIT} bytes, and this one has ${bytes}`;
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
