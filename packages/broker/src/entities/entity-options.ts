import { nameSuggestion } from "@waybill/foundation";
import { refusal } from "../errors/broker-error.js";
import { type AuthorizationRule, areAuthorizationRules, copyRules } from "./authorization-rule.js";
import { partitions } from "./partitions.js";
import { checkTierLimits, type Tier, tierRange, withTierDefaults } from "./tier.js";

/** The status of an entity, in the service's terms. */
export type EntityStatus = "Active" | "Disabled" | "SendDisabled" | "ReceiveDisabled";

interface EntityOptions {
  /** Default `"Active"`. */
  readonly status?: EntityStatus;
  /** Free text of at most 1024 characters; default none. */
  readonly userMetadata?: string | undefined;
  /** Deletes the entity after this time without use; at least 5 minutes, default `Infinity`: never. */
  readonly autoDeleteOnIdleMs?: number;
  /** Default and maximum time to live of a message; at least 1 s, default `Infinity`. */
  readonly defaultMessageTimeToLiveMs?: number;
  /** Stored and returned only; the engine always batches. Default true. */
  readonly enableBatchedOperations?: boolean;
}

interface SendingOptions {
  /**
   * The quota for all messages together; 1 to 81920, default 1024. That of a partitioned entity is 16 times the given value, as its
   * description shows.
   */
  readonly maxSizeInMegabytes?: number;
  /** The maximum size of a message; 1 to 102400, in the premium tier at least 1024; default 1024. */
  readonly maxMessageSizeInKilobytes?: number;
  /** Drops a message whose id was seen within the history window. Fixed at creation; default false. */
  readonly requiresDuplicateDetection?: boolean;
  /** 20 s to 7 days, default 10 minutes. */
  readonly duplicateDetectionHistoryTimeWindowMs?: number;
  /** Distributes messages over 16 partitions by their key. Fixed at creation; default false. */
  readonly enablePartitioning?: boolean;
  /** Stored and returned only; default false. */
  readonly enableExpress?: boolean;
  /** Shared access policies whose keys open this entity only; at most 12, default none. */
  readonly authorizationRules?: readonly AuthorizationRule[];
}

interface ReceivingOptions {
  /** How long a message or session is locked without renewal; 5 s to 5 minutes, default 1 minute. */
  readonly lockDurationMs?: number;
  /** After this many failed deliveries a message is dead-lettered; 1 to 2147483647, default 10. */
  readonly maxDeliveryCount?: number;
  /** Whether every message belongs to a session. Fixed at creation; default false. */
  readonly requiresSession?: boolean;
  /** Dead-letters expired messages instead of deleting them; default false. */
  readonly deadLetteringOnMessageExpiration?: boolean;
  /** Path of a queue or topic to which all messages are forwarded; default none. */
  readonly forwardTo?: string | undefined;
  /** Path of a queue or topic to which dead-lettered messages are forwarded; default none. */
  readonly forwardDeadLetteredMessagesTo?: string | undefined;
}

/** The properties of a queue, named as in the management API. Durations are in ms. */
export interface QueueOptions extends EntityOptions, SendingOptions, ReceivingOptions {}

/** The properties of a topic, named as in the management API. Durations are in ms. */
export interface TopicOptions extends EntityOptions, SendingOptions {
  /** Stored and returned only; the engine always keeps order. Default true, for a partitioned topic false. */
  readonly supportOrdering?: boolean;
}

/** The properties of a subscription, named as in the management API. Durations are in ms. */
export interface SubscriptionOptions extends EntityOptions, ReceivingOptions {
  /** Dead-letters a message when a filter fails to evaluate it; default true. */
  readonly deadLetteringOnFilterEvaluationExceptions?: boolean;
}

/** Properties without a default. */
type Optional = "userMetadata" | "forwardTo" | "forwardDeadLetteredMessagesTo";
type Resolved<Options> = {
  readonly [Name in keyof Options]-?: Name extends Optional ? string | undefined : Options[Name];
};
/** A queue's properties with every default filled in. */
export type ResolvedQueueOptions = Resolved<QueueOptions>;
/** A topic's properties with every default filled in. */
export type ResolvedTopicOptions = Resolved<TopicOptions>;
/** A subscription's properties with every default filled in. */
export type ResolvedSubscriptionOptions = Resolved<SubscriptionOptions>;

