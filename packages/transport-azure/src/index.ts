// For applications

export { azureCatalog } from "./azure-catalog.js";
export { azureTransport } from "./azure-transport.js";
export { azureRetryOptions } from "./retry-options.js";
export type { ServiceBusAdministrationClientLike } from "./service-bus-administration-client.js";
export type { ServiceBusClientLike } from "./service-bus-client.js";
