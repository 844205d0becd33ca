import { quoted, type Scheduler } from "@waybill/foundation";
import type { EntityCatalog } from "../contracts/entity-catalog.js";
import type {
  EntityAddress,
  ReceiveMode,
  Transport,
  TransportAcceptSessionOptions,
  TransportCapability,
  TransportListSessionsOptions,
  TransportReceiver,
  TransportReceiverEvents,
  TransportRuleManager,
  TransportSender,
  TransportSessionReceiver,
} from "../contracts/transport.js";
import { WaybillError } from "../errors/error.js";

/** In which namespace a queue or topic is: the name of one of the transports. */
export type NamespaceOf = (queueOrTopic: string) => string;

/**
 * One transport over several namespaces, so that one client serves entities of all of them. Each queue or topic, with its subscriptions, is in
 * the namespace that `namespaceOf` names, and always in the same one; a name that is none of `transports` throws `configuration-invalid`. It has
 * the capabilities that all have. It knows no host name, so that a reply to an absolute address is refused. Closing it closes all transports.
 * Throws `TypeError` without a transport.
 */
export function namespaces(
  transports: Readonly<Record<string, Transport>>,
  namespaceOf: NamespaceOf,
): Transport {
  return new NamespacesTransport(new Map(Object.entries(transports)), namespaceOf);
}

/**
 * Lists the entities of several namespaces for one transport of {@link namespaces}, so that a census, a verdict and an explorer are about all of them:
 * of each catalog those entities that `namespaceOf` says are in its namespace. Entities of one name in two namespaces are one entity for the
 * transport, so the other is not listed.
 */
export function namespacesCatalog(
  catalogs: Readonly<Record<string, EntityCatalog>>,
  namespaceOf: NamespaceOf,
): EntityCatalog {
  return {
    async listEntities(options) {
      const listed = await Promise.all(
        Object.entries(catalogs).map(async ([name, catalog]) => {
          const entities = await catalog.listEntities(options);
          return entities.filter(
            ({ entity }) => namespaceOf("queue" in entity ? entity.queue : entity.topic) === name,
          );
        }),
      );
      return listed.flat();
    },
  };
}

class NamespacesTransport implements Transport {
  readonly capabilities: ReadonlySet<TransportCapability>;
  readonly scheduler: Scheduler | undefined;
  readonly #transports: ReadonlyMap<string, Transport>;
  readonly #namespaceOf: NamespaceOf;

  constructor(transports: ReadonlyMap<string, Transport>, namespaceOf: NamespaceOf) {
    const all = Array.from(transports.values());
    const [first] = all;
    if (first === undefined || typeof namespaceOf !== "function") {
      throw new TypeError(
        "namespaces needs transports by name, and a function from a queue or topic to one of these names.",
      );
    }
    this.capabilities = new Set(
      Array.from(first.capabilities).filter((one) => all.every(({ capabilities }) => capabilities.has(one))),
    );
    this.scheduler = first.scheduler;
    this.#transports = transports;
    this.#namespaceOf = namespaceOf;
  }

  createSender(queueOrTopic: string): TransportSender {
    return this.#of(queueOrTopic).createSender(queueOrTopic);
  }

  createReceiver(
    address: EntityAddress,
    receiveMode: ReceiveMode,
    events?: TransportReceiverEvents,
  ): TransportReceiver {
    return this.#having(address).createReceiver(address, receiveMode, events);
  }

  async acceptSession(
    address: EntityAddress,
    sessionId: string | undefined,
    options: TransportAcceptSessionOptions,
  ): Promise<TransportSessionReceiver> {
    return this.#having(address).acceptSession(address, sessionId, options);
  }

  createRuleManager(topic: string, subscription: string): TransportRuleManager {
    return this.#of(topic).createRuleManager(topic, subscription);
  }

  async listSessions(address: EntityAddress, options: TransportListSessionsOptions): Promise<string[]> {
    const { listSessions } = this.#having(address);
    if (listSessions !== undefined) return listSessions.call(this.#having(address), address, options);
    throw new WaybillError("not-supported", "A namespace's transport cannot list sessions.");
  }

  async close(): Promise<void> {
    await Promise.all(Array.from(this.#transports.values(), (transport) => transport.close()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #having(address: EntityAddress): Transport {
    return this.#of("queue" in address ? address.queue : address.topic);
  }

  #of(queueOrTopic: string): Transport {
    const name = this.#namespaceOf(queueOrTopic);
    const transport = this.#transports.get(name);
    if (transport !== undefined) return transport;
    const known = Array.from(this.#transports.keys(), (one) => quoted(one)).join(", ");
    throw new WaybillError(
      "configuration-invalid",
      `It is said to be in the namespace ${quoted(String(name))}, which is none of ${known}.`,
      { entityPath: queueOrTopic },
    );
  }
}
