import { createHmac } from "node:crypto";
import { ServiceBusAdministrationClient, ServiceBusClient } from "@azure/service-bus";
import WebSocket from "ws";
import type { BrokerProcess } from "./broker-process.js";
import type { PortLedger, Way } from "./port-ledger.js";

/** What a worker works with. */
export interface Work {
  readonly broker: BrokerProcess;
  readonly ledger: PortLedger;
  readonly isOver: () => boolean;
}

/** The queue that all ways share. */
export const queue = "orders";
/** One try for each operation: a message that the SDK sent twice would be there twice. */
const once = { maxRetries: 0, timeoutInMs: 5000 };
const batch = 10;
const pauseMs = 50;

/** The official SDK, plain or over WebSockets: connects, sends and receives for a while, and connects again. */
export async function workOverAmqp(way: "amqp" | "websocket", work: Work): Promise<void> {
  const { broker, ledger, isOver } = work;
  while (!isOver()) {
    const client = way === "amqp" ? openPlain(broker) : openWebSocket(broker);
    try {
      const sender = client.createSender(queue);
      const receiver = client.createReceiver(queue, { maxAutoLockRenewalDurationInMs: 0 });
      for (let round = 0; round < 40 && !isOver(); round++) {
        const ids = Array.from({ length: batch }, () => ledger.newMessage(way));
        await sender.sendMessages(ids.map((messageId) => ({ messageId, body: `from ${way}` })));
        for (const id of ids) ledger.sent(way, id);
        for (const message of await receiver.receiveMessages(batch, { maxWaitTimeInMs: 1000 })) {
          const id = String(message.messageId);
          ledger.got(way, id);
          ledger.completing(id);
          await receiver.completeMessage(message);
          ledger.completed(way, id);
        }
        await pause();
      }
    } catch (error) {
      ledger.error(way, error);
    }
    await client.close().catch((error) => ledger.error(way, error));
    await pause();
  }
}

/** Everything that is left, taken out. */
export async function drain(broker: BrokerProcess): Promise<string[]> {
  const client = openPlain(broker);
  const receiver = client.createReceiver(queue, { receiveMode: "receiveAndDelete" });
  const left: string[] = [];
  for (let empty = 0; empty < 2; ) {
    const messages = await receiver.receiveMessages(500, { maxWaitTimeInMs: 2000 });
    empty = messages.length === 0 ? empty + 1 : 0;
    left.push(...messages.map(({ messageId }) => String(messageId)));
  }
  await client.close();
  return left;
}

/** The HTTP runtime API: sends, locks the next message, completes it at its location. */
export async function workOverHttp({ broker, ledger, isOver }: Work): Promise<void> {
  const way: Way = "http";
  while (!isOver()) {
    try {
      const id = ledger.newMessage(way);
      const brokerProperties = JSON.stringify({ MessageId: id });
      await call(broker, "POST", `/${queue}/messages`, { body: "from http", brokerProperties });
      ledger.sent(way, id);
      const response = await call(broker, "POST", `/${queue}/messages/head?timeout=1`);
      const properties = JSON.parse(response.headers.get("brokerproperties") ?? "{}") as {
        MessageId?: string;
      };
      const location = response.headers.get("location");
      if (location !== null && properties.MessageId !== undefined) {
        ledger.got(way, properties.MessageId);
        ledger.completing(properties.MessageId);
        await call(broker, "DELETE", new URL(location).pathname);
        ledger.completed(way, properties.MessageId);
      }
    } catch (error) {
      ledger.error(way, error);
    }
    await pause();
  }
}

/** The management API: makes entities, reads and lists them, and deletes every second one. */
export async function administer({ broker, ledger, isOver }: Work): Promise<void> {
  for (let number = 0; !isOver(); number++) {
    const client = openAdministration(broker);
    const name = `temporary-${number}`;
    try {
      ledger.entityUncertain(name);
      await client.createQueue(name, { maxDeliveryCount: 3 });
      ledger.entity(name, "created");
      const { maxDeliveryCount } = await client.getQueue(name);
      if (maxDeliveryCount !== 3) ledger.violations.push(`${name} has changed`);
      await client.getQueueRuntimeProperties(queue);
      for await (const page of client.listQueues().byPage({ maxPageSize: 20 })) if (page.length > 0) break;
      ledger.answered();
      if (number % 2 === 0) {
        ledger.entityUncertain(name);
        await client.deleteQueue(name);
        ledger.entity(name, "deleted");
      }
    } catch (error) {
      ledger.error("management", error);
    }
    await pause();
  }
}

/** The names of all queues. */
export async function queuesOf(broker: BrokerProcess): Promise<Set<string>> {
  const names = new Set<string>();
  for await (const { name } of openAdministration(broker).listQueues()) names.add(name);
  return names;
}

/** An administration client, over plain HTTP, which this version of the SDK does not ask for by itself. */
export function openAdministration(broker: BrokerProcess): ServiceBusAdministrationClient {
  const client = new ServiceBusAdministrationClient(broker.encryptedConnectionString, {
    retryOptions: { maxRetries: 0 },
  });
  client.pipeline.addPolicy({
    name: "plain-http",
    sendRequest(request, next) {
      request.url = request.url.replace(/^https:/, "http:");
      request.allowInsecureConnection = true;
      return next(request);
    },
  });
  return client;
}

function openPlain(broker: BrokerProcess): ServiceBusClient {
  return new ServiceBusClient(broker.connectionString, { retryOptions: once });
}

function openWebSocket(broker: BrokerProcess): ServiceBusClient {
  return new ServiceBusClient(broker.encryptedConnectionString, {
    retryOptions: once,
    webSocketOptions: { webSocket: WebSocket, webSocketConstructorOptions: { ca: broker.authority } },
  });
}

async function call(
  { origin, key }: BrokerProcess,
  method: string,
  path: string,
  { body, brokerProperties }: { readonly body?: string; readonly brokerProperties?: string } = {},
): Promise<Response> {
  const resource = encodeURIComponent(`${origin}${path}`.toLowerCase());
  const expiry = Math.floor(Date.now() / 1000) + 600;
  const signature = createHmac("sha256", key).update(`${resource}\n${expiry}`).digest("base64");
  const authorization = `SharedAccessSignature sr=${resource}&sig=${encodeURIComponent(signature)}&se=${expiry}&skn=RootManageSharedAccessKey`;
  const response = await fetch(`${origin}${path}`, {
    method,
    body: body ?? null,
    headers: { authorization, ...(brokerProperties === undefined ? {} : { brokerProperties }) },
    signal: AbortSignal.timeout(10_000),
  });
  await response.arrayBuffer();
  if (!response.ok) throw Object.assign(new Error("refused"), { code: `HTTP ${response.status}` });
  return response;
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, pauseMs));
}
