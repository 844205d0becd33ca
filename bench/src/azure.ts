import {
  ServiceBusClient,
  type ServiceBusReceivedMessage,
  type ServiceBusReceiverOptions,
} from "@azure/service-bus";
import { WaybillClient } from "@waybill/core";
import type { SettlementHandle } from "@waybill/core/transport";
import { required } from "@waybill/foundation";
import { json } from "@waybill/serializer-json";
import { azureRetryOptions, azureTransport } from "@waybill/transport-azure";
import type { ReadyRequest } from "./azure-server.js";
import { Gate } from "./gate.js";
import { startChild } from "./harness/child.js";
import { type SidedComparisons, sideOpener, suiteApart } from "./harness/comparison.js";
import type { Side } from "./harness/side.js";
import { order } from "./payloads.js";

const batchSize = 100;
const batchesPerCall = 5;
const maxConcurrentCalls = 32;
const handledPerCall = 640;
/** Messages in a subscription's queue before eight calls: enough that none waits for new ones. */
const waiting = 10_000;
const body = order(2_000);
const bytes = Buffer.from(JSON.stringify(body));
const asBytes: ServiceBusReceiverOptions = { skipParsingBodyAsJson: true };

/** Long enough for a garbage collection to be one of many. */
const long = { sampleMs: 200, warmUpMs: 3_000 };
/** Receiving the messages to settle takes several times as long, and is not timed. */
const short = { sampleMs: 50, warmUpMs: 600 };

const perBatch = { unit: "rate", unitsPerCall: bothSides(batchesPerCall) } as const;
const perCompletion = { unit: "rate", unitsPerCall: bothSides(batchSize) } as const;
const perMessage = { unit: "rate", unitsPerCall: bothSides(handledPerCall) } as const;

const mostlySdk = "the SDK, rhea and Node do most of the work, on both sides";

/**
 * The client and the transport over the official SDK, against the official SDK alone. Each side is a process with one `ServiceBusClient`,
 * made with the same retry options, and a broker server in memory in another process, its own; the sides are timed in turn.
 *
 * - `send`: `sendMessages` with 100 orders, which both write as JSON.
 * - `written`: the same, but the SDK gets 100 times the same bytes: it serializes nothing.
 * - `encoded`: the same, but the client gets the bytes, too: neither side serializes.
 * - `settle`: 100 messages, received before, are completed by 100 calls at once. What the transport adds above all is its guard. Neither side
 *   renews locks.
 * - `transport`: a subscription of the transport and one of the SDK, both without renewal of locks: the transport leaves that to the client.
 *   The SDK completes what its handler returned from, which is what the other handler does itself.
 * - `subscribe`: a subscription of the client, which parses each order, renews its lock and completes it, and one of the SDK as its
 *   documentation shows it, which renews and completes as well, with bodies that nobody parses. This holds all of the client and of JSON
 *   against the SDK alone.
 * - `parsing`: the same, but the SDK's handler parses the order. What is left is the price of the client.
 *
 * Handlers do nothing else. Before every eight calls, which are timed together, the server empties or refills its queue and collects its
 * garbage. Both sides get faster over tens of thousands of messages, which come before the first sample.
 */
const comparisons: SidedComparisons = {
  send: {
    name: "2 KB JSON: send batches of 100, against the SDK alone with the same orders",
    baseline: () => sendRaw(body),
    subject: send,
    target: 1.3,
    ...perBatch,
  },
  written: {
    name: "2 KB JSON: send batches of 100, against the SDK alone with bytes that are written already",
    baseline: () => sendRaw(bytes),
    subject: send,
    target: 0.95,
    ...perBatch,
  },
  encoded: {
    name: "2 KB: send batches of 100 as bytes, against the SDK alone",
    baseline: () => sendRaw(bytes),
    subject: sendEncoded,
    target: 0.95,
    ...perBatch,
  },
  settle: {
    name: "transport: complete 100 messages at once, against the SDK alone",
    baseline: settleRaw,
    subject: settle,
    target: 1.4,
    shortfall: {
      mustHold: 1.1,
      reason: "rounds differ by half, as the garbage of the received messages is collected in some of them",
    },
    ...perCompletion,
  },
  transport: {
    name: "transport: subscribe with 32 concurrent calls, 2 KB, against the SDK alone",
    baseline: () => subscribeRaw(() => {}, { maxAutoLockRenewalDurationInMs: 0 }),
    subject: subscribeTransport,
    target: 1.3,
    shortfall: { mustHold: 1.15, reason: mostlySdk },
    ...perMessage,
  },
  subscribe: {
    name: "2 KB JSON: subscribe with 32 concurrent calls, against the SDK alone with bytes that nobody parses",
    baseline: () => subscribeRaw(() => {}),
    subject: subscribe,
    target: 1.15,
    shortfall: { mustHold: 0.95, reason: mostlySdk },
    ...perMessage,
  },
  parsing: {
    name: "2 KB JSON: subscribe with 32 concurrent calls, against the SDK alone whose handler parses",
    baseline: () => subscribeRaw(parse),
    subject: subscribe,
    target: 1.15,
    shortfall: { mustHold: 1.05, reason: mostlySdk },
    ...perMessage,
  },
};

