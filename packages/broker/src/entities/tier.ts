import { BrokerError, refusal } from "../errors/broker-error.js";

/** A pricing tier of the service, whose limits a broker can apply. */
export type Tier = "basic" | "standard" | "premium";

/** Features that only some tiers offer, beyond entity properties. */
export type TierFeature = "topics" | "transactions" | "sends via another queue";

type Properties = Readonly<Record<string, unknown>>;

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

const DAY_MS = 24 * 60 * 60_000;
const MAX_MESSAGE_SIZE = { maxMessageSizeInKilobytes: 256 };
const MAX_ENTITY_SIZE = { maxSizeInMegabytes: 5 * 1024 };
const MAX_TIME_TO_LIVE = { defaultMessageTimeToLiveMs: 14 * DAY_MS };

/** Source: "Service Bus quotas", "Service Bus pricing tiers", "Message expiration", "Partitioned queues and topics". */
const LIMITS: Readonly<Record<Tier, TierLimits>> = Object.freeze({
  basic: {
    lacks: ["topics", "transactions", "sends via another queue"],
    fixed: [
      "requiresSession",
      "requiresDuplicateDetection",
      "autoDeleteOnIdleMs",
      "forwardTo",
      "forwardDeadLetteredMessagesTo",
    ],
    max: { ...MAX_MESSAGE_SIZE, ...MAX_ENTITY_SIZE, ...MAX_TIME_TO_LIVE },
    defaults: { ...MAX_MESSAGE_SIZE, ...MAX_TIME_TO_LIVE },
  },
  standard: {
    lacks: [],
    fixed: [],
    max: { ...MAX_MESSAGE_SIZE, ...MAX_ENTITY_SIZE },
    defaults: MAX_MESSAGE_SIZE,
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
  if (tier === undefined || Object.hasOwn(LIMITS, tier)) return;
  throw new TypeError(`tier is ${JSON.stringify(tier)}: expected ${Object.keys(LIMITS).join(", ")}`);
}

/** Throws `not-allowed` if a tier does not offer the feature. */
export function requireFeature(tier: Tier | undefined, feature: TierFeature, path?: string): void {
  if (tier === undefined || !LIMITS[tier].lacks.includes(feature)) return;
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
  const missing = Object.entries(LIMITS[tier].defaults).filter(
    ([name]) => names.includes(name) && (given as Properties)[name] === undefined,
  );
  return { ...given, ...Object.fromEntries(missing) };
}

/** Checks properties against a tier: throws `not-allowed` for features it does not offer, `argument-error` for values above its maximum. */
export function checkTierLimits(tier: Tier | undefined, path: string, given: object, resolved: object): void {
  if (tier === undefined) return;
  const { fixed, min, max } = LIMITS[tier];
  for (const name of Object.keys(given)) {
    const value = (resolved as Properties)[name];
    if (fixed.includes(name) && !isUsual(value)) {
      const text = `${name} of '${path}' cannot be set: the broker offers the ${tier} tier.`;
      throw refusal(path, "not-allowed", text);
    }
    const least = min?.[name];
    if (least !== undefined && (value as number) < least) {
      const element = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
      const text = `'${element}' must be between ${least} and 102400 in the ${tier} tier: '${path}'. Actual value was ${String(value)}.`;
      throw refusal(path, "argument-error", text);
    }
    const limit = max[name];
    if (limit === undefined || (value as number) <= limit) continue;
    const text = `Bad Request. ${name} of '${path}' is ${String(value)}: the ${tier} tier has at most ${limit}.`;
    throw refusal(path, "argument-error", text);
  }
}

function isUsual(value: unknown): boolean {
  return value === undefined || value === false || value === Number.POSITIVE_INFINITY;
}
