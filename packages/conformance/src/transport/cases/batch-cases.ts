import assert from "node:assert/strict";
import type { EncodedMessage } from "@waybill/core";
import type { TransportMessageBatch } from "@waybill/core/transport";
import type { Case } from "../../case.js";
import { rejectsWith } from "../../outcome.js";
import { message, texts, transportCase } from "../harness/transport-harness.js";
import type { TransportSubject } from "../harness/transport-subject.js";

/** A batch has a size, accepts messages that fit, and arrives complete and in order. */
export function batchCases(subject: TransportSubject): Case[] {
  const testCase = transportCase(subject, "batches");
  return [
    testCase("messages of a batch arrive in order", async (harness) => {
      const queue = await harness.createQueue();
      const sender = harness.transport.createSender(queue);
      const batch = await sender.createBatch();
      const sent = ["lamp", "bulb", "shade"];
      for (const text of sent) assert.ok(batch.tryAdd(message(text)), `${text} fits`);
      assert.equal(batch.count, 3);
      await sender.sendBatch(batch);
      assert.deepEqual(texts(await harness.receive(harness.receiver(queue), 3)), sent);
    }),
    testCase("sending an empty batch has no effect", async (harness) => {
      const queue = await harness.createQueue();
      const sender = harness.transport.createSender(queue);
      const batch = await sender.createBatch();
      assert.equal(batch.count, 0);
      await sender.sendBatch(batch);
      await harness.receiveNothing(harness.receiver(queue));
    }),
    testCase("its size grows with every message and stays within its limit", async (harness) => {
      const sender = harness.transport.createSender(await harness.createQueue());
      const batch = await sender.createBatch();
      const size = batch.maxSizeInBytes >> 2;
      let last = batch.sizeInBytes;
      let added = 0;
      for (; batch.tryAdd(large(size)); added++) {
        assert.ok(batch.sizeInBytes >= last + size, "the size counts the body");
        assert.ok(batch.sizeInBytes <= batch.maxSizeInBytes, "the size is within the limit");
        last = batch.sizeInBytes;
      }
      assert.equal(added, 3, "three bodies of a quarter fit with their properties, four do not");
      assert.equal(batch.count, 3, "refused messages are not counted");
      assert.equal(batch.sizeInBytes, last, "refused messages do not change the size");
    }),
    testCase("the broker accepts a full batch", async (harness) => {
      const queue = await harness.createQueue();
      const sender = harness.transport.createSender(queue);
      const batch = await sender.createBatch();
      const properties = { messageId: "lamp", subject: "order", applicationProperties: { note: "Zoë" } };
      while (batch.tryAdd({ ...large(20_000), ...properties }));
      fill(batch);
      await sender.sendBatch(batch);
      await harness.receive(harness.receiver(queue), batch.count);
    }),
    testCase("application properties count towards its size", async (harness) => {
      const sender = harness.transport.createSender(await harness.createQueue());
      const [plain, annotated] = [await sender.createBatch(), await sender.createBatch()];
      plain.tryAdd(message("lamp"));
      annotated.tryAdd(message("lamp", { applicationProperties: { note: "x".repeat(1000) } }));
      assert.ok(annotated.sizeInBytes >= plain.sizeInBytes + 1000, "the property's text is counted");
    }),
    testCase("maxSizeInBytes limits its size", async (harness) => {
      const sender = harness.transport.createSender(await harness.createQueue());
      const batch = await sender.createBatch({ maxSizeInBytes: 5_000 });
      assert.equal(batch.maxSizeInBytes, 5_000);
      assert.ok(!batch.tryAdd(large(5_000)), "a body as large as the limit does not fit");
      assert.ok(batch.tryAdd(large(1_000)), "a smaller one does");
    }),
    testCase("a limit above the broker's is refused", async (harness) => {
      const sender = harness.transport.createSender(await harness.createQueue());
      const { maxSizeInBytes } = await sender.createBatch();
      await rejectsWith("operation-invalid", () =>
        sender.createBatch({ maxSizeInBytes: maxSizeInBytes + 1 }),
      );
    }),
  ];
}

function large(bytes: number): EncodedMessage {
  return { body: new Uint8Array(bytes) };
}

/** Adds messages of decreasing size until none fits. */
function fill(batch: TransportMessageBatch): void {
  for (let bytes = 10_000; bytes >= 1; bytes >>= 1) while (batch.tryAdd(large(bytes)));
}
