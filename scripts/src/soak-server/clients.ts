import { openSync, writeSync } from "node:fs";
import {
  type ServiceBusClient as Client,
  ServiceBusClient,
  type ServiceBusReceivedMessage,
  type ServiceBusReceiver,
} from "@azure/service-bus";
import { randomFrom } from "../crash/random.js";
import { type CuttingProxy, openCuttingProxy } from "./cutting-proxy.js";
import type { LedgerLine } from "./delivery-ledger.js";

// Clients of the official SDK that connect, send, receive, settle or not, vanish and connect again, until the parent says stop or
// kills them. What they did is in the ledger, a file written without buffer. Arguments: port, ledger file, seed, name, number of clients.

const [port, ledgerFile, seed, name, count] = process.argv.slice(2) as [
  string,
  string,
  string,
  string,
  string,
];
const SESSIONS = 8;
/** One try for each operation: a message that the SDK sent twice would be there twice. */
const RETRY = { maxRetries: 0, timeoutInMs: 5000 };

const random = randomFrom(Number(seed));
const descriptor = openSync(ledgerFile, "a");
let names = 0;
let isStopping = false;

process.on("message", () => {
  isStopping = true;
});
process.on("disconnect", () => process.exit());
// The SDK lets some errors of a lost connection go by unhandled.
process.on("unhandledRejection", (error) => noteError(error));

const KINDS = [pull, subscribe, workInSessions, readNews];
await Promise.all(Array.from({ length: Number(count) }, (_, n) => live(KINDS[n % KINDS.length]!)));
process.exit();

type Kind = (client: Client, actions: number) => Promise<void>;

/** A client's lives: each begins with a connection and ends with a close. Every third is cut off on the way. */
async function live(act: Kind): Promise<void> {
  const proxy = await openCuttingProxy(Number(port));
  while (!isStopping) {
    write(["life", Date.now()]);
    const client = new ServiceBusClient(
      `Endpoint=sb://127.0.0.1:${proxy.port};SharedAccessKeyName=soak;SharedAccessKey=soak;UseDevelopmentEmulator=true`,
      { retryOptions: RETRY },
    );
    const cut = random(3) === 0 ? setTimeout(() => cutOff(proxy), random(4000)) : undefined;
    await act(client, 5 + random(40)).catch(noteError);
    clearTimeout(cut);
    await client.close().catch(noteError);
    await pause(200);
  }
  proxy.close();
}

function cutOff(proxy: CuttingProxy): void {
  write(["cut", Date.now()]);
  proxy.cut();
}

async function pull(client: Client, actions: number): Promise<void> {
  const sender = client.createSender("orders");
  const receiver = client.createReceiver("orders");
  for (let n = 0; n < actions && !isStopping; n++) {
    await send(sender, ["orders"]);
    await receive(receiver, "orders");
    await pause(random(200));
  }
}

/** Completes or leaves: the SDK confuses different outcomes of neighbours that are settled in one turn. */
async function subscribe(client: Client, actions: number): Promise<void> {
  const sender = client.createSender("orders");
  const receiver = client.createReceiver("orders", { maxAutoLockRenewalDurationInMs: 0 });
  receiver.subscribe(
    {
      async processMessage(message) {
        got(message, "orders");
        if (random(10) > 0) await complete(receiver, message, "orders").catch(noteError);
      },
      processError: async ({ error }) => noteError(error),
    },
    { autoCompleteMessages: false, maxConcurrentCalls: 4 },
  );
  for (let n = 0; n < actions && !isStopping; n++) {
    await send(sender, ["orders"]);
    await pause(random(200));
  }
}

async function workInSessions(client: Client, actions: number): Promise<void> {
  const sender = client.createSender("visits");
  for (let n = 0; n < actions && !isStopping; n++) {
    await send(sender, ["visits"], String(random(SESSIONS)));
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
    await send(sender, ["news/red", "news/blue"]);
    for (const [place, receiver] of receivers.entries())
      await receive(receiver, place === 0 ? "news/red" : "news/blue");
    await pause(random(200));
  }
}

async function send(
  sender: ReturnType<Client["createSender"]>,
  stores: readonly string[],
  sessionId?: string,
): Promise<void> {
  const ids = Array.from({ length: 1 + random(4) }, () => `${name}-${names++}`);
  write(["send", Date.now(), stores, ids]);
  await sender.sendMessages(
    ids.map((messageId) => ({
      messageId,
      body: Buffer.alloc(10 ** random(4), messageId),
      ...(sessionId !== undefined && { sessionId }),
    })),
  );
  write(["sent", Date.now(), ids]);
}

async function receive(receiver: ServiceBusReceiver, store: string): Promise<void> {
  const messages = await receiver.receiveMessages(1 + random(10), { maxWaitTimeInMs: 100 + random(400) });
  for (const message of messages) got(message, store);
  for (const message of messages) {
    const dice = random(10);
    if (dice < 7) await complete(receiver, message, store);
    else if (dice < 9) {
      write(["abandon", Date.now(), store, String(message.messageId)]);
      await receiver.abandonMessage(message);
    }
  }
}

async function complete(
  receiver: ServiceBusReceiver,
  message: ServiceBusReceivedMessage,
  store: string,
): Promise<void> {
  const id = String(message.messageId);
  write(["complete", Date.now(), store, id]);
  await receiver.completeMessage(message);
  write(["completed", Date.now(), store, id]);
}

function got({ messageId, sequenceNumber, lockedUntilUtc }: ServiceBusReceivedMessage, store: string): void {
  write(["got", Date.now(), store, String(messageId), String(sequenceNumber), lockedUntilUtc!.getTime()]);
}

function noteError(error: unknown): void {
  const { code, message } = error as { code?: unknown; message?: unknown };
  write([
    "error",
    Date.now(),
    code === "GeneralError" ? `GeneralError: ${message}` : String(code ?? message ?? error),
  ]);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function write(line: LedgerLine): void {
  writeSync(descriptor, `${JSON.stringify(line)}\n`);
}
