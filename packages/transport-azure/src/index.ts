// For applications

export { type AzureTransport, azureTransport } from "./azure-transport.js";
export type { AzureTransportOptions } from "./azure-transport-options.js";
export { azureCatalog } from "./management/azure-catalog.js";
export { type HttpClientLike, speakPlainHttp } from "./sdk/plain-http.js";
export { azureRetryOptions } from "./sdk/retry-options.js";
export type { ServiceBusAdministrationClientLike } from "./sdk/service-bus-administration-client.js";
export type { ServiceBusClientLike } from "./sdk/service-bus-client.js";
export type { SdkPatchOutcome, SdkPatchReport } from "./sdk-patches/report.js";
export type { SdkPatchName } from "./sdk-patches/sdk-patch.js";
export type { WatchdogOptions } from "./watchdog/watchdog-options.js";
