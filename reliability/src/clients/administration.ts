import { ServiceBusAdministrationClient } from "@azure/service-bus";
import { speakPlainHttp } from "@waybill/transport-azure";

/** An administration client over plain HTTP, without retries. */
export function openAdministration(connectionString: string): ServiceBusAdministrationClient {
  const client = new ServiceBusAdministrationClient(connectionString, { retryOptions: { maxRetries: 0 } });
  speakPlainHttp(client);
  return client;
}