interface OptionRule {
  readonly default: unknown;
  readonly isFixed?: true;
  readonly accepts: (value: unknown) => boolean;
  readonly expected: string;
  /** Of numbers and durations. */
  readonly range?: readonly [least: number, most: number];
}
type OptionRules<Options> = Readonly<Record<keyof Options, OptionRule>>;

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const dayMs = 24 * 60 * minuteMs;
const statuses: readonly unknown[] = ["Active", "Disabled", "SendDisabled", "ReceiveDisabled"];
const nameLimit = 260;
const metadataLimit = 1024;
/** The largest quota that can be asked for a partition; larger values are those of all partitions together. */
const partitionMegabytes = 5120;

const flag = (byDefault: boolean): OptionRule => ({
  default: byDefault,
  accepts: (value) => typeof value === "boolean",
  expected: "true or false",
});
const fixedFlag: OptionRule = { ...flag(false), isFixed: true };
const whole = (byDefault: number, from: number, to: number): OptionRule => ({
  default: byDefault,
  accepts: (value) => Number.isInteger(value) && (value as number) >= from && (value as number) <= to,
  expected: `an integer from ${from} to ${to}`,
  range: [from, to],
});
const duration = (byDefaultMs: number, fromMs: number, toMs: number): OptionRule => ({
  default: byDefaultMs,
  accepts: (value) => typeof value === "number" && value >= fromMs && value <= toMs,
  expected: toMs === Number.POSITIVE_INFINITY ? `at least ${fromMs} ms` : `${fromMs} to ${toMs} ms`,
  range: [fromMs, toMs],
});
const forward: OptionRule = {
  default: undefined,
  accepts: (value) =>
    value === undefined || (typeof value === "string" && value.length > 0 && value.length <= nameLimit),
  expected: "the path of a queue or topic",
};

const entityRules: OptionRules<EntityOptions> = {
  status: { default: "Active", accepts: (value) => statuses.includes(value), expected: statuses.join(", ") },
  userMetadata: {
    default: undefined,
    accepts: (value) => value === undefined || (typeof value === "string" && value.length <= metadataLimit),
    expected: `text of at most ${metadataLimit} characters`,
  },
  autoDeleteOnIdleMs: duration(Number.POSITIVE_INFINITY, 5 * minuteMs, Number.POSITIVE_INFINITY),
  defaultMessageTimeToLiveMs: duration(Number.POSITIVE_INFINITY, secondMs, Number.POSITIVE_INFINITY),
  enableBatchedOperations: flag(true),
};
const sendingRules: OptionRules<SendingOptions> = {
  maxSizeInMegabytes: whole(1024, 1, 81920),
  maxMessageSizeInKilobytes: whole(1024, 1, 102400),
  requiresDuplicateDetection: fixedFlag,
  duplicateDetectionHistoryTimeWindowMs: duration(10 * minuteMs, 20 * secondMs, 7 * dayMs),
  enablePartitioning: fixedFlag,
  enableExpress: flag(false),
  authorizationRules: {
    default: Object.freeze([]),
    accepts: areAuthorizationRules,
    expected: "at most 12 rules with unique names, rights and two keys each",
  },
};
const receivingRules: OptionRules<ReceivingOptions> = {
  lockDurationMs: duration(minuteMs, 5 * secondMs, 5 * minuteMs),
  maxDeliveryCount: whole(10, 1, 2147483647),
  requiresSession: fixedFlag,
  deadLetteringOnMessageExpiration: flag(false),
  forwardTo: forward,
  forwardDeadLetteredMessagesTo: forward,
};

/** The only table of entity properties: default, range and whether fixed at creation. */
const optionRules = {
  queue: { ...entityRules, ...sendingRules, ...receivingRules } satisfies OptionRules<QueueOptions>,
  topic: {
    ...{ ...entityRules, ...sendingRules },
    supportOrdering: flag(true),
  } satisfies OptionRules<TopicOptions>,
  subscription: {
    ...{ ...entityRules, ...receivingRules },
    deadLetteringOnFilterEvaluationExceptions: flag(true),
  } satisfies OptionRules<SubscriptionOptions>,
};

