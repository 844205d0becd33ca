import { type OptionNames, requireKnownOptions, requireType } from "@waybill/core/serializer";
import {
  defaultWatchdogOptions,
  type ResolvedWatchdogOptions,
  resolveWatchdogOptions,
  type WatchdogOptions,
} from "./watchdog/watchdog-options.js";

/** How a transport over a `ServiceBusClient` works. */
export interface AzureTransportOptions {
  /**
   * Whether faults in the libraries beneath the client are patched, for this client alone, and messages completed on their AMQP delivery.
   * Patches that another transport over the same client has applied stay. Default: true.
   */
  readonly sdkPatches?: boolean | undefined;
  /** When links that stand still are made again; false never. On by default. */
  readonly watchdog?: WatchdogOptions | false | undefined;
}

/** The defaults of {@link AzureTransportOptions}. */
export const defaultAzureTransportOptions = Object.freeze({
  sdkPatches: true,
  watchdog: defaultWatchdogOptions,
} as const);

/** {@link AzureTransportOptions} checked, with every default filled in. */
export interface ResolvedAzureTransportOptions {
  readonly sdkPatches: boolean;
  readonly watchdog: ResolvedWatchdogOptions | undefined;
}

const optionNames: OptionNames<AzureTransportOptions> = defaultAzureTransportOptions;

/** Checks the options and fills in the defaults. Throws `TypeError`. */
export function resolveAzureTransportOptions(options: AzureTransportOptions): ResolvedAzureTransportOptions {
  requireKnownOptions("azureTransport", options, optionNames);
  const { sdkPatches = defaultAzureTransportOptions.sdkPatches, watchdog } = options;
  requireType("sdkPatches", sdkPatches, "boolean");
  return Object.freeze({ sdkPatches, watchdog: resolveWatchdogOptions(watchdog) });
}
