import { namespaces, namespacesCatalog } from "@waybill/core/namespaces";
import type { EntityName } from "@waybill/core/transport";
import { UsageError } from "../errors/usage-error.js";
import type { NamedConnection } from "../input/parse-connection.js";
import type { Connection } from "./connection.js";
import { type AzureOptions, openAzure, openEntra } from "./open-azure.js";

/** Opens several namespaces as one, in which their names stand before those of the entities: `billing:invoices`. */
export async function openSeveral(
  named: readonly NamedConnection[],
  options: AzureOptions,
): Promise<Connection> {
  const connections = new Map<string, Connection>();
  const close = async () => {
    await Promise.all(Array.from(connections.values(), (each) => each[Symbol.asyncDispose]()));
  };
  try {
    for (const { name, place } of named) {
      if (connections.has(name)) throw new UsageError(`--connection names ${name} twice.`);
      connections.set(name, await openOne(place, options));
    }
  } catch (error) {
    await close();
    throw error;
  }
  return {
    transport: namespaces(mapped(connections, ({ transport }) => transport)),
    catalog(entities) {
      for (const entity of entities) checkNamespace(entity, connections);
      return namespacesCatalog(
        mapped(connections, (connection, name) => {
          const inside = entities.flatMap((entity) => entityInside(name, entity));
          // Without names a connection lists all its entities.
          const isLeftOut = inside.length === 0 && entities.length > 0;
          return isLeftOut ? { listEntities: async () => [] } : connection.catalog(inside);
        }),
      );
    },
    createQueue: onlyInOne,
    administration: onlyInOne,
    mirror: onlyInOne,
    [Symbol.asyncDispose]: close,
  };
}

async function openOne(place: NamedConnection["place"], options: AzureOptions): Promise<Connection> {
  if ("host" in place) return await openEntra(place.host, options.listTimeout);
  const connectionString = process.env[place.variable]?.trim() ?? "";
  if (connectionString === "")
    throw new UsageError(`--connection names the environment variable ${place.variable}, which is not set.`);
  return await openAzure(connectionString, place.variable, options);
}

function mapped<Value>(
  connections: ReadonlyMap<string, Connection>,
  toValue: (connection: Connection, name: string) => Value,
): Record<string, Value> {
  return Object.fromEntries(
    Array.from(connections, ([name, connection]) => [name, toValue(connection, name)]),
  );
}

function checkNamespace(entity: EntityName, connections: ReadonlyMap<string, Connection>): void {
  const names = [...connections.keys()];
  if (names.some((name) => entityInside(name, entity).length > 0)) return;
  throw new UsageError(
    `"${pathOf(entity)}" has to begin with the name of its namespace and a colon: ${names.join(", ")}.`,
  );
}

/** The entity under its name in a namespace; none if it is in another one. */
function entityInside(namespace: string, entity: EntityName): EntityName[] {
  const path = pathOf(entity);
  if (!path.startsWith(`${namespace}:`)) return [];
  const name = path.slice(namespace.length + 1);
  return ["queue" in entity ? { ...entity, queue: name } : { ...entity, topic: name }];
}

function pathOf(entity: EntityName): string {
  return "queue" in entity ? entity.queue : entity.topic;
}

async function onlyInOne(): Promise<never> {
  throw new UsageError("This works on one namespace: give no --connection.");
}
