import { ServiceBusClient } from "@azure/service-bus";
import {
  type Message,
  parseDeadLetterRecord,
  type Receiver,
  type Sender,
  type UndecodedMessage,
  WaybillClient,
  WaybillError,
} from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { azureRetryOptions, azureTransport } from "@waybill/transport-azure";
import { readOptions } from "waybill-harness/options.js";
import { openScratch, pause, until } from "waybill-harness/waiting.js";
import { Journal } from "../ledger/journal.js";
import { Ledger } from "../ledger/ledger.js";
import { absent, type Effect, sentState } from "../ledger/lines.js";
import { conclude } from "../ledger/verdict.js";
import { openSlowedNetwork } from "../network/slowed-network.js";
import { SupervisedServer } from "../supervisor/supervised-server.js";
import { kindOf } from "./kinds.js";

// Sends messages through the client, the official SDK and a broker server on durable storage, and kills the server with `kill -9` while
// they are sent and handled. A few messages are handled so slowly that the transport replaces its link meanwhile, and the answers to settlements are
// slow on the network, so that some are pending then. Compares by id: every readable message was handled, every undeserializable one is in the
// dead-letter queue with its record, and no lock is reported as lost whose message was completed. Exits with 1 otherwise.

const { messages: messageCount, kills } = readOptions({ messages: 100_000, kills: 5 });
const batchSize = 100;
const maxConcurrentCalls = 100;
const poisonBody = new TextEncoder().encode('{"number": broken');
/** Every so many messages, one stays unsettled until so many later ones are handled: more than the deliveries after which a link is replaced. */
const slowEvery = 2_000;
const slowFor = 1_700;
/** How late the answers to settlements arrive. */
const delayMs = 50;
/** The expected state of an undeserializable message: it is never handled. */
const dead = "dead-lettered with its record";

using root = openScratch("chaos");
// Every kill uses up a delivery of locked messages; readable messages must not reach the maximum.
const work = { lockDurationMs: 30_000, maxDeliveryCount: 1_000 };
const server = SupervisedServer.inDirectory(root.path, { queues: { work } });
const ledger = new Ledger();
const journal = new Journal((line) => ledger.take(line));
const goodCount = numbersFrom(0, messageCount).filter((number) => kindOf(number) !== "poison").length;
const slowCount = Math.ceil(messageCount / slowEvery);
const abandoned = new Set<number>();
/** How often each message was completed, minus how often that was reported to have come too late. */
const completed = new Map<number, number>();
console.log(`chaos: ${messageCount} messages, ${maxConcurrentCalls} handlers, ${kills} kills`);
await server.start();
const network = await openSlowedNetwork(server.port, delayMs);
const serviceBusClient = new ServiceBusClient(
  server.connectionString.replace(`:${server.port}`, `:${network.port}`),
  { retryOptions: azureRetryOptions },
);
const client = new WaybillClient(azureTransport(serviceBusClient), { serializer: json() });
subscribe(client.createReceiver("work"));
await Promise.all([sendAll(client.createSender("work")), killNowAndThen()]);
await until(() => ledger.settlingCount === goodCount);
await emptied(client);
await collectDeadLetters(client.createReceiver("work", { subQueueType: "deadLetter" }));
await client.close();
await serviceBusClient.close();
network.close();
await server.kill();
for (const [number, times] of completed)
  if (times < 1) journal.violation(`${number} was completed, but reported as lost each time`);
console.log(`${network.receiverLinks} links to receive were opened`);
for (const line of ledger.summary()) console.log(line);
conclude([...server.findings, ...ledger.violations()], "No message was lost");

function subscribe(receiver: Receiver): void {
  receiver.subscribe(
    {
      async processMessage(message) {
        const number = numberOf(message);
        journal.got("work", String(number));
        const kind = kindOf(number);
        if (number % slowEvery === 0) await manyLaterOnes();
        if (kind === "poison") journal.violation(`poison message ${number} reached the handler`);
        else if (kind === "abandoned" && !abandoned.has(number)) {
          abandoned.add(number);
          journal.note("abandon");
          await receiver.abandonMessage(message);
        } else {
          count(number, 1);
          if (!ledger.isSettling(thingOf(number))) journal.begin("handle", [[thingOf(number), absent]]);
        }
      },
      processError({ error, errorSource, messageId, disposition }) {
        if (disposition !== "deadLettered") journal.error(error);
        const isLost = error instanceof WaybillError && error.code === "message-lock-lost";
        if (isLost && errorSource === "complete") count(numberOf({ messageId }), -1);
      },
    },
    { maxConcurrentCalls },
  );
}

