import type { MessageFormat } from "./circuit-breaker-event.js";
import { durationMs } from "./duration.js";

/**
 * When processors stop dead-lettering what they cannot read. A format that decoded before and now fails at this rate speaks for a
 * broken consumer: receiving pauses and one message at a time is tried, instead of emptying a healthy queue into its
 * dead-letter queue.
 */
export interface CircuitBreakerOptions {
  /** The share of the last `windowSize` messages of one type and format that must fail, above 0 and up to 1. Default: 0.5. */
  readonly failureRate?: number | undefined;
  /** How many messages of one type and format are looked back upon. Default: 20. So at most nine are dead-lettered before it opens. */
  readonly windowSize?: number | undefined;
  /** Failures further apart than this do not add up, in milliseconds. Default: 300 000. */
  readonly windowDurationInMs?: number | undefined;
  /** How long receiving pauses between two probes, in milliseconds. Default: 30 000. */
  readonly probeIntervalInMs?: number | undefined;
  /** How many unread messages are kept locked while it is open; beyond that the oldest is abandoned. Default: 10. */
  readonly maxHeldMessages?: number | undefined;
  /**
   * What is known to decode before the first message comes, for example what an earlier process told; `"all"` trusts every type and
   * format from the start, so that a deployment that can read nothing dead-letters almost nothing. Default: none.
   */
  readonly decodedBefore?: "all" | readonly MessageFormat[] | undefined;
}

/** {@link CircuitBreakerOptions} with every default filled in. */
export type ResolvedCircuitBreakerOptions = {
  readonly [Name in keyof CircuitBreakerOptions]-?: Exclude<CircuitBreakerOptions[Name], undefined>;
};

/** The defaults of {@link CircuitBreakerOptions}. */
export const defaultCircuitBreakerOptions = Object.freeze({
  failureRate: 0.5,
  windowSize: 20,
  windowDurationInMs: 300_000,
  probeIntervalInMs: 30_000,
  maxHeldMessages: 10,
  decodedBefore: Object.freeze([]),
}) satisfies ResolvedCircuitBreakerOptions;

/** Checks the options and fills in the defaults. Throws `TypeError`. */
export function resolveCircuitBreakerOptions(
  options: CircuitBreakerOptions = {},
): ResolvedCircuitBreakerOptions {
  const defaults = defaultCircuitBreakerOptions;
  const { failureRate = defaults.failureRate, decodedBefore = defaults.decodedBefore } = options;
  if (!(failureRate > 0 && failureRate <= 1)) {
    throw new TypeError(
      `circuitBreaker.failureRate must be above 0 and at most 1; got ${String(failureRate)}.`,
    );
  }
  return Object.freeze({
    failureRate,
    windowSize: wholeNumber("windowSize", options.windowSize ?? defaults.windowSize),
    windowDurationInMs: duration("windowDurationInMs", options.windowDurationInMs),
    probeIntervalInMs: duration("probeIntervalInMs", options.probeIntervalInMs),
    maxHeldMessages: wholeNumber("maxHeldMessages", options.maxHeldMessages ?? defaults.maxHeldMessages),
    decodedBefore,
  });
}

function duration(name: "windowDurationInMs" | "probeIntervalInMs", given: number | undefined): number {
  return durationMs(`circuitBreaker.${name}`, given, defaultCircuitBreakerOptions[name]);
}

function wholeNumber(name: string, value: number): number {
  if (Number.isInteger(value) && value >= 1 && value <= 10_000) return value;
  throw new TypeError(`circuitBreaker.${name} must be a whole number from 1 to 10000; got ${String(value)}.`);
}
