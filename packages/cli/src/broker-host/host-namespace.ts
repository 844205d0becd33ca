import { join } from "node:path";
import { type Broker, createBroker, openBroker, type Tier } from "@waybill/broker";
import { type BrokerServer, decodeWire, type ServeOptions, serve } from "@waybill/broker-server";
import { applyConfig } from "../broker-config/apply-config.js";
import type { NamespaceConfig } from "../broker-config/namespace-config.js";

/** How namespaces are hosted. */
export interface HostOptions {
  /** The directory of their data; undefined keeps all in memory. */
  readonly data: string | undefined;
  readonly tier: Tier | undefined;
  readonly serve: ServeOptions;
}

/** A namespace on the network. */
export interface HostedNamespace {
  readonly name: string;
  readonly broker: Broker;
  readonly server: BrokerServer;
  /** Says goodbye to clients, then closes the storage. */
  close(): Promise<void>;
}

/** Opens a broker, makes its entities, and serves it. Nothing is left open when one of the three fails. */
export async function hostNamespace(
  config: NamespaceConfig,
  directory: string | undefined,
  { tier, serve: options }: HostOptions,
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

/** Where the data of each of several namespaces is: one alone has the directory for itself. */
export function directoryOf(data: string | undefined, name: string, count: number): string | undefined {
  return data === undefined || count === 1 ? data : join(data, name);
}

async function open(directory: string | undefined, tier: Tier | undefined): Promise<Broker> {
  if (directory === undefined) return createBroker({ tier });
  // A broker in memory starts without its native code.
  const { openDurableStorage } = await import("@waybill/broker-storage-lmdb");
  const storage = await openDurableStorage(directory, { mustExist: false });
  return await openBroker({ storage, tier, wireDecoder: decodeWire });
}