/** Each side has a broker server, which is another process, its own. */
export const azureSuite = suiteApart(import.meta.url, comparisons);
/** Opens a side of a part, in its own process. @public */
export const openSide = sideOpener(comparisons);

function bothSides(units: number): { baseline: number; subject: number } {
  return { baseline: units, subject: units };
}

/** The SDK writes an order as JSON, and sends bytes unchanged. */
async function sendRaw(body: unknown): Promise<Side> {
  const server = await startServer();
  const sender = server.connect().createSender("orders");
  const messages = Array.from({ length: batchSize }, () => ({
    body,
    contentType: "application/json",
  }));
  return sending(server, () => sender.sendMessages(messages));
}

async function send(): Promise<Side> {
  const server = await startServer();
  const sender = clientOf(server).createSender("orders");
  const messages = Array.from({ length: batchSize }, () => ({ body }));
  return sending(server, () => sender.sendMessages(messages));
}

async function sendEncoded(): Promise<Side> {
  const server = await startServer();
  const sender = clientOf(server).createSender("orders");
  const messages = Array.from({ length: batchSize }, () => ({
    body: bytes,
    contentType: "application/json",
    applicationProperties: {},
  }));
  return sending(server, () => sender.sendEncodedMessages(messages));
}

function sending(server: Server, sendBatch: () => Promise<void>): Side {
  return {
    async work() {
      for (let batch = 0; batch < batchesPerCall; batch++) await sendBatch();
    },
    prepare: () => server.ready({ purge: true }),
    ...long,
  };
}

async function settleRaw(): Promise<Side> {
  const server = await startServer();
  const receiver = server
    .connect()
    .createReceiver("orders", { ...asBytes, maxAutoLockRenewalDurationInMs: 0 });
  return settling(server, {
    receive: (count) => receiver.receiveMessages(count),
    complete: (message: ServiceBusReceivedMessage) => receiver.completeMessage(message),
  });
}

async function settle(): Promise<Side> {
  const server = await startServer();
  const receiver = azureTransport(server.connect()).createReceiver({ queue: "orders" }, "peekLock");
  return settling(server, {
    async receive(count) {
      const messages = await receiver.receive({ maxMessages: count, maxWaitTimeInMs: 5_000 });
      return messages.map(({ settlement }) => required(settlement));
    },
    complete: (handle: SettlementHandle) => receiver.complete(handle),
  });
}

function settling<Received>(
  server: Server,
  by: {
    readonly receive: (count: number) => Promise<Received[]>;
    readonly complete: (received: Received) => Promise<void>;
  },
): Side {
  const count = 8 * batchSize;
  const received: Received[] = [];
  return {
    work: () => Promise.all(received.splice(0, batchSize).map(by.complete)),
    async prepare() {
      await server.ready({ fill: count });
      while (received.length < count) received.push(...(await by.receive(count - received.length)));
    },
    ...short,
  };
}

function subscribeRaw(
  read: (message: ServiceBusReceivedMessage) => void,
  options: ServiceBusReceiverOptions = {},
): Promise<Side> {
  return subscribing((server, gate) => {
    server
      .connect()
      .createReceiver("orders", { ...asBytes, ...options })
      .subscribe(
        {
          processMessage(message) {
            read(message);
            return gate.pass();
          },
          processError: async ({ error }) => gate.fail(error),
        },
        { maxConcurrentCalls },
      );
  });
}

/** Keeps what was parsed alive, so that no compiler may leave the work out. @public */
export let parsed: unknown;

function parse(message: ServiceBusReceivedMessage): void {
  parsed = JSON.parse((message.body as Buffer).toString());
}

function subscribeTransport(): Promise<Side> {
  return subscribing((server, gate) => {
    const receiver = azureTransport(server.connect()).createReceiver({ queue: "orders" }, "peekLock");
    receiver.subscribe(
      {
        async onMessage({ settlement }) {
          await gate.pass();
          receiver.complete(required(settlement)).catch((error: unknown) => gate.fail(error));
        },
        onError: (error) => gate.fail(error),
      },
      { maxConcurrentCalls },
    );
  });
}

function subscribe(): Promise<Side> {
  return subscribing((server, gate) => {
    clientOf(server)
      .createReceiver("orders")
      .subscribe(
        { processMessage: () => gate.pass(), processError: ({ error }) => gate.fail(error) },
        { maxConcurrentCalls },
      );
  });
}

async function subscribing(start: (server: Server, gate: Gate) => void): Promise<Side> {
  const server = await startServer();
  const gate = new Gate();
  start(server, gate);
  return { work: () => gate.let(handledPerCall), prepare: () => server.ready({ fill: waiting }), ...long };
}

function clientOf(server: Server): WaybillClient {
  return new WaybillClient(azureTransport(server.connect()), { serializer: json() });
}

type Server = Awaited<ReturnType<typeof startServer>>;

/** Starts a broker server in a process of its own. */
async function startServer() {
  const program = new URL("./azure-server.js", import.meta.url);
  const child = await startChild<string>(program, [], ["--expose-gc"]);
  return {
    connect: () => new ServiceBusClient(child.ready, { retryOptions: azureRetryOptions }),
    ready: ({ purge = false, fill = 0 }: Partial<ReadyRequest>) =>
      child.process.ask<void>({ purge, fill } satisfies ReadyRequest),
  };
}
