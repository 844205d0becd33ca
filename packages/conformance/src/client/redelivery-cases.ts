import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { type Message, parseDeadLetterRecord, type Serializer } from "@waybill/core";
import { required } from "@waybill/foundation";
import type { Case } from "../case.js";
import type { TransportSubject } from "../transport/harness/transport-subject.js";
import { plainJson } from "./plain-json.js";
import { counted, type ProcessingHarness, processingCase } from "./processing-harness.js";

/** More items than allowed in a message that may have crashed a process, fewer than allowed in others. */
const largeCount = 110_000;

/** A message with an id of its own: what a process has read once, it does not read with lower limits, also in the cases of another subject. */
const largeMessage = (): Message => ({
  messageId: randomUUID(),
  body: Array.from({ length: largeCount }, () => 0),
});

/** A third-party serializer: core counts the items that it returns. */
const { conforming: _, ...countedJson } = plainJson;

/** How a redelivered message is read. */
export function redeliveryCases(subject: TransportSubject): Case[] {
  const toCase = processingCase(subject, "redelivery");
  return [
    toCase("a message that may have crashed a process is read with lower limits", async (harness) => {
      const large = largeMessage();
      const queue = await harness.queue([large, ...counted(1)]);
      await harness.loseDeliveries(queue, 2);
      const seen = await handled(harness, queue, countedJson);
      assert.deepEqual(seen, ["m1"]);
      const dead = required((await harness.content(queue, "deadLetter"))[0]);
      assert.equal(dead?.messageId, large.messageId);
      assert.equal(dead?.deadLetterReason, "DeserializationFailed");
      assert.match(dead?.deadLetterErrorDescription ?? "", /items.*less than usual/);
      assert.equal(parseDeadLetterRecord(dead)?.attempts.at(-1)?.reason, "items-exceeded");
    }),
    toCase(
      "a large message that was abandoned or deferred is read with the usual limits",
      async (harness) => {
        const large = largeMessage();
        const queue = await harness.queue([large]);
        const receiver = harness.client({ serializer: countedJson }).createReceiver(queue);
        const first = required((await receiver.receiveMessages(1))[0]);
        await receiver.abandonMessage(first, { why: "busy" });
        const second = required((await receiver.receiveMessages(1))[0]);
        assert.deepEqual([second?.deliveryCount, second?.applicationProperties.why], [1, "busy"]);
        await receiver.deferMessage(second);
        const [third] = await receiver.receiveDeferredMessages(second.sequenceNumber);
        assert.deepEqual(third?.body, large.body);
      },
      "deferral",
    ),
    toCase("an abandoned small message gets no application property", async (harness) => {
      const queue = await harness.queue(counted(1));
      const receiver = harness.client().createReceiver(queue);
      const first = required((await receiver.receiveMessages(1))[0]);
      await receiver.abandonMessage(first);
      const [second] = await receiver.receiveMessages(1);
      assert.deepEqual(second?.applicationProperties, first?.applicationProperties);
    }),
    toCase(
      "a message that may have crashed a process is read while no other message is read",
      async (harness) => {
        const queue = await harness.queue(counted(3));
        await harness.loseDeliveries(queue, 2);
        const readings = new ReadingLog();
        const seen = await handled(harness, queue, readings.serializer);
        assert.deepEqual(seen.toSorted(), ["m1", "m2", "m3"]);
        assert.deepEqual(readings.mostAtOnce, { m1: 1, m2: 1, m3: 1 });
        const others = await harness.queue(counted(3));
        await handled(harness, others, readings.serializer);
        assert.ok(
          Math.max(...Object.values(readings.mostAtOnce)) > 1,
          "other messages are read concurrently",
        );
      },
    ),
  ];
}

/** Handles all messages of a queue, several concurrently; resolves with their ids. */
async function handled(
  harness: ProcessingHarness,
  queue: string,
  serializer: Serializer,
): Promise<unknown[]> {
  const seen: unknown[] = [];
  await using _subscription = harness
    .client({ serializer })
    .createReceiver(queue)
    .subscribe(
      {
        processError: harness.processError,
        processMessage: ({ messageId }) => void seen.push(messageId),
      },
      { maxConcurrentCalls: 3 },
    );
  await harness.untilEmpty(queue);
  return seen;
}

/** Records how many bodies were read concurrently with each body. */
class ReadingLog {
  readonly mostAtOnce: Record<string, number> = {};
  readonly #reading = new Set<string>();

  readonly serializer: Serializer = {
    ...countedJson,
    deserialize: async (bytes, context) => {
      const value = plainJson.deserialize(bytes, context) as { n: number };
      const name = `m${value.n}`;
      this.#reading.add(name);
      for (const other of this.#reading) {
        this.mostAtOnce[other] = Math.max(this.mostAtOnce[other] ?? 0, this.#reading.size);
      }
      await new Promise((resolve) => setTimeout(resolve, 5));
      this.#reading.delete(name);
      return value;
    },
  };
}
