import {
  defaultQueueOptions,
  defaultSubscriptionOptions,
  defaultTopicOptions,
  type QueueOptions,
} from "@waybill/broker";
import { parseIsoDuration } from "@waybill/foundation";
import { readAuthorizationRules } from "./authorization-rules.js";
import { ConfigNode } from "./config-node.js";

/** The kind of an entity. */
export type EntityKind = "queue" | "topic" | "subscription";

/** The properties of an entity, by the broker's names. */
export type EntityProperties = Readonly<Record<string, unknown>>;

const defaults: Readonly<Record<EntityKind, object>> = {
  queue: defaultQueueOptions,
  topic: defaultTopicOptions,
  subscription: defaultSubscriptionOptions,
};

/** The defaults of the official emulator. Source: its configuration schema. */
const defaultsOfEmulator: Pick<
  Required<QueueOptions>,
  "defaultMessageTimeToLiveMs" | "duplicateDetectionHistoryTimeWindowMs" | "maxDeliveryCount"
> = {
  defaultMessageTimeToLiveMs: 3_600_000,
  duplicateDetectionHistoryTimeWindowMs: 20_000,
  maxDeliveryCount: 3,
};

/** The minimum of Service Bus and of the broker; the emulator allows less. */
const minDuplicateWindowMs = 20_000;

/** How the properties of an entity are read. */
export interface PropertyRules {
  readonly emulatorDefaults: boolean;
  /** Reports what is worth knowing but is not an error. */
  readonly warn: (text: string) => void;
}

/** Reads the `Properties` of an entity. Throws `TypeError` for an unknown one, or a value of another type. */
export function readProperties(
  kind: EntityKind,
  properties: ConfigNode | undefined,
  { emulatorDefaults, warn }: PropertyRules,
): EntityProperties {
  const known = new Map(optionNames(kind).map((option) => [toKey(option).toLowerCase(), option]));
  const read: Record<string, unknown> = {};
  if (emulatorDefaults) {
    for (const [option, value] of Object.entries(defaultsOfEmulator))
      if ([...known.values()].includes(option)) read[option] = value;
  }
  properties?.withKeys(...Array.from(known.values(), toKey));
  for (const [key, node] of properties?.entries() ?? []) {
    const option = known.get(key.toLowerCase());
    if (option !== undefined && node.value !== null && node.value !== "")
      read[option] = readValue(kind, option, node, warn);
  }
  return read;
}

/**
 * The properties of `Name=value` texts of a command line; an empty value is undefined, which removes a property. Throws `TypeError` as for a file.
 */
export function propertiesFromTexts(
  kind: EntityKind,
  texts: readonly string[],
  warn: PropertyRules["warn"],
): EntityProperties {
  const options = new Map(optionNames(kind).map((option) => [toKey(option).toLowerCase(), option]));
  const values: Record<string, unknown> = {};
  const removed: Record<string, undefined> = {};
  for (const text of texts) {
    const [, key = text, value = ""] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
    const option = options.get(key.toLowerCase()) ?? "";
    values[key] = isText(kind, option) ? value : scalarOf(value);
    if (value !== "") continue;
    if (!isText(kind, option) && option !== "") throw new TypeError(`--set: ${key} needs a value.`);
    removed[option] = undefined;
  }
  const node = new ConfigNode("--set", "", values);
  return { ...readProperties(kind, node, { emulatorDefaults: false, warn }), ...removed };
}

function isText(kind: EntityKind, option: string): boolean {
  const { [option]: usual = "" } = defaults[kind] as Readonly<Record<string, unknown>>;
  return typeof usual === "string";
}

function scalarOf(text: string): string | number | boolean {
  if (/^(?:true|false)$/i.test(text)) return text.toLowerCase() === "true";
  return /^-?\d+$/.test(text) ? Number(text) : text;
}

function readValue(kind: EntityKind, option: string, node: ConfigNode, warn: PropertyRules["warn"]): unknown {
  if (option === "authorizationRules") return readAuthorizationRules(node);
  if (option.endsWith("Ms")) return readDuration(option, node, warn);
  const { [option]: usual = "" } = defaults[kind] as Readonly<Record<string, unknown>>;
  if (typeof node.value === typeof usual) return node.value;
  if (typeof usual === "string") throw node.mustBe("text");
  const quoted = typeof node.value === "string" ? ", without quotes" : "";
  throw node.mustBe(`${typeof usual === "number" ? "a number" : "true or false"}${quoted}`);
}

function readDuration(option: string, node: ConfigNode, warn: PropertyRules["warn"]): number {
  const ms = typeof node.value === "string" ? parseIsoDuration(node.value.toUpperCase()) : undefined;
  if (ms === undefined || ms < 0) throw node.mustBe("an ISO 8601 duration such as PT1M");
  if (option !== "duplicateDetectionHistoryTimeWindowMs" || ms >= minDuplicateWindowMs) return ms;
  warn(`${node.path} is below the minimum of Service Bus: it becomes 20 seconds.`);
  return minDuplicateWindowMs;
}

/** The broker's names of the properties of a kind. */
export function optionNames(kind: EntityKind): string[] {
  return Object.keys(defaults[kind]);
}

/** `lockDurationMs` is `LockDuration` in a file. */
export function toKey(option: string): string {
  return `${option.charAt(0).toUpperCase()}${option.slice(1).replace(/Ms$/, "")}`;
}
