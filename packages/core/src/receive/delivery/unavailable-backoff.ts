import { requireDuration, requireInteger, withDefaults } from "@waybill/foundation";

/** How long and how many messages are held because a dependency is unavailable: a schema registry, a key provider, a claim-check store. */
export interface UnavailableBackoff {
  /** The delay before they are read again, in milliseconds, doubled after each failure. Default: 1 000. */
  readonly initialDelayInMs?: number;
  /** The maximum delay, in milliseconds. Default: 30 000. */
  readonly maxDelayInMs?: number;
  /** The maximum number of such messages that a processor keeps locked in addition to those in its slots; further ones are deferred while others can be read. Default: 100. */
  readonly maxHeldMessages?: number;
}

/** The defaults of {@link UnavailableBackoff}. */
const defaultUnavailableBackoff = Object.freeze({
  initialDelayInMs: 1_000,
  maxDelayInMs: 30_000,
  maxHeldMessages: 100,
});

/** Checks the options and fills in the defaults. Throws `TypeError`. */
export function resolveUnavailableBackoff(backoff: UnavailableBackoff = {}): Required<UnavailableBackoff> {
  const resolved = withDefaults("unavailableBackoff", backoff, defaultUnavailableBackoff);
  for (const name of ["initialDelayInMs", "maxDelayInMs"] as const) {
    requireDuration(`unavailableBackoff.${name}`, resolved[name], 0);
  }
  requireInteger("unavailableBackoff.maxHeldMessages", resolved.maxHeldMessages, 1);
  return Object.freeze(resolved);
}

/** Reading again without a delay would leave no time for anything else. In milliseconds. */
const minDelayMs = 10;

/** The delay after this many failed attempts, in milliseconds. */
export function backoffDelayMs(
  { initialDelayInMs, maxDelayInMs }: Required<UnavailableBackoff>,
  attempts: number,
): number {
  // After 30 doublings every maximum is reached; a larger power would overflow to Infinity.
  return Math.max(Math.min(initialDelayInMs * 2 ** Math.min(attempts, 30), maxDelayInMs), minDelayMs);
}
