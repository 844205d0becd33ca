import { setImmediate } from "node:timers/promises";
import {
  type Broker,
  createBroker,
  createManualClock,
  type Faults,
  type ManualClock,
  type Tier,
} from "@waybill/broker";
import { type BrokerServer, type ServeOptions, serve } from "@waybill/broker-server";
import { type MessageType, type Transport, WaybillClient, type WaybillClientOptions } from "@waybill/core";
import { makePipeline } from "@waybill/core/internal";
import { type OptionNames, requireKnownOptions } from "@waybill/foundation";
import { localTransport } from "@waybill/transport-local";
import type { SpiedMessage, SpyKind, SpyList, WaitForOptions } from "./spied-message.js";
import { queryOf, Spy } from "./spy.js";
import { makeTopology, type Topology } from "./topology.js";
import { type WaitOptions, waitUntil } from "./wait-until.js";

/** Options of a test's namespace. */
export interface TestNamespaceOptions extends Topology {
  /**
   * A file in the form of the official emulator's Config.json, whose entities are created, too; of several namespaces, the first one. Relative paths
   * start from the working directory.
   */
  readonly config?: string | URL | undefined;
  /** The initial time of its clock. Default 2024-01-01T00:00:00Z. */
  readonly startAt?: Date | undefined;
  /** Limits it to the features of a tier of the service. Default: all features. */
  readonly tier?: Tier | undefined;
}

/** A namespace for one test, isolated from others. */
export interface TestNamespace extends AsyncDisposable {
  /** The broker engine, to inspect or change anything. */
  readonly broker: Broker;
  /** The clock for locks, times to live, schedules and waits; only `advance` changes it. */
  readonly clock: ManualClock;
  /** Fault injection: lost locks, throttling, delays, duplicates, dropped links. */
  readonly faults: Faults;
  /** The transport for clients in this process. */
  readonly transport: Transport;
  /** Creates a client in this process, which is closed with the namespace. */
  createClient<Types extends MessageType = never>(options: WaybillClientOptions<Types>): WaybillClient<Types>;
  /**
   * Serves it over AMQP for the unchanged SDKs of any language; by default on a free port with a random key. Further calls return the same
   * server.
   */
  listen(options?: ServeOptions): Promise<BrokerServer>;
  /** Messages that arrived in a queue or subscription, or were scheduled there. */
  readonly sent: SpyList;
  /** Messages that were sent to a topic, whether or not it has subscriptions. */
  readonly published: SpyList;
  /** Messages that were completed, or received and deleted. */
  readonly consumed: SpyList;
  /** Deliveries that failed: the message was abandoned, or its lock expired. One message may be there many times. */
  readonly faulted: SpyList;
  /** Messages that were dead-lettered at an entity, with reason and description. */
  readonly deadLettered: SpyList;
  /** Resolves with the messages as soon as there are `count`; after the timeout in real time, rejects with an error that lists the counts. */
  waitFor<Body = unknown>(
    kind: SpyKind,
    entity: string,
    options?: WaitForOptions<Body>,
  ): Promise<readonly SpiedMessage<Body>[]>;
  /** Resolves as soon as a condition holds, which is checked after each event of the broker. Rejects after a timeout in real time. */
  until(isDone: () => boolean | Promise<boolean>, options?: WaitOptions): Promise<void>;
  /**
   * Resolves when nothing is in flight in the whole namespace: no message is locked, and none waits where a consumer subscribes. Messages that wait
   * without a consumer stay. Handlers in `receiveAndDelete` mode are not waited for: the broker knows nothing of them. After the timeout in real
   * time, rejects with an error that says what is in flight where.
   */
  quiet(options?: WaitOptions): Promise<void>;
  /** What the spies recorded at an entity, or everywhere, as counts: `sent 2, published 0, …`. */
  counts(entity?: string): string;
  /**
   * Resolves when a queue or subscription has no active or locked messages: all were completed, dead-lettered, deferred or removed. After the
   * timeout in real time, rejects with an error that says how many are left.
   */
  settled(entity: string, options?: WaitOptions): Promise<void>;
  /** Deletes all messages and what the spies recorded; entities and clients stay. */
  reset(): Promise<void>;
  /** Closes clients, server and broker. */
  close(): Promise<void>;
}