function count(number: number, change: number): void {
  completed.set(number, (completed.get(number) ?? 0) + change);
}

async function manyLaterOnes(): Promise<void> {
  const begunAt = ledger.settlingCount;
  const isNearEnd = () => ledger.settlingCount >= goodCount - slowCount;
  await until(() => ledger.settlingCount >= begunAt + slowFor || isNearEnd());
}

/** Keeps a few batches in flight, and few messages in the queue: messages that are not being consumed at a kill test nothing. */
async function sendAll(sender: Sender): Promise<void> {
  let next = 0;
  const sendBatches = async () => {
    while (next < messageCount) {
      const first = next;
      const end = Math.min(first + batchSize, messageCount);
      next = end;
      await until(() => first - ledger.settlingCount < 5_000);
      await sendBatch(sender, numbersFrom(first, end));
    }
  };
  await Promise.all([sendBatches(), sendBatches(), sendBatches(), sendBatches()]);
}

async function sendBatch(sender: Sender, numbers: readonly number[]): Promise<void> {
  const poison = numbers.filter((number) => kindOf(number) === "poison");
  const others = numbers.filter((number) => kindOf(number) !== "poison");
  await untilAcknowledged(others, sentState, () => sender.sendMessages(others.map(toMessage)));
  const encoded = poison.map((number) => ({ ...toMessage(number), body: poisonBody }));
  await untilAcknowledged(poison, dead, () => sender.sendEncodedMessages(encoded));
}

function toMessage(number: number): Message {
  return {
    messageId: `m-${number}`,
    contentType: "application/json",
    body: { number, text: "lamp ".repeat(20) },
  };
}

/** Sends again what was not acknowledged, as an application does. */
async function untilAcknowledged(
  numbers: readonly number[],
  state: string,
  send: () => Promise<void>,
): Promise<void> {
  const effects = numbers.map((number): Effect => [thingOf(number), state]);
  for (;;) {
    try {
      return await journal.attempt("send", effects, send);
    } catch (error) {
      journal.error(error, "send");
      if (!(error instanceof WaybillError) || !error.retryable) throw error;
      await pause(100);
    }
  }
}

async function killNowAndThen(): Promise<void> {
  for (let kill = 1; kill <= kills; kill++) {
    const at = Math.floor((messageCount * kill) / (kills + 1));
    await until(() => ledger.settlingCount >= at);
    const killedAt = performance.now();
    await server.restart();
    const startMs = performance.now() - killedAt;
    const before = ledger.settlingCount;
    await until(() => ledger.settlingCount > before);
    const againMs = performance.now() - killedAt;
    console.log(
      `kill ${kill} after ${before} messages: the server listens after ${startMs.toFixed(0)} ms, the client handles messages after ${againMs.toFixed(0)} ms`,
    );
  }
}

/** Handlers may finish before their messages are settled. */
async function emptied(client: WaybillClient): Promise<void> {
  const receiver = client.createReceiver("work");
  await until(async () => (await receiver.peekMessages(1, { fromSequenceNumber: 0n })).length === 0);
}

/** A message whose send was retried may exist twice. */
async function collectDeadLetters(receiver: Receiver<UndecodedMessage>): Promise<void> {
  const found = new Map<string, string>();
  for (;;) {
    const letters = await receiver.receiveMessages(500, { maxWaitTimeInMs: 1_000 });
    if (letters.length === 0) break;
    for (const letter of letters) {
      const thing = thingOf(numberOf(letter));
      if (found.get(thing) !== undefined) journal.note("dead-lettered again");
      if ((found.get(thing) ?? dead) === dead) found.set(thing, flawOf(letter) ?? dead);
    }
    await Promise.all(letters.map((letter) => receiver.completeMessage(letter)));
  }
  journal.found([...found]);
}

function flawOf(
  letter: Parameters<typeof parseDeadLetterRecord>[0] & { rawBody: unknown },
): string | undefined {
  const record = parseDeadLetterRecord(letter);
  if (record === undefined) return "dead-lettered without a record";
  if (record.bodyBytes !== poisonBody.length) return `dead-lettered as ${record.bodyBytes} bytes`;
  const isSame = letter.rawBody instanceof Uint8Array && Buffer.compare(letter.rawBody, poisonBody) === 0;
  return isSame ? undefined : "dead-lettered with another body";
}

function thingOf(number: number): string {
  return `work/${number}`;
}

function numberOf({ messageId }: { messageId?: unknown }): number {
  return Number(String(messageId).slice(2));
}

function numbersFrom(first: number, end: number): number[] {
  return Array.from({ length: end - first }, (_, index) => first + index);
}
