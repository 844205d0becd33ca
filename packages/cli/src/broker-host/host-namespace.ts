import { type Broker, createBroker, openBroker, type Tier } from "@waybill/broker";
import { type BrokerServer, decodeWire, type ServeOptions, serve } from "@waybill/broker-server";
import { applyConfig, type NamespaceConfig } from "@waybill/broker-server/config";

/** A namespace that is served. */
export interface HostedNamespace {
  readonly name: string;
  readonly broker: Broker;
  readonly server: BrokerServer;
  /** Closes connections in an orderly way, then the storage. */
  close(): Promise<void>;
}

/** Opens a broker, in memory without a directory, creates its entities, and serves it. Closes everything if one of the three fails. */
export async function hostNamespace(
  config: NamespaceConfig,
  directory: string | undefined,
  { tier, serve: options }: { readonly tier: Tier | undefined; readonly serve: ServeOptions },
): Promise<HostedNamespace> {
  const broker = await open(directory, tier);
  try {
    await applyConfig(broker, config);
    const server = await serve(broker, { ...options, namespace: config.name });
    return {
      name: config.name,
      broker,
      server,
      async close() {
        await server.close();
        await broker.close();
      },
    };
  } catch (error) {
    await broker.close();
    throw error;
  }
}

async function open(directory: string | undefined, tier: Tier | undefined): Promise<Broker> {
  if (directory === undefined) return createBroker({ tier });
  // Imported here, so that a broker in memory starts without loading native code.
  const { openDurableStorage } = await import("@waybill/broker-storage-lmdb");
  const storage = await openDurableStorage(directory, { mustExist: false });
  return await openBroker({ storage, tier, wireDecoder: decodeWire });
}