/** Azure's defaults for a queue. */
export const defaultQueueOptions = defaults(optionRules.queue) as ResolvedQueueOptions;
/** Azure's defaults for a topic. */
export const defaultTopicOptions = defaults(optionRules.topic) as ResolvedTopicOptions;
/** Azure's defaults for a subscription. */
export const defaultSubscriptionOptions = defaults(optionRules.subscription) as ResolvedSubscriptionOptions;

interface ResolvedOptions {
  readonly queue: ResolvedQueueOptions;
  readonly topic: ResolvedTopicOptions;
  readonly subscription: ResolvedSubscriptionOptions;
}

/**
 * Checks an entity's properties and fills in defaults; with `current`, changes only the given ones. Throws `argument-error` for an unknown
 * name or a value out of range, `not-allowed` for a property fixed at creation or not offered by the tier.
 */
export function resolveOptions<Kind extends keyof ResolvedOptions>(
  kind: Kind,
  path: string,
  asked: object,
  tier: Tier | undefined,
  current?: ResolvedOptions[Kind],
): ResolvedOptions[Kind] {
  const rules: Readonly<Record<string, OptionRule>> = optionRules[kind];
  const names = Object.keys(rules);
  const isUpdate = current !== undefined;
  const resolved: Record<string, unknown> = { ...(current ?? defaults(rules)) };
  const given = isUpdate ? asked : withTierDefaults(tier, names, asked);
  for (const [name, value] of Object.entries(given)) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (rule === undefined) {
      throw refusal(
        path,
        "argument-error",
        `'${path}' has no property ${name}; ${nameSuggestion(name, names)}`,
      );
    }
    // `undefined` means "not given", except for properties that may be absent, which it removes.
    if (value === undefined && isUpdate && rule.default !== undefined) continue;
    const wanted = value === undefined && !isUpdate ? rule.default : value;
    if (!rule.accepts(wanted)) {
      const text = `${name} of '${path}' is ${String(value).slice(0, 100)}: expected ${rule.expected}.`;
      const range = rule.range && tierRange(tier, name, rule.range);
      throw refusal(path, "argument-error", text, { name, value, ...(range && { range }) });
    }
    if (isUpdate && rule.isFixed && wanted !== resolved[name]) {
      throw refusal(path, "not-allowed", fixedText(kind, name, path), { name, value });
    }
    resolved[name] = Array.isArray(wanted) ? copyRules(wanted) : wanted;
  }
  if (resolved.enablePartitioning === true) applyPartitioning(resolved, given, current);
  checkTierLimits(tier, path, given, resolved, (name) => rules[name]?.range);
  return resolved as unknown as ResolvedOptions[Kind];
}

/** The service keeps the quota of one partition and shows that of all, which clients send back. */
function applyPartitioning(
  resolved: Record<string, unknown>,
  given: object,
  current: object | undefined,
): void {
  const megabytes = resolved.maxSizeInMegabytes as number;
  const before = (current as SendingOptions | undefined)?.maxSizeInMegabytes;
  const isOfAll = megabytes > partitionMegabytes || megabytes === partitions * (before ?? 0);
  if ("maxSizeInMegabytes" in given && isOfAll)
    resolved.maxSizeInMegabytes = Math.ceil(megabytes / partitions);
  const { supportOrdering } = given as TopicOptions;
  const isNewTopic = "supportOrdering" in resolved && current === undefined;
  if (isNewTopic && supportOrdering === undefined) resolved.supportOrdering = false;
}

function fixedText(kind: keyof ResolvedOptions, name: string, path: string): string {
  const entity = `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;
  return name === "enablePartitioning"
    ? `Partitioning cannot be changed for ${entity}. It is '${path}'.`
    : `The value for the ${name.charAt(0).toUpperCase()}${name.slice(1)} property of an existing ${entity} cannot be changed: '${path}'.`;
}

function defaults(rules: Readonly<Record<string, OptionRule>>): object {
  return Object.freeze(Object.fromEntries(Object.entries(rules).map(([name, rule]) => [name, rule.default])));
}
