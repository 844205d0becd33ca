import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setImmediate } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import {
  ServiceBusClient,
  type ServiceBusReceivedMessage,
  type ServiceBusReceiver,
} from "@azure/service-bus";
import { type SettlementHandle, type TransportReceiver, WaybillClient } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { azureRetryOptions, azureTransport } from "@waybill/transport-azure";
import type { ReadyRequest } from "./azure-server.js";
import type { Comparison } from "./compare.js";
import { Gate } from "./gate.js";
import { order } from "./payloads.js";

const batchSize = 100;
const batchesPerCall = 5;
const maxConcurrentCalls = 32;
const handledPerCall = 640;
/** Long enough for a garbage collection of either client to be one of many. */
const sampleMs = 200;
/** Messages that a subscription's queue holds before eight calls: none of them waits for new ones. */
const waiting = 10_000;
/** Calls of each side before anything is timed: both get faster over the first 60,000 messages. */
const warmUpCalls = 100;

/** The two clients beside each other, and the broker server in a process of its own. */
interface Seats {
  readonly raw: ServiceBusClient;
  readonly beneath: ServiceBusClient;
  readonly client: WaybillClient;
  readonly server: Server;
}

/**
 * The client through the official SDK, against the official SDK alone that does the same work with bodies in wire form, in turns: both in
 * this process, each with a connection of its own, against one broker server in another process. The SDK's side is as its documentation
 * shows it: it completes what its handler returns from, renews locks, and does not parse bodies. Before every timed part the server
 * empties or refills its queues and collects its garbage, so that neither side pays for the other's.
 */
export async function openAzureComparisons(): Promise<{
  comparisons: Comparison[];
  close: () => Promise<void>;
}> {
  const server = await Server.start();
  const retryOptions = azureRetryOptions;
  const raw = new ServiceBusClient(server.connectionString, { retryOptions });
  const beneath = new ServiceBusClient(server.connectionString, { retryOptions });
  const client = new WaybillClient(azureTransport(beneath), { serializer: json() });
  const seats = { raw, beneath, client, server };
  const subscription = await subscribing(seats);
  return {
    comparisons: [sending(seats), settling(seats), subscription.comparison],
    async close() {
      await subscription.close();
      await client.close();
      await Promise.all([beneath.close(), raw.close()]);
      server.stop();
    },
  };
}

function sending({ raw, client, server }: Seats): Comparison {
  const body = order(2_000);
  const bytes = Buffer.from(JSON.stringify(body));
  const rawSender = raw.createSender("raw-sink");
  const sender = client.createSender("waybill-sink");
  const rawMessages = Array.from({ length: batchSize }, () => ({
    body: bytes,
    contentType: "application/json",
  }));
  const messages = Array.from({ length: batchSize }, () => ({ body }));
  const repeatedly = (send: () => Promise<void>) => async () => {
    for (let batch = 0; batch < batchesPerCall; batch += 1) await send();
  };
  return {
    name: "2 KB JSON: send batches of 100, against the SDK alone without serialization",
    baseline: repeatedly(() => rawSender.sendMessages(rawMessages)),
    subject: repeatedly(() => sender.sendMessages(messages)),
    prepare: () => server.ready({ purge: ["raw-sink", "waybill-sink"] }),
    sampleMs,
    unit: "rate",
    target: 0.95,
    unitsPerCall: { baseline: batchesPerCall, subject: batchesPerCall },
  };
}

/** What the transport does around the SDK's settling, the guard above all. Both sides complete 100 messages at once. */
function settling({ raw, beneath, server }: Seats): Comparison {
  const rawReceiver = raw.createReceiver("raw-sink", { skipParsingBodyAsJson: true });
  const receiver = azureTransport(beneath).createReceiver({ queue: "waybill-sink" }, "peekLock");
  const received = { baseline: [] as ServiceBusReceivedMessage[], subject: [] as SettlementHandle[] };
  const count = 8 * batchSize;
  return {
    name: "complete 100 messages at once, against the SDK alone without a guard",
    baseline: () => rawComplete(rawReceiver, received.baseline.splice(0, batchSize)),
    subject: () => complete(receiver, received.subject.splice(0, batchSize)),
    async prepare(side) {
      await server.ready({ fill: { [side === "baseline" ? "raw-sink" : "waybill-sink"]: count } });
      while (received[side].length < count) {
        const left = count - received[side].length;
        if (side === "baseline") received.baseline.push(...(await rawReceiver.receiveMessages(left)));
        else {
          const messages = await receiver.receive({ maxMessages: left, maxWaitTimeMs: 5_000 });
          received.subject.push(...messages.map(({ settlement }) => settlement!));
        }
      }
    },
    sampleMs,
    unit: "rate",
    target: 0.95,
  };
}

async function rawComplete(
  receiver: ServiceBusReceiver,
  messages: readonly ServiceBusReceivedMessage[],
): Promise<void> {
  await Promise.all(messages.map((message) => receiver.completeMessage(message)));
}

async function complete(receiver: TransportReceiver, handles: readonly SettlementHandle[]): Promise<void> {
  await Promise.all(handles.map((handle) => receiver.complete(handle)));
}

async function subscribing({ raw, client, server }: Seats) {
  const gates = { raw: new Gate(), waybill: new Gate() };
  const prepare = () => server.ready({ fill: { raw: waiting, waybill: waiting } });
  await prepare();
  const rawReceiver = raw.createReceiver("raw", { skipParsingBodyAsJson: true });
  const rawSubscription = rawReceiver.subscribe(
    { processMessage: () => gates.raw.pass(), processError: async ({ error }) => gates.raw.fail(error) },
    { maxConcurrentCalls },
  );
  client
    .createReceiver("waybill")
    .subscribe(
      { processMessage: () => gates.waybill.pass(), processError: ({ error }) => gates.waybill.fail(error) },
      { maxConcurrentCalls },
    );
  for (let call = 0; call < warmUpCalls; call += 1) {
    if (call % 8 === 0) await prepare();
    for (const gate of Object.values(gates)) await gate.let(handledPerCall);
  }
  const comparison: Comparison = {
    name: "2 KB JSON: subscribe with 32 concurrent calls, against the SDK alone without serialization",
    baseline: () => gates.raw.let(handledPerCall),
    subject: () => gates.waybill.let(handledPerCall),
    prepare,
    sampleMs,
    unit: "rate",
    target: 0.95,
    unitsPerCall: { baseline: handledPerCall, subject: handledPerCall },
  };
  return {
    comparison,
    async close() {
      await rawSubscription.close();
      for (const gate of Object.values(gates)) gate.open();
      // The SDK closes links with settlements under way, and reports them as failed when their time is up. Their answers come before this one.
      await setImmediate();
      await rawReceiver.peekMessages(1);
    },
  };
}

/** The broker server's process. */
class Server {
  readonly connectionString: string;
  readonly #process: ChildProcess;
  readonly #body = JSON.stringify(order(2_000));

  private constructor(process: ChildProcess, connectionString: string) {
    this.#process = process;
    this.connectionString = connectionString;
  }

  static async start(): Promise<Server> {
    const path = fileURLToPath(new URL("./azure-server.js", import.meta.url));
    const process = fork(path, { execArgv: ["--expose-gc"] });
    const [connectionString] = (await once(process, "message")) as [string];
    return new Server(process, connectionString);
  }

  async ready({ purge = [], fill = {} }: Partial<ReadyRequest>): Promise<void> {
    this.#process.send({ purge, fill, body: this.#body } satisfies ReadyRequest);
    await once(this.#process, "message");
  }

  stop(): void {
    this.#process.kill();
  }
}
