import { requireDuration, requireKnownOptions } from "@waybill/core/serializer";

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

/** The platform's timers hold 31 bits. */
const longestTimerMs = 2 ** 31 - 1;

function durationOf(name: keyof WatchdogOptions, options: WatchdogOptions): number {
  return requireDuration(
    `watchdog.${name}`,
    options[name] ?? defaultWatchdogOptions[name],
    1,
    longestTimerMs,
  );
}
