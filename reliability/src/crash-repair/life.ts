import { join } from "node:path";
import { openBroker } from "@waybill/broker";
import { openDurableStorage } from "@waybill/broker-storage-lmdb";
import { createPipeline, type EncodedMessage } from "@waybill/core";
import { required } from "@waybill/foundation";
import { openReceiptFile, repairDeadLetters } from "@waybill/migration/repair";
import { json } from "@waybill/serializer-json";
import { localTransport } from "@waybill/transport-local";
import { Journal } from "../ledger/journal.js";
import type { Effect } from "../ledger/lines.js";
import { sentState } from "../ledger/lines.js";

// One process on a durable broker: it fills two dead-letter queues, repairs them, or counts what arrived.

const [step, root, count, first] = process.argv.slice(2) as [
  "fill" | "repair" | "count",
  string,
  string,
  string,
];
const messages = Number(count);
const pipeline = createPipeline({ serializer: json() });
const queues = ["plain", "deduplicating"].sort((one) => (one === first ? -1 : 1));
const steps = { fill, repair, count: countArrived };
const journal = Journal.inFile(join(root, "journal"));

const broker = await openBroker({ storage: await openDurableStorage(join(root, "store")) });
const transport = localTransport(broker);
console.log("working");
console.log(JSON.stringify((await steps[step]()) ?? null));
await transport.close();
await broker.close();

async function fill(): Promise<void> {
  await broker.createQueue("plain");
  await broker.createQueue("deduplicating", { requiresDuplicateDetection: true });
  for (const queue of queues) {
    const sender = transport.createSender(queue);
    const receiver = transport.createReceiver({ queue }, "peekLock");
    for (let first = 1; first <= messages; first += 500) {
      const ids = Array.from({ length: Math.min(500, messages - first + 1) }, (_, index) => first + index);
      await journal.attempt(
        "send",
        ids.map((id) => [`${queue}/${id}`, sentState]),
        () => sender.send(ids.map(order)),
      );
      const received = await receiver.receive({ maxMessages: 500, maxWaitTimeInMs: 0 });
      await Promise.all(
        received.map(({ settlement }) =>
          receiver.deadLetter(required(settlement), { deadLetterReason: "HandlerFailed" }),
        ),
      );
    }
  }
}

function order(id: number): EncodedMessage {
  return { ...(pipeline.serialize({ body: { id } }) as EncodedMessage), messageId: String(id) };
}

async function repair(): Promise<Record<string, unknown>> {
  const reports: Record<string, unknown> = {};
  for (const queue of queues) {
    const receipts = await openReceiptFile(join(root, `${queue}.receipts`));
    const targetDetectsDuplicates = queue === "deduplicating";
    const from = { queue };
    const options = { transport, pipeline, from, receipts, targetDetectsDuplicates, maxWaitTimeInMs: 0 };
    const { possibleDuplicates, ...result } = await repairDeadLetters(options);
    reports[queue] = { ...result, possibleDuplicates: possibleDuplicates.map(String) };
    await receipts.close();
  }
  return reports;
}

/** The numbers in the bodies of the queues' messages, and the messages left in their dead-letter queues. */
async function countArrived(): Promise<void> {
  const arrived: Effect[] = [];
  for (const queue of queues) {
    const receiver = transport.createReceiver({ queue }, "peekLock");
    for (let from = 0n; ; ) {
      const page = await receiver.peek({ maxMessages: 1000, fromSequenceNumber: from });
      const last = page.at(-1);
      if (last === undefined) break;
      from = last.sequenceNumber + 1n;
      for (const message of page) {
        const outcome = await pipeline.deserialize(message as EncodedMessage);
        if (outcome.status !== "decoded")
          throw new Error(`message ${message.sequenceNumber} arrived damaged`);
        arrived.push([`${queue}/${(outcome.body as { id: number }).id}`, sentState]);
      }
    }
    const dead = transport.createReceiver({ queue, subQueue: "deadLetter" }, "peekLock");
    for (const { messageId } of await dead.peek({ maxMessages: 1000 }))
      arrived.push([`${queue}/$DeadLetterQueue/${messageId}`, sentState]);
  }
  journal.found(arrived);
}
