import { type OptionNames, requireKnownOptions, requireType } from "@waybill/core/serializer";
import {
  defaultWatchdogOptions,
  resolveWatchdogOptions,
  type WatchdogOptions,
} from "./watchdog/watchdog-options.js";

/** Options of a transport over a `ServiceBusClient`. */
export interface AzureTransportOptions {
  /**
   * Patches known faults of the SDK's libraries for this client only, and completes messages on their AMQP delivery. Patches that another
   * transport already applied to the same client stay. Default: true.
   */
  readonly sdkPatches?: boolean | undefined;
  /** When stalled links are restarted; `false` switches this off. On by default. */
  readonly watchdog?: WatchdogOptions | false | undefined;
}

/** The defaults of {@link AzureTransportOptions}. */
const defaultAzureTransportOptions = Object.freeze({
  sdkPatches: true,
  watchdog: defaultWatchdogOptions,
} as const);

const optionNames: OptionNames<AzureTransportOptions> = defaultAzureTransportOptions;

/** {@link AzureTransportOptions}, checked and with defaults. */
export type ResolvedAzureTransportOptions = ReturnType<typeof resolveAzureTransportOptions>;

/** Checks the options and fills in the defaults. Throws `TypeError`. */
export function resolveAzureTransportOptions(options: AzureTransportOptions) {
  requireKnownOptions("azureTransport", options, optionNames);
  const { sdkPatches = defaultAzureTransportOptions.sdkPatches, watchdog } = options;
  requireType("sdkPatches", sdkPatches, "boolean");
  return Object.freeze({ sdkPatches, watchdog: resolveWatchdogOptions(watchdog) });
}
