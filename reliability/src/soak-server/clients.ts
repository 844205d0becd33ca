import {
  type ServiceBusClient as Client,
  ServiceBusClient,
  type ServiceBusReceivedMessage,
  type ServiceBusReceiver,
} from "@azure/service-bus";
import { required } from "@waybill/foundation";
import { randomFrom } from "waybill-harness/random.js";
import { pause } from "waybill-harness/waiting.js";
import { abandon, complete, got, onceOnly, send } from "../clients/journaled.js";
import { Journal } from "../ledger/journal.js";
import type { Delivery } from "../ledger/lines.js";
import { openRelay, type Relay } from "../network/relay.js";

// Clients of the official SDK that connect, send, receive, settle or not, disconnect and reconnect, until the parent process stops or
// kills them. Arguments: connection string, its port, lock duration in ms, journal file, seed, name, number of clients.

const [connectionString = "", port = "", lockMs, journalFile = "", seed, name = "", count] =
  process.argv.slice(2);
const sessions = 8;
/** Maximum delay, in ms, until a client gets data that was read from a socket before the connection was cut. */
const lateMs = 2000;

const random = randomFrom(Number(seed));
const journal = Journal.inFile(journalFile);
let names = 0;
let isStopping = false;

process.on("message", () => {
  isStopping = true;
});
process.on("disconnect", () => process.exit());
// The SDK does not handle some errors of a lost connection.
process.on("unhandledRejection", (error) => journal.error(error));

process.send?.("ready");
const kinds = [pull, subscribe, workInSessions, readNews];
await Promise.all(Array.from({ length: Number(count) }, (_, n) => live(required(kinds[n % kinds.length]))));
process.exit();

type Kind = (client: Client, actions: number) => Promise<void>;

/** Connects and closes a client again and again. Every third connection is cut before it is closed. */
async function live(act: Kind): Promise<void> {
  const relay = await openRelay(Number(port));
  while (!isStopping) {
    journal.note("connect");
    const client = new ServiceBusClient(connectionString.replace(`:${port}`, `:${relay.port}`), onceOnly());
    const cut = random(3) === 0 ? setTimeout(() => cutOff(relay), random(4000)) : undefined;
    await act(client, 5 + random(40)).catch(noteError);
    clearTimeout(cut);
    await client.close().catch(noteError);
    await pause(200);
  }
  relay.close();
}

function cutOff(relay: Relay): void {
  journal.note("cut");
  relay.cut();
}

async function pull(client: Client, actions: number): Promise<void> {
  const sender = client.createSender("orders");
  const receiver = client.createReceiver("orders");
  for (let n = 0; n < actions && !isStopping; n++) {
    await send(journal, sender, ["orders"], someMessages());
    await receive(receiver, "orders");
    await pause(random(200));
  }
}

/** Completes messages or does not settle them: the SDK confuses different outcomes of messages that are settled at the same time. */
async function subscribe(client: Client, actions: number): Promise<void> {
  const sender = client.createSender("orders");
  const receiver = client.createReceiver("orders", { maxAutoLockRenewalDurationInMs: 0 });
  receiver.subscribe(
    {
      async processMessage(message) {
        got(journal, message, "orders", lockOf(message, "orders"));
        if (random(10) > 0) await complete(journal, receiver, message, "orders").catch(noteError);
      },
      processError: async ({ error }) => noteError(error),
    },
    { autoCompleteMessages: false, maxConcurrentCalls: 4 },
  );
  for (let n = 0; n < actions && !isStopping; n++) {
    await send(journal, sender, ["orders"], someMessages());
    await pause(random(200));
  }
}

async function workInSessions(client: Client, actions: number): Promise<void> {
  const sender = client.createSender("visits");
  for (let n = 0; n < actions && !isStopping; n++) {
    await send(journal, sender, ["visits"], someMessages({ sessionId: String(random(sessions)) }));
    const session = await client.acceptNextSession("visits", { maxAutoLockRenewalDurationInMs: 0 });
    await receive(session, "visits");
    await session.setSessionState({ seen: n });
    await session.close();
    await pause(random(200));
  }
}

async function readNews(client: Client, actions: number): Promise<void> {
  const sender = client.createSender("news");
  const receivers = ["red", "blue"].map((subscription) => client.createReceiver("news", subscription));
  for (let n = 0; n < actions && !isStopping; n++) {
    await send(journal, sender, ["news/red", "news/blue"], someMessages());
    for (const [place, receiver] of receivers.entries())
      await receive(receiver, place === 0 ? "news/red" : "news/blue");
    await pause(random(200));
  }
}

function someMessages(properties: { readonly sessionId?: string } = {}) {
  const ids = Array.from({ length: 1 + random(4) }, () => `${name}-${names++}`);
  return ids.map((messageId) => ({
    messageId,
    body: Buffer.alloc(10 ** random(4), messageId),
    ...properties,
  }));
}

async function receive(receiver: ServiceBusReceiver, store: string): Promise<void> {
  const messages = await receiver.receiveMessages(1 + random(10), { maxWaitTimeInMs: 100 + random(400) });
  for (const message of messages) got(journal, message, store, lockOf(message, store));
  for (const message of messages) {
    const dice = random(10);
    if (dice < 7) await complete(journal, receiver, message, store);
    else if (dice < 9) await abandon(journal, receiver, message, store);
  }
}

/** Messages of a session are locked by their session, whose lock ends with its link. */
function lockOf({ lockedUntilUtc }: ServiceBusReceivedMessage, store: string): Omit<Delivery, "sequence"> {
  if (store === "visits") return { lockedAt: Date.now() - lateMs };
  const lockedUntil = required(lockedUntilUtc).getTime();
  return { lockedAt: lockedUntil - Number(lockMs), lockedUntil };
}

function noteError(error: unknown): void {
  journal.error(error);
}
