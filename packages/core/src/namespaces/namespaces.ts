import { quoted, type Scheduler } from "@waybill/foundation";
import { entityPathOf } from "../contracts/entity-path.js";
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
import {
  checkNamespaceName,
  type EntityInNamespace,
  type NamespaceOf,
  nameOf,
  renamed,
  splitName,
} from "./entity-in-namespace.js";
import { eventsWithEntityPath, withEntityPath } from "./with-entity-path.js";

/**
 * One transport over several namespaces, so that one client serves entities of all of them. Each queue or topic, with its subscriptions, is in
 * the namespace that `namespaceOf` names, and always in the same one. Without that function the namespace stands before the name: `billing:invoices` is the
 * queue `invoices` of `billing`. A namespace that is none of `transports` throws `configuration-invalid`. It has the capabilities that all have. It
 * knows no host name, so that a reply to an absolute address is refused. Closing it closes all transports. Throws `TypeError` without a transport.
 */
export function namespaces(
  transports: Readonly<Record<string, Transport>>,
  namespaceOf?: NamespaceOf,
): Transport {
  return new NamespacesTransport(new Map(Object.entries(transports)), namespaceOf);
}

class NamespacesTransport implements Transport {
  readonly capabilities: ReadonlySet<TransportCapability>;
  readonly scheduler: Scheduler | undefined;
  readonly #transports: ReadonlyMap<string, Transport>;
  readonly #placeOf: (queueOrTopic: string) => EntityInNamespace;

  constructor(transports: ReadonlyMap<string, Transport>, namespaceOf?: NamespaceOf) {
    const all = Array.from(transports.values());
    const [first] = all;
    if (first === undefined) throw new TypeError("namespaces needs transports by name.");
    if (namespaceOf === undefined) for (const name of transports.keys()) checkNamespaceName(name);
    this.capabilities = new Set(
      Array.from(first.capabilities).filter((one) => all.every(({ capabilities }) => capabilities.has(one))),
    );
    this.scheduler = first.scheduler;
    this.#transports = transports;
    this.#placeOf =
      namespaceOf === undefined
        ? splitName
        : (queueOrTopic) => ({ namespace: namespaceOf(queueOrTopic), name: queueOrTopic });
  }

  createSender(queueOrTopic: string): TransportSender {
    const { transport, name } = this.#find(queueOrTopic);
    return withEntityPath(transport.createSender(name), queueOrTopic);
  }

  createReceiver(
    address: EntityAddress,
    receiveMode: ReceiveMode,
    events: TransportReceiverEvents = {},
  ): TransportReceiver {
    const { transport, inside, path } = this.#findAddress(address);
    const receiver = transport.createReceiver(inside, receiveMode, eventsWithEntityPath(events, path));
    return withEntityPath(receiver, path);
  }

  async acceptSession(
    address: EntityAddress,
    sessionId: string | undefined,
    options: TransportAcceptSessionOptions,
  ): Promise<TransportSessionReceiver> {
    const { transport, inside, path } = this.#findAddress(address);
    const session = await transport.acceptSession(inside, sessionId, eventsWithEntityPath(options, path));
    return withEntityPath(session, path);
  }

  createRuleManager(topic: string, subscription: string): TransportRuleManager {
    const { transport, name } = this.#find(topic);
    return transport.createRuleManager(name, subscription);
  }

  async listSessions(address: EntityAddress, options: TransportListSessionsOptions): Promise<string[]> {
    const { transport, inside, path } = this.#findAddress(address);
    if (transport.listSessions !== undefined) return transport.listSessions(inside, options);
    throw new WaybillError("not-supported", "Its namespace's transport cannot list sessions.", {
      entityPath: path,
    });
  }

  async close(): Promise<void> {
    await Promise.all(Array.from(this.#transports.values(), (transport) => transport.close()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #findAddress(address: EntityAddress) {
    const { transport, name } = this.#find(nameOf(address));
    return { transport, inside: renamed(address, name), path: entityPathOf(address) };
  }

  #find(queueOrTopic: string): { readonly transport: Transport; readonly name: string } {
    const { namespace, name } = this.#placeOf(queueOrTopic);
    const transport = this.#transports.get(namespace);
    if (transport !== undefined) return { transport, name };
    const known = Array.from(this.#transports.keys(), (one) => quoted(one)).join(", ");
    throw new WaybillError(
      "configuration-invalid",
      namespace === ""
        ? `Its namespace has to stand before its name, as in billing:invoices: one of ${known}.`
        : `It is said to be in the namespace ${quoted(String(namespace))}, which is none of ${known}.`,
      { entityPath: queueOrTopic },
    );
  }
}
