import type { ServiceBusAdministrationClient, ServiceBusClient } from "@azure/service-bus";
import { WaybillError } from "@waybill/core";
import type { CallOptions, EntityCatalog, EntityName } from "@waybill/core/transport";
import { toIsoDuration } from "@waybill/foundation";
import { azureCatalog, azureRetryOptions, azureTransport } from "@waybill/transport-azure";
import { refusalOf } from "../errors/key-refusal.js";
import { UsageError } from "../errors/usage-error.js";
import { administrationOf } from "./administration.js";
import type { Connection } from "./connection.js";
import { entraCredential, namespaceHost } from "./entra-credential.js";
import { type Mirror, mirrorSettings } from "./mirror.js";
import { namedCatalog } from "./named-catalog.js";
import { shareAnswers } from "./share-answers.js";

/** How a namespace is managed. */
export interface AzureOptions {
  /** The port of the management API; undefined: it is found. */
  readonly managementPort: number | undefined;
  /** How long listing the entities may take, in milliseconds. */
  readonly listTimeout: number;
}

/** Connects to a namespace, or to a server of the local broker; `variable` is where its connection string was. */
export async function openAzure(
  connectionString: string,
  variable: string,
  { managementPort, listTimeout }: AzureOptions,
): Promise<Connection> {
  const { ServiceBusClient } = await import("@azure/service-bus");
  const client = made(
    variable,
    () => new ServiceBusClient(connectionString, { retryOptions: azureRetryOptions }),
  );
  return connectionOf(
    client,
    () => administrationOf(connectionString, managementPort, variable),
    listTimeout,
  );
}

/** Connects to a namespace with Microsoft Entra ID. */
export async function openEntra(namespace: string, listTimeout: number): Promise<Connection> {
  const host = namespaceHost(namespace);
  const credential = await entraCredential();
  const { ServiceBusAdministrationClient, ServiceBusClient } = await import("@azure/service-bus");
  return connectionOf(
    new ServiceBusClient(host, credential, { retryOptions: azureRetryOptions }),
    async () => {
      const administration = new ServiceBusAdministrationClient(host, credential, {
        retryOptions: { maxRetries: 2 },
      });
      shareAnswers(administration);
      return administration;
    },
    listTimeout,
  );
}

/** The administration client is opened only to list entities: sending needs no management API. */
function connectionOf(
  client: ServiceBusClient,
  administration: () => Promise<ServiceBusAdministrationClient>,
  listTimeout: number,
): Connection {
  const transport = azureTransport(client);
  return {
    transport,
    catalog: (entities: readonly EntityName[]) =>
      entities.length > 0 ? namedCatalog(entities) : explained(administration, listTimeout),
    createQueue() {
      throw new UsageError("--create makes queues in a local data directory only: give --data.");
    },
    administration,
    mirror: async (topic, watchForMs) => openMirror(await administration(), topic, watchForMs),
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
    const code =
      statusCode === 404 ? "entity-not-found" : statusCode === 401 ? "unauthorized" : "connection-lost";
    throw new WaybillError(
      code,
      `No subscription of ${topic} can be created: ${causeOf({ code, text: message })} Or rehearse a subscription that was made by hand.`,
      { cause: error },
    );
  }
  return {
    address: { topic, subscription: name },
    [Symbol.asyncDispose]: async () => void (await administration.deleteSubscription(topic, name)),
  };
}

function made<T>(variable: string, make: () => T): T {
  try {
    return make();
  } catch {
    // The SDK's error text may quote the connection string.
    throw new UsageError(
      `${variable} is not a connection string: Endpoint=sb://…;SharedAccessKeyName=…;SharedAccessKey=…`,
    );
  }
}

/** A catalog whose error says why entities cannot be listed, and what to do. */
function explained(
  administration: () => Promise<ServiceBusAdministrationClient>,
  listTimeout: number,
): EntityCatalog {
  return {
    async listEntities({ abortSignal }: CallOptions = {}) {
      const timeout = AbortSignal.timeout(listTimeout);
      const either = abortSignal === undefined ? timeout : AbortSignal.any([timeout, abortSignal]);
      try {
        return await azureCatalog(await administration()).listEntities({ abortSignal: either });
      } catch (error) {
        if (abortSignal?.aborted || !(error instanceof WaybillError)) throw error;
        const isLate = error.code === "aborted";
        const cause = isLate
          ? `that takes more than ${listTimeout / 1000} seconds. --list-timeout allows more.`
          : causeOf(error);
        throw new WaybillError(
          isLate ? "timeout" : error.code,
          `The entities of the namespace cannot be listed: ${cause} A command that names its entities needs no list.`,
          { cause: error },
        );
      }
    },
  };
}

function causeOf({ code, text }: Pick<WaybillError, "code" | "text">): string {
  switch (code) {
    case "unauthorized":
      return refusalOf(text);
    default:
      return `${(text.split("\n")[0] ?? "").replace(/\.$/, "")}.`;
  }
}
