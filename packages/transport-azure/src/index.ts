// For applications

export { azureCatalog } from "./azure-catalog.js";
export type { AzureTransport } from "./azure-transport.js";
export { azureTransport } from "./azure-transport.js";
export type { AzureTransportOptions } from "./azure-transport-options.js";
export { defaultAzureTransportOptions } from "./azure-transport-options.js";
export { azureRetryOptions } from "./retry-options.js";
export type { SdkPatchOutcome, SdkPatchReport } from "./sdk-patches/report.js";
export type { SdkPatchName } from "./sdk-patches/sdk-patch.js";
export type { ServiceBusAdministrationClientLike } from "./service-bus-administration-client.js";
export type { ServiceBusClientLike } from "./service-bus-client.js";
export type { WatchdogOptions } from "./watchdog/watchdog-options.js";
