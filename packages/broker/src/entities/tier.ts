import { BrokerError, type RefusedProperty, refusal } from "../errors/broker-error.js";

/** A pricing tier of the service, whose limits a broker can apply. */
export type Tier = "basic" | "standard" | "premium";

/** Features that only some tiers offer, beyond entity properties. */
export type TierFeature = "topics" | "transactions" | "sends via another queue";

type Properties = Readonly<Record<string, unknown>>;
type Range = readonly [least: number, most: number];

interface TierLimits {
  readonly lacks: readonly TierFeature[];
  /** Properties that must keep their default: false, none or never. */
  readonly fixed: readonly string[];
  /** The minimum value of a property. */
  readonly min?: Readonly<Record<string, number>>;
  /** The maximum value of a property. */
  readonly max: Readonly<Record<string, number>>;
  /** Defaults that differ from the broker's own. */
  readonly defaults: Properties;
}

const dayMs = 24 * 60 * 60_000;
const maxMessageSize = { maxMessageSizeInKilobytes: 256 };
const maxEntitySize = { maxSizeInMegabytes: 5 * 1024 };
const maxTimeToLive = { defaultMessageTimeToLiveMs: 14 * dayMs };

/** Source: "Service Bus quotas", "Service Bus pricing tiers", "Message expiration", "Partitioned queues and topics". */
const limits: Readonly<Record<Tier, TierLimits>> = Object.freeze({
  basic: {
    lacks: ["topics", "transactions", "sends via another queue"],
    fixed: [
      "requiresSession",
      "requiresDuplicateDetection",
      "autoDeleteOnIdleMs",
      "forwardTo",
      "forwardDeadLetteredMessagesTo",
    ],
    max: { ...maxMessageSize, ...maxEntitySize, ...maxTimeToLive },
    defaults: { ...maxMessageSize, ...maxTimeToLive },
  },
  standard: {
    lacks: [],
    fixed: [],
    max: { ...maxMessageSize, ...maxEntitySize },
    defaults: maxMessageSize,
  },
  premium: {
    lacks: [],
    fixed: ["enablePartitioning", "enableExpress"],
    min: { maxMessageSizeInKilobytes: 1024 },
    max: {},
    defaults: {},
  },
});

/** Throws `TypeError` for an unknown tier. */
export function checkTier(tier: Tier | undefined): void {
  if (tier === undefined || Object.hasOwn(limits, tier)) return;
  throw new TypeError(`tier is ${JSON.stringify(tier)}: expected ${Object.keys(limits).join(", ")}`);
}

/** Throws `not-allowed` if a tier does not offer the feature. */
export function requireFeature(tier: Tier | undefined, feature: TierFeature, path?: string): void {
  if (tier === undefined || !limits[tier].lacks.includes(feature)) return;
  const details = path === undefined ? undefined : { entity: path };
  throw new BrokerError("not-allowed", `The ${tier} tier has no ${feature}.`, details);
}

/** The properties of a new entity, with the tier's defaults for those that are missing. */
export function withTierDefaults<Options extends object>(
  tier: Tier | undefined,
  names: readonly string[],
  given: Options,
): Options {
  if (tier === undefined) return given;
  const missing = Object.entries(limits[tier].defaults).filter(
    ([name]) => names.includes(name) && (given as Properties)[name] === undefined,
  );
  return { ...given, ...Object.fromEntries(missing) };
}

/** The range of a property in a tier; without one, all that the broker accepts. */
export function tierRange(tier: Tier | undefined, name: string, [least, most]: Range): Range {
  if (tier === undefined) return [least, most];
  const { min, max } = limits[tier];
  return [min?.[name] ?? least, max[name] ?? most];
}

/**
 * Checks properties against a tier: throws `not-allowed` for features it does not offer, `argument-error` for values out of its range.
 * `rangeOf` is the range of a property without a tier.
 */
export function checkTierLimits(
  tier: Tier | undefined,
  path: string,
  given: object,
  resolved: object,
  rangeOf: (name: string) => Range | undefined,
): void {
  if (tier === undefined) return;
  for (const name of Object.keys(given)) {
    const value = (resolved as Properties)[name];
    if (limits[tier].fixed.includes(name) && !isUsual(value)) {
      const text = `${name} of '${path}' cannot be set: the broker offers the ${tier} tier.`;
      throw refusal(path, "not-allowed", text);
    }
    const range = rangeOf(name);
    if (range !== undefined) checkRange(tier, path, { name, value, range: tierRange(tier, name, range) });
  }
}

function checkRange(tier: Tier, path: string, property: RefusedProperty & { readonly range: Range }): void {
  const { name, range } = property;
  const [least, most] = range;
  const value = property.value as number;
  if (value >= least && value <= most) return;
  const limit = value < least ? `at least ${least}` : `at most ${most}`;
  throw refusal(
    path,
    "argument-error",
    `${name} of '${path}' is ${value}: the ${tier} tier has ${limit}.`,
    property,
  );
}

function isUsual(value: unknown): boolean {
  return value === undefined || value === false || value === Number.POSITIVE_INFINITY;
}
