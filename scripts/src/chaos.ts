import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
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
import { ServerProcess } from "./chaos/server-process.js";
import { kindOf, Tally } from "./chaos/tally.js";

// Sends messages through the client, the official SDK and a broker server on durable storage, and kills the server with `kill -9` while
// they are sent and handled. Then counts by id: every message that can be read was handled, every poison message lies in the dead-letter
// queue with its record. Exits with 1 if one is missing.

const { values: args } = parseArgs({
  options: {
    messages: { type: "string", default: "100000" },
    kills: { type: "string", default: "5" },
  },
});
const messageCount = Number(args.messages);
const kills = Number(args.kills);
const batchSize = 100;
const maxConcurrentCalls = 100;
const poisonBody = new TextEncoder().encode('{"number": broken');

const directory = mkdtempSync(join(tmpdir(), "waybill-chaos-"));
const server = new ServerProcess(directory);
const tally = new Tally(messageCount);
const startedAt = performance.now();
console.log(`chaos: ${messageCount} messages, ${maxConcurrentCalls} handlers, ${kills} kills`);
try {
  await server.start();
  const serviceBusClient = new ServiceBusClient(server.connectionString, { retryOptions: azureRetryOptions });
  const client = new WaybillClient(azureTransport(serviceBusClient), { serializer: json() });
  subscribe(client.createReceiver("work"));
  await Promise.all([sendAll(client.createSender("work")), killNowAndThen()]);
  await until(() => tally.handledCount === tally.goodCount);
  await emptied(client);
  await collectDeadLetters(client.createReceiver("work", { subQueueType: "deadLetter" }));
  await client.close();
  await serviceBusClient.close();
  await server.kill();
  for (const line of tally.close()) console.log(line);
  for (const violation of tally.violations.slice(0, 20)) console.error(violation);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  const verdict =
    tally.violations.length === 0 ? "Nothing was lost" : `${tally.violations.length} violations`;
  console.log(`${verdict}, ${seconds} s`);
  process.exitCode = tally.violations.length === 0 ? 0 : 1;
} finally {
  rmSync(directory, { recursive: true, force: true });
}

function subscribe(receiver: Receiver): void {
  receiver.subscribe(
    {
      async processMessage(message) {
        const number = numberOf(message);
        if (tally.takesAbandoning(number)) await receiver.abandonMessage(message);
        else tally.handled(number);
      },
      processError({ error, disposition }) {
        if (disposition !== "deadLettered") tally.error(codeOf(error));
      },
    },
    { maxConcurrentCalls },
  );
}

/** Keeps a few batches in progress, and few messages in the queue: what is not consumed by a kill is not tried by it. */
async function sendAll(sender: Sender): Promise<void> {
  let next = 0;
  const sendBatches = async () => {
    while (next < messageCount) {
      const first = next;
      const end = Math.min(first + batchSize, messageCount);
      next = end;
      await until(() => first - tally.handledCount < 5_000);
      await sendBatch(sender, first, end);
    }
  };
  await Promise.all([sendBatches(), sendBatches(), sendBatches(), sendBatches()]);
}

async function sendBatch(sender: Sender, first: number, end: number): Promise<void> {
  const numbers = Array.from({ length: end - first }, (_, index) => first + index);
  const poison = numbers.filter((number) => kindOf(number) === "poison");
  const others = numbers.filter((number) => kindOf(number) !== "poison");
  await untilAcknowledged(() => sender.sendMessages(others.map(toMessage)));
  const encoded = poison.map((number) => ({ ...toMessage(number), body: poisonBody }));
  await untilAcknowledged(() => sender.sendEncodedMessages(encoded));
  for (const number of numbers) tally.sent(number);
}

function toMessage(number: number): Message {
  return {
    messageId: `m-${number}`,
    contentType: "application/json",
    body: { number, text: "lamp ".repeat(20) },
  };
}

/** Sends again what was not acknowledged, as an application does. */
async function untilAcknowledged(send: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await send();
    } catch (error) {
      tally.error(`send ${codeOf(error)}`);
      if (!(error instanceof WaybillError) || !error.retryable) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

async function killNowAndThen(): Promise<void> {
  for (let kill = 1; kill <= kills; kill++) {
    const at = Math.floor((messageCount * kill) / (kills + 1));
    await until(() => tally.handledCount >= at);
    await server.kill();
    const killedAt = performance.now();
    await server.start();
    const startMs = performance.now() - killedAt;
    const before = tally.handledCount;
    await until(() => tally.handledCount > before);
    const againMs = performance.now() - killedAt;
    console.log(
      `kill ${kill} after ${before} messages: listens again after ${startMs.toFixed(0)} ms, handles after ${againMs.toFixed(0)} ms`,
    );
  }
}

/** Handlers may be done before their messages are settled. */
async function emptied(client: WaybillClient): Promise<void> {
  const receiver = client.createReceiver("work");
  await until(async () => (await receiver.peekMessages(1, { fromSequenceNumber: 0n })).length === 0);
}

async function collectDeadLetters(receiver: Receiver<UndecodedMessage>): Promise<void> {
  for (;;) {
    const letters = await receiver.receiveMessages(500, { maxWaitTimeInMs: 1_000 });
    if (letters.length === 0) return;
    for (const letter of letters) tally.deadLettered(numberOf(letter), flawOf(letter));
    await Promise.all(letters.map((letter) => receiver.completeMessage(letter)));
  }
}

function flawOf(
  letter: Parameters<typeof parseDeadLetterRecord>[0] & { rawBody: unknown },
): string | undefined {
  const record = parseDeadLetterRecord(letter);
  if (record === undefined) return "it has no record";
  if (record.bodyBytes !== poisonBody.length) return `its record reports ${record.bodyBytes} bytes`;
  if (!(letter.rawBody instanceof Uint8Array)) return "its body is not what was sent";
  return Buffer.compare(letter.rawBody, poisonBody) === 0 ? undefined : "its body is not what was sent";
}

function numberOf({ messageId }: { messageId?: unknown }): number {
  return Number(String(messageId).slice(2));
}

function codeOf(error: unknown): string {
  return error instanceof WaybillError ? error.code : String(error);
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20));
}
