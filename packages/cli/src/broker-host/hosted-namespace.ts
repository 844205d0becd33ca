import { type Broker, createBroker, openBroker, type Tier } from "@waybill/broker";
import { type BrokerServer, type ServeOptions, serve } from "@waybill/broker-server";
import { applyConfig, type NamespaceConfig } from "@waybill/broker-server/config";

/** How a namespace is served. */
export interface HostOptions {
  /** Where its data is; undefined keeps it in memory. */
  readonly directory: string | undefined;
  readonly tier: Tier | undefined;
  readonly serve: ServeOptions;
  /** Called while its data is loaded, now and then, with the number of messages so far. */
  onLoading(messages: number): void;
  /** Called with each broker, before clients can connect. */
  onOpened(broker: Broker): void;
}

/** A namespace that is served, until it is closed. */
export class HostedNamespace {
  readonly #config: NamespaceConfig;
  readonly #options: HostOptions;
  #open: { readonly broker: Broker; readonly server: BrokerServer };

  private constructor(config: NamespaceConfig, options: HostOptions, open: HostedNamespace["open"]) {
    this.#config = config;
    this.#options = options;
    this.#open = open;
  }

  /** Opens a broker, creates its entities, and serves it. Closes everything if one of the three fails. */
  static async open(config: NamespaceConfig, options: HostOptions): Promise<HostedNamespace> {
    return new HostedNamespace(config, options, await openAndServe(config, options));
  }

  get name(): string {
    return this.#config.name;
  }

  get directory(): string | undefined {
    return this.#options.directory;
  }

  /** The broker and its server; others after it was opened again. */
  get open(): { readonly broker: Broker; readonly server: BrokerServer } {
    return this.#open;
  }

  /** Opens it again from its data, on the same ports. After a failure it is closed, and can be tried again. */
  async reopen(): Promise<void> {
    const [port, ...additionalPorts] = this.#open.server.ports;
    await this.close();
    const serve = { ...this.#options.serve, port, additionalPorts };
    this.#open = await openAndServe(this.#config, { ...this.#options, serve });
  }

  /** Closes connections in an orderly way, then the storage. */
  async close(): Promise<void> {
    await this.#open.server.close();
    await this.#open.broker.close();
  }
}

async function openAndServe(
  config: NamespaceConfig,
  { directory, tier, serve: options, onLoading, onOpened }: HostOptions,
): Promise<HostedNamespace["open"]> {
  const broker = await openIn(directory, tier, onLoading);
  try {
    onOpened(broker);
    await applyConfig(broker, config);
    return { broker, server: await serve(broker, { ...options, namespace: config.name }) };
  } catch (error) {
    await broker.close();
    throw error;
  }
}

async function openIn(
  directory: string | undefined,
  tier: Tier | undefined,
  onLoading: (messages: number) => void,
): Promise<Broker> {
  if (directory === undefined) return createBroker({ tier });
  // Imported here, so that a broker in memory starts without loading native code, nor what reads stored messages.
  const [{ openDurableStorage }, { decodeWire }] = await Promise.all([
    import("@waybill/broker-storage-lmdb"),
    import("@waybill/broker-server/stored-messages"),
  ]);
  const storage = await openDurableStorage(directory, { mustExist: false });
  return await openBroker({ storage, tier, wireDecoder: decodeWire, onLoading });
}
