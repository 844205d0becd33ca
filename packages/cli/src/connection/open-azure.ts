import type { ServiceBusAdministrationClient, ServiceBusClient } from "@azure/service-bus";
import { WaybillError } from "@waybill/core";
import type { CallOptions, EntityCatalog, EntityName } from "@waybill/core/transport";
import { toIsoDuration } from "@waybill/foundation";
import { azureCatalog, azureRetryOptions, azureTransport } from "@waybill/transport-azure";
import { openAdministration } from "../broker-host/administration.js";
import { UsageError } from "../errors/usage-error.js";
import type { Connection } from "./connection.js";
import { entraCredential, namespaceHost } from "./entra-credential.js";
import { type Mirror, mirrorSettings } from "./mirror.js";
import { namedCatalog } from "./named-catalog.js";

/** Timeout of listing entities, in milliseconds. */
const listTimeoutMs = 20_000;

/** Connects to a namespace, or to a server of the local broker. */
export async function openAzure(connectionString: string): Promise<Connection> {
  const { ServiceBusClient } = await import("@azure/service-bus");
  const client = made(() => new ServiceBusClient(connectionString, { retryOptions: azureRetryOptions }));
  return connectionOf(client, await openAdministration());
}

/** Connects to a namespace with Microsoft Entra ID. */
export async function openEntra(namespace: string): Promise<Connection> {
  const host = namespaceHost(namespace);
  const credential = await entraCredential();
  const { ServiceBusAdministrationClient, ServiceBusClient } = await import("@azure/service-bus");
  return connectionOf(
    new ServiceBusClient(host, credential, { retryOptions: azureRetryOptions }),
    new ServiceBusAdministrationClient(host, credential, { retryOptions: { maxRetries: 2 } }),
  );
}

function connectionOf(client: ServiceBusClient, administration: ServiceBusAdministrationClient): Connection {
  const transport = azureTransport(client);
  return {
    transport,
    catalog: (entities: readonly EntityName[]) =>
      entities.length > 0 ? namedCatalog(entities) : explained(azureCatalog(administration)),
    createQueue() {
      throw new UsageError("--create makes queues in a local data directory only: give --data.");
    },
    mirror: (topic, watchForMs) => openMirror(administration, topic, watchForMs),
    async [Symbol.asyncDispose]() {
      await transport.close();
      await client.close();
    },
  };
}

async function openMirror(
  administration: ServiceBusAdministrationClient,
  topic: string,
  watchForMs: number,
): Promise<Mirror> {
  const { name, defaultMessageTimeToLiveMs, autoDeleteOnIdleMs } = mirrorSettings(watchForMs);
  try {
    await administration.createSubscription(topic, name, {
      defaultMessageTimeToLive: toIsoDuration(defaultMessageTimeToLiveMs),
      autoDeleteOnIdle: toIsoDuration(autoDeleteOnIdleMs),
    });
  } catch (error) {
    const { statusCode, message } = error as { readonly statusCode?: number; readonly message: string };
    throw new WaybillError(
      statusCode === 404 ? "entity-not-found" : "unauthorized",
      `No subscription of ${topic} can be created (${message.split("\n")[0]}). That needs the Manage claim and the management API; ` +
        "rehearse a subscription that was made by hand instead.",
      { cause: error },
    );
  }
  return {
    address: { topic, subscription: name },
    [Symbol.asyncDispose]: async () => void (await administration.deleteSubscription(topic, name)),
  };
}

function made<T>(make: () => T): T {
  try {
    return make();
  } catch {
    // The SDK's error text may quote the connection string.
    throw new UsageError(
      "SERVICEBUS_CONNECTION_STRING is not a connection string: Endpoint=sb://…;SharedAccessKeyName=…;SharedAccessKey=…",
    );
  }
}

/** A catalog whose error says what to do when entities cannot be listed. */
function explained(catalog: EntityCatalog): EntityCatalog {
  return {
    async listEntities({ abortSignal }: CallOptions = {}) {
      const timeout = AbortSignal.timeout(listTimeoutMs);
      const either = abortSignal === undefined ? timeout : AbortSignal.any([timeout, abortSignal]);
      try {
        return await catalog.listEntities({ abortSignal: either });
      } catch (error) {
        if (abortSignal?.aborted || !(error instanceof WaybillError)) throw error;
        throw new WaybillError(
          error.code === "aborted" ? "timeout" : error.code,
          `The entities of the namespace cannot be listed (${error.text.split("\n")[0]}). Listing needs the Manage claim and the management API; ` +
            "name the entities with --entity instead.",
          { cause: error },
        );
      }
    },
  };
}
