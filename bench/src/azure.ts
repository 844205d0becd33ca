import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import {
  type ProcessErrorArgs,
  ServiceBusClient,
  type ServiceBusReceivedMessage,
  type ServiceBusReceiverOptions,
} from "@azure/service-bus";
import { type SettlementHandle, WaybillClient } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { azureRetryOptions, azureTransport } from "@waybill/transport-azure";
import type { ReadyRequest } from "./azure-server.js";
import type { Comparison, Work } from "./compare.js";
import type { ApartComparison } from "./compare-apart.js";
import { Gate } from "./gate.js";
import type { Parts } from "./parts.js";
import { order } from "./payloads.js";

const batchSize = 100;
const batchesPerCall = 5;
const maxConcurrentCalls = 32;
const handledPerCall = 640;
/** Messages that a subscription's queue holds before eight calls: none of them waits for new ones. */
const waiting = 10_000;
const body = order(2_000);
const bytes = Buffer.from(JSON.stringify(body));

/** What a side does, and what comes before every eight calls of it. */
interface AzureSide {
  readonly work: Work;
  readonly prepare: () => Promise<void>;
}

/** What is compared; each side is made in a process of its own. */
interface AzureComparison extends Pick<Comparison, "name" | "unit" | "target" | "unitsPerCall"> {
  readonly baseline: () => Promise<AzureSide>;
  readonly subject: () => Promise<AzureSide>;
}

export const azureComparisons: Readonly<Record<string, AzureComparison>> = {
  send: {
    name: "2 KB JSON: send batches of 100, against the SDK alone with bytes",
    baseline: sendRaw,
    subject: send,
    unit: "rate",
    target: 0.95,
    unitsPerCall: { baseline: batchesPerCall, subject: batchesPerCall },
  },
  settle: {
    name: "complete 100 messages at once through the transport, against the SDK alone",
    baseline: settleRaw,
    subject: settle,
    unit: "rate",
    target: 0.95,
  },
  transport: {
    name: "2 KB bytes: subscribe with 32 concurrent calls through the transport alone, against the SDK alone",
    baseline: () => subscribeRaw(handOver),
    subject: subscribeTransport,
    unit: "rate",
    target: 0.95,
    unitsPerCall: { baseline: handledPerCall, subject: handledPerCall },
  },
  subscribe: {
    name: "2 KB JSON: subscribe with 32 concurrent calls, against the SDK alone with bytes that nobody parses",
    baseline: () => subscribeRaw(handOver),
    subject: subscribe,
    unit: "rate",
    target: 0.95,
    unitsPerCall: { baseline: handledPerCall, subject: handledPerCall },
  },
  parsing: {
    name: "the same, against the SDK alone whose handler parses the JSON",
    baseline: () => subscribeRaw(handParsed),
    subject: subscribe,
    unit: "rate",
    target: 0.95,
    unitsPerCall: { baseline: handledPerCall, subject: handledPerCall },
  },
};

const sideProgram = new URL("./azure-side.js", import.meta.url);

/** The parts of the suite, by the names under which each can be run alone. */
export const azureParts: Parts<ApartComparison> = Object.fromEntries(
  Object.entries(azureComparisons).map(([part, { name, unit, target, unitsPerCall }]) => [
    part,
    async () => ({ name, unit, target, unitsPerCall, baseline: sideProgram, subject: sideProgram, args: [part] }),
  ]),
);

async function sendRaw(): Promise<AzureSide> {
  const server = await Server.start();
  const sender = server.connect().createSender("orders");
  const messages = Array.from({ length: batchSize }, () => ({ body: bytes, contentType: "application/json" }));
  return sending(server, () => sender.sendMessages(messages));
}

async function send(): Promise<AzureSide> {
  const server = await Server.start();
  const sender = clientOf(server).createSender("orders");
  const messages = Array.from({ length: batchSize }, () => ({ body }));
  return sending(server, () => sender.sendMessages(messages));
}

function sending(server: Server, sendBatch: () => Promise<void>): AzureSide {
  return {
    async work() {
      for (let batch = 0; batch < batchesPerCall; batch += 1) await sendBatch();
    },
    prepare: () => server.ready({ purge: true }),
  };
}

