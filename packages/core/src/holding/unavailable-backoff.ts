import { requireDuration } from "../foundation/duration.js";
import { requireInteger } from "../foundation/integer.js";
import { requireKnownOptions } from "../foundation/known-options.js";

/** How messages are kept that cannot be read because something they need is out of reach: a schema registry, a key provider, a store. */
export interface UnavailableBackoff {
  /** The wait before they are read again, doubled each time that fails. Default: 1 000 ms. */
  readonly initialDelayInMs?: number;
  /** The longest wait. Default: 30 000 ms. */
  readonly maxDelayInMs?: number;
  /** How many such messages a processor keeps locked beside those that its calls have in hand; then receiving pauses. Default: 100. */
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
  requireKnownOptions("unavailableBackoff", backoff, defaultUnavailableBackoff);
  const resolved = { ...defaultUnavailableBackoff, ...backoff };
  for (const name of ["initialDelayInMs", "maxDelayInMs"] as const) {
    requireDuration(`unavailableBackoff.${name}`, resolved[name], 0);
  }
  requireInteger("unavailableBackoff.maxHeldMessages", resolved.maxHeldMessages, 1);
  return Object.freeze(resolved);
}

/** Without a wait, reading again would leave no time for anything else. In milliseconds. */
const shortestDelayMs = 10;

/** How long to wait after so many attempts that failed, in milliseconds. */
export function backoffDelayMs(
  { initialDelayInMs, maxDelayInMs }: Required<UnavailableBackoff>,
  attempts: number,
): number {
  // Beyond 30 doublings every cap is reached, and the power would leave the numbers.
  return Math.max(Math.min(initialDelayInMs * 2 ** Math.min(attempts, 30), maxDelayInMs), shortestDelayMs);
}
