import type { ServiceBusAdministrationClient } from "@azure/service-bus";
import type { Transport } from "@waybill/core";
import type { EntityCatalog, EntityName } from "@waybill/core/transport";
import { UsageError } from "../errors/usage-error.js";
import type { NamedConnection } from "../input/parse-connection.js";
import type { Mirror } from "./mirror.js";

/** An open connection to a broker. */
export interface Connection extends AsyncDisposable {
  readonly transport: Transport;
  /** The entities to peek: those named, or all. */
  catalog(entities: readonly EntityName[]): EntityCatalog;
  /** Creates a queue if it does not exist. Only in a local data directory. */
  createQueue(queue: string): Promise<void>;
  /** The client of the management API; a local data directory is served to it as a namespace would be. */
  administration(): Promise<ServiceBusAdministrationClient>;
  /** Creates a subscription that gets everything which is published to a topic from now on. Needs the Manage claim. */
  mirror(topic: string, watchForMs: number): Promise<Mirror>;
}

/** Where the broker is. */
export interface ConnectionOptions {
  /** The data directory of a local broker. Default: the connection string of the environment is used. */
  readonly data?: string | undefined;
  /** A namespace to sign in to with Microsoft Entra ID, by its name or host. */
  readonly namespace?: string | undefined;
  /** Several namespaces, with the names that stand before their entities. */
  readonly connection?: readonly NamedConnection[] | undefined;
  /** The port of the management API. Default: it is found. */
  readonly managementPort?: number | undefined;
  /** How long listing the entities of a namespace may take, in milliseconds. Default: 60,000. */
  readonly listTimeout?: number | undefined;
  /** Creates the data directory if it does not exist. Default: false. */
  readonly create?: boolean | undefined;
}

/** The variable that holds the connection string. Not an option: other users can see command lines. */
const variable = "SERVICEBUS_CONNECTION_STRING";

/** Opens the local data directory, or connects to the namespace of the environment. Only the way that is taken is loaded: the other takes as long. */
export async function openConnection({
  data,
  namespace,
  connection,
  managementPort,
  listTimeout = 60_000,
  create = false,
}: ConnectionOptions): Promise<Connection> {
  if (connection !== undefined && (data !== undefined || namespace !== undefined))
    throw new UsageError("Give --connection for every namespace, and neither --data nor --namespace.");
  if (connection !== undefined) {
    const { openSeveral } = await import("./open-several.js");
    return await openSeveral(connection, { managementPort, listTimeout });
  }
  if (data !== undefined && namespace !== undefined)
    throw new UsageError("Give --data or --namespace, not both.");
  if (data !== undefined) {
    const { openLocal } = await import("./open-local.js");
    return await openLocal(data, create);
  }
  const connectionString = process.env[variable]?.trim() ?? "";
  if (namespace === undefined && connectionString === "")
    throw new UsageError(
      `Where is the broker? Set ${variable}, or name a local data directory with --data, or a namespace to sign in to with --namespace.`,
    );
  const { openAzure, openEntra } = await import("./open-azure.js");
  return namespace === undefined
    ? await openAzure(connectionString, variable, { managementPort, listTimeout })
    : await openEntra(namespace, listTimeout);
}