async function settleRaw(): Promise<AzureSide> {
  const server = await Server.start();
  const receiver = server.connect().createReceiver("orders", asBytes);
  return settling(server, {
    receive: (count) => receiver.receiveMessages(count),
    complete: (message: ServiceBusReceivedMessage) => receiver.completeMessage(message),
  });
}

async function settle(): Promise<AzureSide> {
  const server = await Server.start();
  const receiver = azureTransport(server.connect()).createReceiver({ queue: "orders" }, "peekLock");
  return settling(server, {
    async receive(count) {
      const messages = await receiver.receive({ maxMessages: count, maxWaitTimeMs: 5_000 });
      return messages.map(({ settlement }) => settlement!);
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
): AzureSide {
  const count = 8 * batchSize;
  const received: Received[] = [];
  return {
    work: () => Promise.all(received.splice(0, batchSize).map(by.complete)),
    async prepare() {
      await server.ready({ fill: count });
      while (received.length < count) received.push(...(await by.receive(count - received.length)));
    },
  };
}

async function subscribeRaw(
  handle: (message: ServiceBusReceivedMessage, gate: Gate) => Promise<void>,
): Promise<AzureSide> {
  return subscribing((server, gate) => {
    server
      .connect()
      .createReceiver("orders", asBytes)
      .subscribe(
        {
          processMessage: (message) => handle(message, gate),
          processError: async ({ error }: ProcessErrorArgs) => gate.fail(error),
        },
        { maxConcurrentCalls },
      );
  });
}

function handOver(_message: ServiceBusReceivedMessage, gate: Gate): Promise<void> {
  return gate.pass();
}

function handParsed(message: ServiceBusReceivedMessage, gate: Gate): Promise<void> {
  parsed = JSON.parse((message.body as Buffer).toString());
  return gate.pass();
}

/** Keeps what was parsed alive, so that no compiler may leave the work out. @public */
export let parsed: unknown;

function subscribeTransport(): Promise<AzureSide> {
  return subscribing((server, gate) => {
    const receiver = azureTransport(server.connect()).createReceiver({ queue: "orders" }, "peekLock");
    receiver.subscribe(
      {
        async onMessage({ settlement }) {
          await gate.pass();
          receiver.complete(settlement!).catch((error: unknown) => gate.fail(error));
        },
        onError: (error) => gate.fail(error),
      },
      { maxConcurrentCalls },
    );
  });
}

function subscribe(): Promise<AzureSide> {
  return subscribing((server, gate) => {
    clientOf(server)
      .createReceiver("orders")
      .subscribe(
        { processMessage: () => gate.pass(), processError: ({ error }) => gate.fail(error) },
        { maxConcurrentCalls },
      );
  });
}

async function subscribing(start: (server: Server, gate: Gate) => void): Promise<AzureSide> {
  const server = await Server.start();
  const gate = new Gate();
  start(server, gate);
  return { work: () => gate.let(handledPerCall), prepare: () => server.ready({ fill: waiting }) };
}

const asBytes: ServiceBusReceiverOptions = { skipParsingBodyAsJson: true };

function clientOf(server: Server): WaybillClient {
  return new WaybillClient(azureTransport(server.connect()), { serializer: json() });
}

/** The broker server's process. */
class Server {
  readonly #connectionString: string;
  readonly #process: ChildProcess;

  private constructor(process: ChildProcess, connectionString: string) {
    this.#process = process;
    this.#connectionString = connectionString;
  }

  static async start(): Promise<Server> {
    const path = fileURLToPath(new URL("./azure-server.js", import.meta.url));
    const process = fork(path, { execArgv: ["--expose-gc"] });
    const [connectionString] = (await once(process, "message")) as [string];
    return new Server(process, connectionString);
  }

  connect(): ServiceBusClient {
    return new ServiceBusClient(this.#connectionString, { retryOptions: azureRetryOptions });
  }

  async ready({ purge = false, fill = 0 }: Partial<ReadyRequest>): Promise<void> {
    this.#process.send({ purge, fill } satisfies ReadyRequest);
    await once(this.#process, "message");
  }
}
