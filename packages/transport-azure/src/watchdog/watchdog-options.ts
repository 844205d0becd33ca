import { requireKnownOptions } from "@waybill/core/serializer";

/** When a link that stands still is made again. */
export interface WatchdogOptions {
  /**
   * How long a link may have credit and deliver nothing before it is asked whether messages wait, in milliseconds. While nothing waits, it is
   * asked again each time as much has passed. Default: 30 000.
   */
  readonly stallTimeoutInMs?: number | undefined;
  /** How long the answer may take before the connection is given up for dead, in milliseconds. Default: 10 000. */
  readonly answerTimeoutInMs?: number | undefined;
}

/** {@link WatchdogOptions} with every default filled in. */
export type ResolvedWatchdogOptions = { readonly [Name in keyof WatchdogOptions]-?: number };

/** The defaults of {@link WatchdogOptions}. */
export const defaultWatchdogOptions = Object.freeze({
  stallTimeoutInMs: 30_000,
  answerTimeoutInMs: 10_000,
}) satisfies ResolvedWatchdogOptions;

/** Checks the options and fills in the defaults; undefined when the watchdog is switched off. Throws `TypeError`. */
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

function durationOf(name: keyof WatchdogOptions, options: WatchdogOptions): number {
  const value = options[name] ?? defaultWatchdogOptions[name];
  if (Number.isFinite(value) && value > 0 && value < 2 ** 31) return value;
  throw new TypeError(`watchdog.${name} must be a number of milliseconds above 0; got ${String(value)}.`);
}