const optionNames: OptionNames<TestNamespaceOptions> = {
  queues: true,
  topics: true,
  config: true,
  startAt: true,
  tier: true,
};

/** Opens a namespace for one test, in a few milliseconds. Rejects with `TypeError` for unknown options, and with `BrokerError` for invalid entities. */
export async function openTestNamespace(options: TestNamespaceOptions = {}): Promise<TestNamespace> {
  requireKnownOptions("openTestNamespace", options, optionNames);
  const clock = createManualClock(options.startAt);
  const broker = createBroker({ clock, tier: options.tier });
  await makeTopology(broker, options);
  const transport = localTransport(broker);
  const spy = new Spy(broker);
  const clients: WaybillClient<MessageType>[] = [];
  let server: Promise<BrokerServer> | undefined;
  let closed: Promise<void> | undefined;
  const end = async (): Promise<void> => {
    await Promise.all(clients.map((client) => client.close()));
    await transport.close();
    await (await server?.catch(() => undefined))?.close();
    spy.close();
    await broker.close();
  };
  const close = (): Promise<void> => {
    closed ??= end();
    return closed;
  };
  return {
    broker,
    clock,
    faults: broker.faults,
    transport,
    createClient(clientOptions) {
      const client = new WaybillClient(transport, clientOptions);
      spy.readWith("pipeline" in clientOptions ? clientOptions.pipeline : makePipeline(clientOptions));
      clients.push(client as unknown as WaybillClient<MessageType>);
      return client;
    },
    listen(serveOptions) {
      server ??= serve(broker, { port: 0, closeTimeoutMs: 500, ...serveOptions });
      return server;
    },
    sent: listOf(spy, "sent"),
    published: listOf(spy, "published"),
    consumed: listOf(spy, "consumed"),
    faulted: listOf(spy, "faulted"),
    deadLettered: listOf(spy, "deadLettered"),
    waitFor: async <Body>(kind: SpyKind, entity: string, waitOptions?: WaitForOptions<Body>) =>
      (await spy.waitFor(kind, entity, waitOptions as WaitForOptions)) as readonly SpiedMessage<Body>[],
    counts: (entity) => spy.counts(entity),
    async until(isDone, waitOptions) {
      await waitUntil(broker, isDone, () => "until the condition held", waitOptions);
      await spy.looked();
    },
    async quiet(waitOptions) {
      await waitUntil(
        broker,
        () => isQuiet(broker),
        () => `until nothing was in flight; ${inFlightText(broker)}`,
        waitOptions,
      );
      await spy.looked();
    },
    async settled(entity, waitOptions) {
      const left = () => broker.getEntity(entity).activeMessageCount;
      const what = () => `until '${entity}' was settled; ${left()} messages wait or are locked`;
      await waitUntil(broker, () => left() === 0, what, waitOptions);
      await spy.looked();
    },
    async reset() {
      await broker.reset();
      spy.clear();
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function listOf(spy: Spy, kind: SpyKind): SpyList {
  return ((...given: Parameters<typeof queryOf>) => spy.list(kind, queryOf(...given))) as SpyList;
}

/** How many turns of the event loop a consumer has to take its next message, or to send what follows from the last one. */
const quietTurns = 3;

async function isQuiet(broker: Broker): Promise<boolean> {
  let events = 0;
  const stop = broker.onEvent(() => events++);
  try {
    for (let turn = 0; turn < quietTurns; turn++) {
      if (events > 0 || broker.inFlight().length > 0) return false;
      await setImmediate();
    }
    return events === 0 && broker.inFlight().length === 0;
  } finally {
    stop();
  }
}

function inFlightText(broker: Broker): string {
  const texts = broker
    .inFlight()
    .map(
      ({ path, lockedCount, waitingCount }) => `'${path}' has ${lockedCount} locked, ${waitingCount} waiting`,
    );
  return texts.length === 0 ? "messages came and went" : texts.join("; ");
}
