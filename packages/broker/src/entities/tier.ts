import { BrokerError } from "../errors/broker-error.js";

/** A pricing tier of the service, by which a broker limits what it offers. */
export type Tier = "basic" | "standard" | "premium";

/** What only some tiers offer, beside what properties of entities ask for. */
export type TierFeature = "topics" | "transactions" | "sends via another queue";

type Properties = Readonly<Record<string, unknown>>;

interface TierLimits {
  readonly lacks: readonly TierFeature[];
  /** Properties that must keep their usual value, which is false, none or never. */
  readonly fixed: readonly string[];
  /** The greatest value of a property. */
  readonly most: Readonly<Record<string, number>>;
  /** What a property is when it is not given, where that differs from the broker's own default. */
  readonly defaults: Properties;
}

const DAY_MS = 24 * 60 * 60_000;
const LARGEST_MESSAGE = { maxMessageSizeInKilobytes: 256 };
const LARGEST_ENTITY = { maxSizeInMegabytes: 5 * 1024 };
const LONGEST_LIFE = { defaultMessageTimeToLiveMs: 14 * DAY_MS };

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
    most: { ...LARGEST_MESSAGE, ...LARGEST_ENTITY, ...LONGEST_LIFE },
    defaults: { ...LARGEST_MESSAGE, ...LONGEST_LIFE },
  },
  standard: {
    lacks: [],
    fixed: [],
    most: { ...LARGEST_MESSAGE, ...LARGEST_ENTITY },
    defaults: LARGEST_MESSAGE,
  },
  premium: { lacks: [], fixed: ["enablePartitioning", "enableExpress"], most: {}, defaults: {} },
});

/** Checks the name of a tier; throws `TypeError` for one that there is not. */
export function checkTier(tier: Tier | undefined): void {
  if (tier === undefined || Object.hasOwn(LIMITS, tier)) return;
  throw new TypeError(`tier is ${JSON.stringify(tier)}: expected ${Object.keys(LIMITS).join(", ")}`);
}

/** Refuses with `not-allowed` what a tier does not offer. */
export function requireFeature(tier: Tier | undefined, feature: TierFeature, path?: string): void {
  if (tier === undefined || !LIMITS[tier].lacks.includes(feature)) return;
  const details = path === undefined ? undefined : { entity: path };
  throw new BrokerError("not-allowed", `The ${tier} tier has no ${feature}.`, details);
}

/** The properties given for a new entity, with the tier's defaults for those that it may have and that are missing. */
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

/** Refuses properties beyond a tier: with `not-allowed` what it does not offer, with `argument-error` what is too much. */
export function checkTierLimits(tier: Tier | undefined, path: string, given: object, resolved: object): void {
  if (tier === undefined) return;
  const { fixed, most } = LIMITS[tier];
  for (const name of Object.keys(given)) {
    const value = (resolved as Properties)[name];
    if (fixed.includes(name) && !isUsual(value)) {
      const text = `${name} of '${path}' cannot be set: the broker offers the ${tier} tier.`;
      throw new BrokerError("not-allowed", text, { entity: path });
    }
    const limit = most[name];
    if (limit === undefined || (value as number) <= limit) continue;
    const text = `${name} of '${path}' is ${String(value)}: the ${tier} tier has at most ${limit}.`;
    throw new BrokerError("argument-error", text, { entity: path });
  }
}

function isUsual(value: unknown): boolean {
  return value === undefined || value === false || value === Number.POSITIVE_INFINITY;
}
