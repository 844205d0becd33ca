import type {
  ServiceBusAdministrationClient,
  ServiceBusClient,
  ServiceBusClientOptions,
} from "@azure/service-bus";
import type {
  ServiceBusAdministrationClient as NextServiceBusAdministrationClient,
  ServiceBusClient as NextServiceBusClient,
  ServiceBusClientOptions as NextServiceBusClientOptions,
} from "@azure/service-bus-beta";
import { azureTransport } from "../azure-transport.js";
import { azureCatalog } from "../management/azure-catalog.js";
import { speakPlainHttp } from "./plain-http.js";
import { azureRetryOptions } from "./retry-options.js";

// The real classes fit the structural subset; no code of theirs is run.
export const transports = (current: ServiceBusClient, next: NextServiceBusClient) => [
  azureTransport(current),
  azureTransport(next),
];

export const catalogs = (
  current: ServiceBusAdministrationClient,
  next: NextServiceBusAdministrationClient,
) => [azureCatalog(current), azureCatalog(next)];

export const plain = (current: ServiceBusAdministrationClient, next: NextServiceBusAdministrationClient) => [
  speakPlainHttp(current),
  speakPlainHttp(next),
];

export const options: ServiceBusClientOptions = { retryOptions: azureRetryOptions };
export const nextOptions: NextServiceBusClientOptions = { retryOptions: azureRetryOptions };
