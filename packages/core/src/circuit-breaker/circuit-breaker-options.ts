import type { MessageFormat } from "../diagnostics/circuit-breaker-event.js";
import { durationMs } from "../foundation/duration.js";
import { requireInteger } from "../foundation/integer.js";
import { type OptionNames, requireKnownOptions, requireOneOf } from "../foundation/known-options.js";
import type { CircuitRule } from "./circuit.js";

/** What happens to messages that cannot be read beyond those that are held, while others are read: see {@link CircuitBreakerOptions}. */
export type WhenFull = "defer" | "deadLetter" | "pause";

/**
 * When messages that cannot be read are held instead of dead-lettered. What used to decode and fails from one moment on speaks for a broken
 * consumer, as does a consumer that reads nothing from its start: the messages are kept until they can be read, and others go on.
 */
export interface CircuitBreakerOptions {
  /**
   * With `windowSize`: `failureRate × windowSize` failures in a row of one type and format open its circuit, ten by default; above 0 and up
   * to 1. A type that often fails takes more, so many that chance does not explain them. Default: 0.5.
   */
  readonly failureRate?: number | undefined;
  /** See `failureRate`. Default: 20. So at most nine are dead-lettered before the circuit of a type opens that did not fail before. */
  readonly windowSize?: number | undefined;
  /** Failures further apart than this do not add up, in milliseconds. Default: 300 000. */
  readonly windowDurationInMs?: number | undefined;
  /** How often what is held is read again, in milliseconds. Default: 30 000. */
  readonly probeIntervalInMs?: number | undefined;
  /** How many messages that cannot be read a processor keeps locked. Default: 10. */
  readonly maxHeldMessages?: number | undefined;
  /**
   * What happens to the messages beyond these while others can be read: they are deferred and received again when their circuit closes,
   * dead-lettered, or receiving pauses. While nothing can be read, receiving pauses in any case. In sessions, `"defer"` dead-letters.
   * Default: `"defer"`.
   */
  readonly whenFull?: WhenFull | undefined;
  /**
   * How long messages are held at most while others are read, in milliseconds; then their type counts as poison, and they are
   * dead-lettered. `Infinity` holds them until they can be read. Default: 3 600 000.
   */
  readonly maxHoldDurationInMs?: number | undefined;
  /**
   * What is known to decode before the first message comes, for example from an earlier process; `"all"` trusts every type and format from
   * the start. Default: none.
   */
  readonly decodedBefore?: "all" | readonly MessageFormat[] | undefined;
}

/** {@link CircuitBreakerOptions} with every default filled in. */
export type ResolvedCircuitBreakerOptions = {
  readonly [Name in keyof Omit<CircuitBreakerOptions, "failureRate" | "windowSize">]-?: Exclude<
    CircuitBreakerOptions[Name],
    undefined
  >;
} & CircuitRule;

/** The defaults of {@link CircuitBreakerOptions}. */
const defaultCircuitBreakerOptions = Object.freeze({
  failureRate: 0.5,
  windowSize: 20,
  windowDurationInMs: 300_000,
  probeIntervalInMs: 30_000,
  maxHeldMessages: 10,
  whenFull: "defer",
  maxHoldDurationInMs: 3_600_000,
  decodedBefore: Object.freeze([]),
} as const) satisfies CircuitBreakerOptions;

const optionNames: OptionNames<CircuitBreakerOptions> = {
  failureRate: true,
  windowSize: true,
  windowDurationInMs: true,
  probeIntervalInMs: true,
  maxHeldMessages: true,
  whenFull: true,
  maxHoldDurationInMs: true,
  decodedBefore: true,
};

/** Probes without a pause would leave no time for anything else. */
const shortestProbeIntervalMs = 10;

/** Checks the options and fills in the defaults. Throws `TypeError`. */
export function resolveCircuitBreakerOptions(
  options: CircuitBreakerOptions = {},
): ResolvedCircuitBreakerOptions {
  requireKnownOptions("circuitBreaker", options, optionNames);
  const defaults = defaultCircuitBreakerOptions;
  const { failureRate = defaults.failureRate, decodedBefore = defaults.decodedBefore } = options;
  if (!(failureRate > 0 && failureRate <= 1)) {
    throw new TypeError(
      `circuitBreaker.failureRate must be above 0 and at most 1; got ${String(failureRate)}.`,
    );
  }
  const windowSize = count("windowSize", options);
  return Object.freeze({
    minFailures: Math.ceil(failureRate * windowSize),
    windowDurationInMs: duration("windowDurationInMs", options),
    probeIntervalInMs: Math.max(duration("probeIntervalInMs", options), shortestProbeIntervalMs),
    maxHeldMessages: count("maxHeldMessages", options),
    whenFull: requireOneOf("circuitBreaker.whenFull", options.whenFull ?? defaults.whenFull, [
      "defer",
      "deadLetter",
      "pause",
    ]),
    maxHoldDurationInMs: duration("maxHoldDurationInMs", options),
    decodedBefore,
  });
}

function duration(
  name: "windowDurationInMs" | "probeIntervalInMs" | "maxHoldDurationInMs",
  options: CircuitBreakerOptions,
): number {
  return durationMs(`circuitBreaker.${name}`, options[name], defaultCircuitBreakerOptions[name]);
}

function count(name: "windowSize" | "maxHeldMessages", options: CircuitBreakerOptions): number {
  const value = options[name] ?? defaultCircuitBreakerOptions[name];
  return requireInteger(`circuitBreaker.${name}`, value, 1, 10_000);
}
