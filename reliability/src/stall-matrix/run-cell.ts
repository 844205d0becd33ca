import { ServiceBusClient } from "@azure/service-bus";
import { type Broker, createBroker } from "@waybill/broker";
import { serve } from "@waybill/broker-server";
import { WaybillClient } from "@waybill/core";
import type { LinkStalledEvent } from "@waybill/core/diagnostics";
import { json } from "@waybill/serializer-json";
import { azureRetryOptions, azureTransport, type WatchdogOptions } from "@waybill/transport-azure";
import { pause, until } from "waybill-harness/waiting.js";
import { type FaultyNetwork, openFaultyNetwork } from "./faulty-network.js";
import { receiverKinds } from "./receiver-kinds.js";

/** The faults to inject while a link is open and waits for messages. */
export const faults: Readonly<Record<string, (broker: Broker, network: FaultyNetwork) => void>> = {
  "the broker delivers nothing on the link": (broker) => void broker.faults.stopDelivering("orders"),
  "the link's credit is lost": (_broker, network) => network.inject("lose credit"),
  "the broker drops the link, and detach frames are lost": (broker, network) => {
    network.inject("drop detach");
    broker.faults.dropLinks("orders");
  },
  "the socket is half closed": (_broker, network) => network.inject("half-close"),
  "the socket is half open: no data, and no error": (_broker, network) => network.inject("half-open"),
};

/** One fault with one kind of receiver. */
export interface CellOptions {
  readonly fault: string;
  readonly kind: string;
  readonly watchdog: WatchdogOptions | false;
  readonly lockDurationMs: number;
  /** Timeout in milliseconds. */
  readonly timeoutMs: number;
}

/** The result of a cell. */
export interface CellResult extends CellOptions {
  /** The time from the fault until all messages were received that were sent after it; undefined after the timeout. */
  readonly recoveryMs: number | undefined;
  readonly stalls: readonly LinkStalledEvent[];
  /** The count of the client's health. */
  readonly linksStalled: number;
}

/** More than the credit of any receiver here, so that the last messages need credit from after the fault. */
const messageCount = 8;

/** Receives a message, injects a fault, sends more messages, and measures when the last of them is received. */
export async function runCell(options: CellOptions): Promise<CellResult> {
  const { fault, kind, watchdog, lockDurationMs, timeoutMs } = options;
  const inject = faults[fault];
  const receiver = receiverKinds[kind];
  if (inject === undefined || receiver === undefined)
    throw new TypeError(`There is no cell ${fault} × ${kind}.`);
  const broker = createBroker();
  await broker.createQueue("orders", { requiresSession: receiver.isSession, lockDurationMs });
  const server = await serve(broker, { port: 0 });
  const network = await openFaultyNetwork(server.port);
  const connectionString = server.connectionString.replace(`:${server.port}`, `:${network.port}`);
  const serviceBusClient = new ServiceBusClient(connectionString, { retryOptions: azureRetryOptions });
  const transport = azureTransport(serviceBusClient, { watchdog });
  const stalls: LinkStalledEvent[] = [];
  const client = new WaybillClient(transport, {
    serializer: json(),
    diagnostics: { onEvent: (event) => void (event.type === "linkStalled" && stalls.push(event)) },
  });
  const stopping = new AbortController();
  const seen = new Set<unknown>();
  const receiving = Promise.resolve(receiver.receive(client, (body) => seen.add(body), stopping.signal));
  try {
    await send(broker, "first");
    await until(() => seen.has("first"), 30_000);
    // The next receive has begun, and the broker has its credit.
    await pause(300);
    const startedAt = performance.now();
    inject(broker, network);
    for (let n = 0; n < messageCount; n++) await send(broker, n);
    // All of them, and the first message.
    const isRecovered = await until(() => seen.size > messageCount, timeoutMs);
    const recoveryMs = isRecovered ? performance.now() - startedAt : undefined;
    return { ...options, recoveryMs, stalls, linksStalled: client.health().linksStalled };
  } finally {
    stopping.abort();
    // Without recovery, closing does not end either.
    await Promise.race([
      receiving.then(closeAll),
      new Promise((resolve) => setTimeout(resolve, 10_000).unref()),
    ]);
    network.close();
  }

  async function closeAll(): Promise<void> {
    await client.close();
    await transport.close();
    await serviceBusClient.close();
    await server.close();
    await broker.close();
  }
}

async function send(broker: Broker, value: string | number): Promise<void> {
  const bytes = Buffer.from(JSON.stringify(value));
  await broker
    .sender("orders")
    .send({ sessionId: "a", contentType: "application/json", body: { section: "data", bytes } });
}
