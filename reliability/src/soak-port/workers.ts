import { createHmac } from "node:crypto";
import { ServiceBusClient } from "@azure/service-bus";
import { pause } from "waybill-harness/waiting.js";
import WebSocket from "ws";
import { openAdministration } from "../clients/administration.js";
import { complete, got, onceOnly, send } from "../clients/journaled.js";
import type { Journal } from "../ledger/journal.js";
import { absent, type Effect, sentState } from "../ledger/lines.js";
import type { SupervisedServer } from "../supervisor/supervised-server.js";
import { encrypted, key } from "./command.js";

/** What a worker works with. */
export interface Work {
  readonly server: SupervisedServer;
  /** The certificate that clients trust. */
  readonly authority: string;
  readonly journal: Journal;
  readonly isOver: () => boolean;
}

/** The queue that all ways share. */
const queue = "orders";
const batch = 10;
const pauseMs = 50;
let ids = 0;

/** The official SDK, plain or over WebSockets: connects, sends and receives for a while, and connects again. */
export async function workOverAmqp(way: "amqp" | "websocket", work: Work): Promise<void> {
  const { journal, isOver } = work;
  await keepWorking(work, way, async () => {
    const client = way === "amqp" ? openPlain(work) : openWebSocket(work);
    try {
      const sender = client.createSender(queue);
      const receiver = client.createReceiver(queue, { maxAutoLockRenewalDurationInMs: 0 });
      for (let round = 0; round < 40 && !isOver(); round++) {
        const messages = Array.from({ length: batch }, () => ({
          messageId: newId(way),
          body: `from ${way}`,
        }));
        await send(journal, sender, [queue], messages, `send over ${way}`);
        for (const message of await receiver.receiveMessages(batch, { maxWaitTimeInMs: 1000 })) {
          got(journal, message, queue);
          await complete(journal, receiver, message, queue, `complete over ${way}`);
        }
        await pause(pauseMs);
      }
    } finally {
      await client.close().catch((error: unknown) => journal.error(error, way));
    }
  });
}

/** The HTTP runtime API: sends, locks the next message, completes it at its location. */
export async function workOverHttp(work: Work): Promise<void> {
  const { journal } = work;
  await keepWorking(work, "http", async () => {
    const id = newId("http");
    const brokerProperties = JSON.stringify({ MessageId: id });
    await journal.attempt("send over http", [[`${queue}/${id}`, sentState]], () =>
      call(work, "POST", `/${queue}/messages`, { body: "from http", brokerProperties }),
    );
    const response = await call(work, "POST", `/${queue}/messages/head?timeout=1`);
    const properties = JSON.parse(response.headers.get("brokerproperties") ?? "{}");
    const received: unknown = properties.MessageId;
    const location = response.headers.get("location");
    if (location === null || received === undefined) return;
    journal.got(queue, String(received));
    await journal.attempt("complete over http", [[`${queue}/${received}`, absent]], () =>
      call(work, "DELETE", new URL(location).pathname),
    );
  });
}

/** The management API: makes entities, reads and lists them, and deletes every second one. */
export async function administer(work: Work): Promise<void> {
  const { journal } = work;
  let number = 0;
  await keepWorking(work, "management", async () => {
    const client = openAdministration(encrypted(work.server.port));
    const name = `temporary-${number++}`;
    const entity = `entity/${name}`;
    await journal.attempt("create", [[entity, "made"]], () =>
      client.createQueue(name, { maxDeliveryCount: 3 }),
    );
    const { maxDeliveryCount } = await client.getQueue(name);
    if (maxDeliveryCount !== 3) journal.violation(`${name} has changed`);
    await client.getQueueRuntimeProperties(queue);
    for await (const page of client.listQueues().byPage({ maxPageSize: 20 })) if (page.length > 0) break;
    journal.note("management answers");
    if (number % 2 === 1) await journal.attempt("delete", [[entity, absent]], () => client.deleteQueue(name));
  });
}

/** Makes the queue of the messages. Each kill costs what is locked a delivery; it must not run out of them. */
export async function makeQueue({ server, journal }: Work): Promise<void> {
  const options = { lockDuration: "PT30S", maxDeliveryCount: 2000 };
  await journal.attempt("create", [[`entity/${queue}`, "made"]], () =>
    openAdministration(encrypted(server.port)).createQueue(queue, options),
  );
}

/** Writes down all entities, and all messages that are left, which it takes out. */
export async function findAll(work: Work): Promise<void> {
  const found: Effect[] = [];
  for await (const { name } of openAdministration(encrypted(work.server.port)).listQueues())
    found.push([`entity/${name}`, "made"]);
  const client = openPlain(work);
  const receiver = client.createReceiver(queue, { receiveMode: "receiveAndDelete" });
  for (let empty = 0; empty < 2; ) {
    const messages = await receiver.receiveMessages(500, { maxWaitTimeInMs: 2000 });
    empty = messages.length === 0 ? empty + 1 : 0;
    found.push(...messages.map(({ messageId }): Effect => [`${queue}/${messageId}`, sentState]));
  }
  await client.close();
  work.journal.found(found);
}

/** Works again and again, whatever goes wrong, until the soak is over. */
async function keepWorking({ journal, isOver }: Work, way: string, act: () => Promise<void>): Promise<void> {
  while (!isOver()) {
    await act().catch((error: unknown) => journal.error(error, way));
    await pause(pauseMs);
  }
}

function newId(way: string): string {
  return `${way}-${++ids}`;
}

function openPlain({ server }: Work): ServiceBusClient {
  return new ServiceBusClient(server.connectionString, onceOnly());
}

function openWebSocket({ server, authority }: Work): ServiceBusClient {
  return new ServiceBusClient(encrypted(server.port), {
    ...onceOnly(),
    webSocketOptions: { webSocket: WebSocket, webSocketConstructorOptions: { ca: authority } },
  });
}

async function call(
  { server }: Work,
  method: string,
  path: string,
  { body, brokerProperties }: { readonly body?: string; readonly brokerProperties?: string } = {},
): Promise<Response> {
  const origin = `http://localhost:${server.port}`;
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
