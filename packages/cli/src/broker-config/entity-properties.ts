import {
  DEFAULT_QUEUE_OPTIONS,
  DEFAULT_SUBSCRIPTION_OPTIONS,
  DEFAULT_TOPIC_OPTIONS,
  type QueueOptions,
} from "@waybill/broker";
import { nearestName } from "@waybill/core/serializer";
import type { ConfigNode } from "./config-node.js";
import { parseIsoDuration } from "./iso-duration.js";

/** What an entity is. */
export type EntityKind = "queue" | "topic" | "subscription";

/** The properties of an entity, in the broker's names. */
export type EntityProperties = Readonly<Record<string, unknown>>;

const DEFAULTS: Readonly<Record<EntityKind, object>> = {
  queue: DEFAULT_QUEUE_OPTIONS,
  topic: DEFAULT_TOPIC_OPTIONS,
  subscription: DEFAULT_SUBSCRIPTION_OPTIONS,
};

/** What the official emulator takes where its file says nothing. Source: its configuration schema. */
const EMULATOR_DEFAULTS: Pick<
  Required<QueueOptions>,
  "defaultMessageTimeToLiveMs" | "duplicateDetectionHistoryTimeWindowMs" | "maxDeliveryCount"
> = {
  defaultMessageTimeToLiveMs: 3_600_000,
  duplicateDetectionHistoryTimeWindowMs: 20_000,
  maxDeliveryCount: 3,
};

/** The emulator goes lower than the service, and than the broker. */
const MIN_DUPLICATE_WINDOW_MS = 20_000;

/** How the values of an entity's properties are read. */
export interface PropertyRules {
  readonly emulatorDefaults: boolean;
  /** What is worth knowing, and no reason to stop. */
  readonly warn: (text: string) => void;
}

/** Reads the `Properties` of an entity; those that its kind does not have mean nothing. */
export function readProperties(
  kind: EntityKind,
  properties: ConfigNode | undefined,
  { emulatorDefaults, warn }: PropertyRules,
): EntityProperties {
  const known = new Map(optionNames(kind).map((option) => [toKey(option).toLowerCase(), option]));
  const read: Record<string, unknown> = {};
  if (emulatorDefaults) {
    for (const [option, value] of Object.entries(EMULATOR_DEFAULTS))
      if ([...known.values()].includes(option)) read[option] = value;
  }
  for (const [key, node] of properties?.entries() ?? []) {
    const option = known.get(key.toLowerCase());
    if (option === undefined)
      warn(`${node.path} is not known, and means nothing${nearestKey(key, known.values())}`);
    else if (node.value !== null && node.value !== "") read[option] = readValue(option, node, warn);
  }
  return read;
}

function nearestKey(key: string, options: Iterable<string>): string {
  const nearest = nearestName(key, Array.from(options, toKey));
  return nearest === undefined ? "." : `; did you mean ${nearest}?`;
}

function readValue(option: string, node: ConfigNode, warn: PropertyRules["warn"]): unknown {
  if (!option.endsWith("Ms")) return node.value;
  const ms = typeof node.value === "string" ? parseIsoDuration(node.value) : undefined;
  if (ms === undefined) throw node.mustBe("an ISO 8601 duration such as PT1M");
  if (option !== "duplicateDetectionHistoryTimeWindowMs" || ms >= MIN_DUPLICATE_WINDOW_MS) return ms;
  warn(`${node.path} is below what the service takes: it becomes 20 seconds.`);
  return MIN_DUPLICATE_WINDOW_MS;
}

/** The names under which a kind's properties stand in the broker. */
export function optionNames(kind: EntityKind): string[] {
  return Object.keys(DEFAULTS[kind]);
}

/** `lockDurationMs` is `LockDuration` in a file. */
function toKey(option: string): string {
  return `${option.charAt(0).toUpperCase()}${option.slice(1).replace(/Ms$/, "")}`;
}
