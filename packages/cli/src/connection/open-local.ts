import { openBroker } from "@waybill/broker";
import type { BrokerServer } from "@waybill/broker-server";
import { decodeWire } from "@waybill/broker-server/stored-messages";
import { openDurableStorage } from "@waybill/broker-storage-lmdb";
import type { EntityName } from "@waybill/core/transport";
import { localCatalog, localTransport } from "@waybill/transport-local";
import type { Connection } from "./connection.js";
import { onlyStore } from "./data-directory.js";
import { mirrorSettings } from "./mirror.js";
import { namedCatalog } from "./named-catalog.js";

/** Opens a data directory with a broker in this process; no other process can open it meanwhile. */
export async function openLocal(directory: string, create: boolean): Promise<Connection> {
  const storage = await openDurableStorage(onlyStore(directory), { mustExist: !create });
  const broker = await openBroker({ storage, wireDecoder: decodeWire });
  const transport = localTransport(broker);
  const all = localCatalog(broker);
  let server: BrokerServer | undefined;
  return {
    transport,
    catalog: (entities: readonly EntityName[]) => (entities.length === 0 ? all : namedCatalog(entities, all)),
    async createQueue(queue) {
      const isThere = broker.entityPaths().some((path) => path.toLowerCase() === queue.toLowerCase());
      if (!isThere) await broker.createQueue(queue);
    },
    async administration() {
      const [{ serve }, { administrationOf }] = await Promise.all([
        import("@waybill/broker-server"),
        import("./administration.js"),
      ]);
      server ??= await serve(broker, { port: 0 });
      return await administrationOf(server.connectionString);
    },
    async mirror(topic, watchForMs) {
      const { name: subscription, ...settings } = mirrorSettings(watchForMs);
      await broker.createSubscription(topic, subscription, settings);
      return {
        address: { topic, subscription },
        [Symbol.asyncDispose]: () => broker.deleteEntity(`${topic}/Subscriptions/${subscription}`),
      };
    },
    async [Symbol.asyncDispose]() {
      await server?.close();
      await transport.close();
      await broker.close();
    },
  };
}
