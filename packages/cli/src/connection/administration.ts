import type { ServiceBusAdministrationClient } from "@azure/service-bus";
import { speakPlainHttp } from "@waybill/transport-azure";
import { managementError } from "../errors/management-error.js";
import { UsageError } from "../errors/usage-error.js";
import { findManagement } from "./management-address.js";
import { shareAnswers } from "./share-answers.js";

/**
 * Works with the administration client of the namespace in SERVICEBUS_CONNECTION_STRING. Throws `UsageError` without one, and `WaybillError` for
 * what the service refuses.
 */
export async function withAdministration<Result>(
  port: number | undefined,
  work: (client: ServiceBusAdministrationClient) => Promise<Result>,
): Promise<Result> {
  const client = await administrationOf(process.env.SERVICEBUS_CONNECTION_STRING ?? "", port);
  try {
    return await work(client);
  } catch (error) {
    throw managementError(error);
  }
}

/** The administration client of the namespace of a connection string, which was in `variable`. Throws `UsageError` if it is none. */
export async function administrationOf(
  connectionString: string,
  port?: number,
  variable = "SERVICEBUS_CONNECTION_STRING",
): Promise<ServiceBusAdministrationClient> {
  const address = await findManagement(connectionString, port);
  const sdk = await import("@azure/service-bus");
  let client: ServiceBusAdministrationClient;
  try {
    client = new sdk.ServiceBusAdministrationClient(address.connectionString, {
      retryOptions: { maxRetries: 2 },
    });
  } catch {
    // The SDK's error text may quote the connection string.
    throw new UsageError(`${variable} is not a connection string: a name or a key is missing.`);
  }
  shareAnswers(client);
  if (address.isPlain) speakPlainHttp(client);
  return client;
}
