import type { ServiceBusAdministrationClient } from "@azure/service-bus";
import { speakPlainHttp } from "@waybill/transport-azure";
import { UsageError } from "../errors/usage-error.js";

/** The administration client of the namespace in SERVICEBUS_CONNECTION_STRING. Throws `UsageError` without one. */
export async function openAdministration(): Promise<ServiceBusAdministrationClient> {
  const { SERVICEBUS_CONNECTION_STRING: text = "" } = process.env;
  const sdk = await import("@azure/service-bus");
  let client: ServiceBusAdministrationClient;
  try {
    client = new sdk.ServiceBusAdministrationClient(text.trim(), { retryOptions: { maxRetries: 2 } });
  } catch {
    // The SDK's error text may quote the connection string.
    throw new UsageError("Set SERVICEBUS_CONNECTION_STRING to the connection string of a namespace.");
  }
  if (/;?UseDevelopmentEmulator=true/i.test(text)) speakPlainHttp(client);
  return client;
}
