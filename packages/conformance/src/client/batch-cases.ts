import assert from "node:assert/strict";
import type { Message } from "@waybill/core";
import type { Case } from "../case.js";
import { rejectsWith } from "../outcome.js";
import type { TransportSubject } from "../transport/harness/transport-subject.js";
import { clientCase, noise } from "./client-harness.js";
import { numbersOf } from "./processing-harness.js";

/** A client's batches: sizes are known after serialization, arrays are split automatically. */
export function clientBatchCases(subject: TransportSubject): Case[] {
  const testCase = clientCase(subject, "batches");
  return [
    testCase("a batch can be filled and sent", async (harness) => {
      const { queue, client, sender } = await harness.openQueue();
      const batch = await sender.createMessageBatch({ maxSizeInBytes: 4_000 });
      let n = 0;
      while (batch.tryAddMessage({ body: { n, text: noise(500) } })) n++;
      assert.ok(n >= 5 && n <= 7, `${n} messages of 500 bytes fit into 4,000`);
      assert.equal(batch.count, n);
      assert.ok(batch.sizeInBytes <= batch.maxSizeInBytes, "the size is within the limit");
      await sender.sendMessages(batch);
      const arrived = await harness.receive(client, queue, n);
      assert.deepEqual(numbersOf(arrived), count(n));
    }),
    testCase("a message larger than a whole batch is not added", async (harness) => {
      const sender = harness.client().createSender(await harness.createQueue());
      const batch = await sender.createMessageBatch({ maxSizeInBytes: 1_000 });
      assert.equal(batch.tryAddMessage({ body: { text: noise(1_000) } }), false);
      assert.equal(batch.count, 0);
      assert.ok(await batch.tryAddMessageAsync({ body: { n: 1 } }), "a smaller one is added");
    }),
    testCase("a large array is sent in several batches, in order", async (harness) => {
      const { queue, client, sender } = await harness.openQueue();
      const { maxSizeInBytes } = await sender.createMessageBatch();
      const text = noise(Math.floor(maxSizeInBytes / 5));
      const messages: Message[] = count(12).map((n) => ({ body: { n, text } }));
      await sender.sendMessages(messages);
      assert.deepEqual(numbersOf(await harness.receive(client, queue, 12)), count(12));
    }),
    testCase(
      "an array with a message that is too large is refused before anything is sent",
      async (harness) => {
        const { queue, client, sender } = await harness.openQueue();
        const { maxSizeInBytes } = await sender.createMessageBatch();
        const messages = [
          { body: { text: noise(maxSizeInBytes / 2) } },
          { body: { text: noise(maxSizeInBytes / 2) } },
          { body: { text: noise(maxSizeInBytes) }, messageId: "too large" },
        ];
        const error = await rejectsWith("message-too-large", () => sender.sendMessages(messages));
        assert.equal(error.messageId, "too large");
        assert.equal(error.entityPath, queue);
        assert.match(error.message, /Message 3 of 3 cannot be sent, so nothing was\./);
        assert.ok(error.message.includes(String(maxSizeInBytes)), "the text names the limit");
        assert.deepEqual(await harness.peek(client, queue), []);
      },
    ),
    testCase("encoded messages are split as well", async (harness) => {
      const { queue, client, sender } = await harness.openQueue();
      const { maxSizeInBytes } = await sender.createMessageBatch();
      const body = new TextEncoder().encode(JSON.stringify({ text: noise(maxSizeInBytes / 3) }));
      await sender.sendEncodedMessages(count(5).map(() => ({ body, contentType: "application/json" })));
      assert.equal((await harness.receive(client, queue, 5)).length, 5);
    }),
    testCase("a batch of another sender is refused", async (harness) => {
      const { queue, client, sender } = await harness.openQueue();
      const batch = await sender.createMessageBatch();
      await assert.rejects(client.createSender(queue).sendMessages(batch), TypeError);
    }),
  ];
}

function count(length: number): number[] {
  return Array.from({ length }, (_, n) => n);
}
