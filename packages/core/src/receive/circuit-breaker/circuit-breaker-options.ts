import {
  type Resolved,
  requireDuration,
  requireInteger,
  requireOneOf,
  withDefaults,
} from "@waybill/foundation";
import type { MessageFormat } from "../../diagnostics/circuit-breaker-event.js";
import type { CircuitRule } from "./circuit.js";

/** What happens to undeserializable messages beyond `maxHeldMessages` while others can be read: see {@link CircuitBreakerOptions}. */
export type WhenFull = "defer" | "deadLetter" | "pause";

/**
 * When undeserializable messages are held instead of dead-lettered. A consumer counts as broken when a format that used to decode suddenly
 * fails, or when it decodes nothing from its start: such messages are kept until they can be read; other messages are handled meanwhile.
 */
export interface CircuitBreakerOptions {
  /**
   * Above 0 and up to 1. `failureRate × windowSize` failures in a row of one type and format open its circuit: ten by default. A type that
   * often fails needs a longer row, one that its usual failure rate does not explain. Default: 0.5.
   */
  readonly failureRate?: number | undefined;
  /** See `failureRate`. Default: 20, so at most nine messages are dead-lettered before the circuit of a type without earlier failures opens. */
  readonly windowSize?: number | undefined;
  /** Failures further apart than this do not add up, in milliseconds. Default: 300 000. */
  readonly windowDurationInMs?: number | undefined;
  /** How often held messages are read again, in milliseconds. Default: 30 000. */
  readonly probeIntervalInMs?: number | undefined;
  /** How many undeserializable messages a processor keeps locked in addition to those in its slots. Default: 10. */
  readonly maxHeldMessages?: number | undefined;
  /**
   * What happens to further ones while other messages can be read: `"defer"` defers them and receives them again when their circuit closes (in
   * sessions, and for calls of `receiveMessages`, it dead-letters them), `"deadLetter"` dead-letters them, `"pause"` pauses receiving. While
   * nothing can be read, receiving pauses in any case. Default: `"defer"`.
   */
  readonly whenFull?: WhenFull | undefined;
  /**
   * How long messages are held at most while other messages are read, in milliseconds; then they are dead-lettered. `Infinity` holds them
   * until they can be read. Default: 3 600 000.
   */
  readonly maxHoldDurationInMs?: number | undefined;
  /**
   * The types and formats that are known to decode before the first message arrives, for example from an earlier process; `"all"` assumes it
   * of every type and format. Default: none.
   */
  readonly decodedBefore?: "all" | readonly MessageFormat[] | undefined;
}

/** {@link CircuitBreakerOptions} with every default filled in. */
export type ResolvedCircuitBreakerOptions = Omit<
  Resolved<CircuitBreakerOptions>,
  "failureRate" | "windowSize"
> &
  CircuitRule;

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

/** Probing without a pause would leave no time for anything else. */
const minProbeIntervalMs = 10;

/** Checks the options and fills in the defaults. Throws `TypeError`. */
export function resolveCircuitBreakerOptions(
  options: CircuitBreakerOptions = {},
): ResolvedCircuitBreakerOptions {
  const resolved = withDefaults("circuitBreaker", options, defaultCircuitBreakerOptions);
  const { failureRate, windowSize, ...others } = resolved;
  if (!(failureRate > 0 && failureRate <= 1)) {
    throw new TypeError(
      `circuitBreaker.failureRate must be above 0 and at most 1; got ${String(failureRate)}.`,
    );
  }
  for (const name of ["windowSize", "maxHeldMessages"] as const) {
    requireInteger(`circuitBreaker.${name}`, resolved[name], 1, 10_000);
  }
  for (const name of ["windowDurationInMs", "probeIntervalInMs", "maxHoldDurationInMs"] as const) {
    requireDuration(`circuitBreaker.${name}`, resolved[name], 0, Number.POSITIVE_INFINITY);
  }
  requireOneOf("circuitBreaker.whenFull", resolved.whenFull, ["defer", "deadLetter", "pause"]);
  return Object.freeze({
    ...others,
    minFailures: Math.ceil(failureRate * windowSize),
    probeIntervalInMs: Math.max(resolved.probeIntervalInMs, minProbeIntervalMs),
  });
}
