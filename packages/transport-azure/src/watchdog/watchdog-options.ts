import { requireDuration, requireKnownOptions } from "@waybill/core/serializer";

/** When a stalled link is restarted. */
export interface WatchdogOptions {
  /**
   * How long a link may have credit and deliver nothing before the watchdog checks for waiting messages, in milliseconds. While none wait,
   * it checks again after the same interval. Default: 30 000.
   */
  readonly stallTimeoutInMs?: number | undefined;
  /** How long the answer may take before the connection is considered dead, in milliseconds. Default: 10 000. */
  readonly answerTimeoutInMs?: number | undefined;
}

/** {@link WatchdogOptions} with every default filled in. */
export type ResolvedWatchdogOptions = { readonly [Name in keyof WatchdogOptions]-?: number };

/** The defaults of {@link WatchdogOptions}. */
export const defaultWatchdogOptions = Object.freeze({
  stallTimeoutInMs: 30_000,
  answerTimeoutInMs: 10_000,
}) satisfies ResolvedWatchdogOptions;

/** Checks the options and fills in the defaults; returns undefined for `false`. Throws `TypeError`. */
export function resolveWatchdogOptions(
  options: WatchdogOptions | false = {},
): ResolvedWatchdogOptions | undefined {
  if (options === false) return undefined;
  if (typeof options !== "object" || options === null) {
    throw new TypeError("watchdog must be an object of options, or false.");
  }
  requireKnownOptions("azureTransport: watchdog", options, defaultWatchdogOptions);
  return Object.freeze({
    stallTimeoutInMs: durationOf("stallTimeoutInMs", options),
    answerTimeoutInMs: durationOf("answerTimeoutInMs", options),
  });
}

/** `setTimeout` accepts at most 2^31-1 ms. */
const maxTimerMs = 2 ** 31 - 1;

function durationOf(name: keyof WatchdogOptions, options: WatchdogOptions): number {
  return requireDuration(`watchdog.${name}`, options[name] ?? defaultWatchdogOptions[name], 1, maxTimerMs);
}
