// For applications

export { azureTransport } from "./azure-transport.js";
export { azureRetryOptions } from "./retry-options.js";
export type { ServiceBusClientLike } from "./service-bus-client.js";
