import assert from "node:assert/strict";
import { required } from "@waybill/foundation";
import type { Case } from "../../case.js";
import { rejectsWith } from "../../outcome.js";
import { assertSameValue } from "../../same-value.js";
import { handleOf, type TransportHarness, texts, transportCase } from "../harness/transport-harness.js";
import type { TransportSubject } from "../harness/transport-subject.js";

/** Deferred messages stay until they are received by sequence number. */
export function deferralCases(subject: TransportSubject): Case[] {
  const testCase = transportCase(subject, "deferral", "deferral");
  return [
    testCase("a deferred message is delivered only by its sequence number", async (harness) => {
      const { queue, receiver, sequenceNumber } = await withDeferred(harness);
      await harness.receiveNothing(harness.receiver(queue));
      const deferred = required((await receiver.receiveDeferred([sequenceNumber]))[0]);
      assert.deepEqual(texts([deferred]), ["lamp"]);
      assert.equal(deferred.sequenceNumber, sequenceNumber);
      assert.equal(deferred.state, "deferred");
      assert.equal(deferred.deliveryCount, 1, "deferring it counted as a delivery");
      assert.ok(deferred.lockToken, "it is locked");
    }),
    testCase("defer adds application properties", async (harness) => {
      const { receiver, sequenceNumber } = await withDeferred(harness);
      const deferred = required((await receiver.receiveDeferred([sequenceNumber]))[0]);
      assertSameValue(deferred.applicationProperties, { note: "later" }, "the application properties");
    }),
    testCase("any receiver of the entity can receive a deferred message", async (harness) => {
      const { queue, receiver, sequenceNumber } = await withDeferred(harness);
      await receiver.close();
      assert.equal((await harness.receiver(queue).receiveDeferred([sequenceNumber])).length, 1);
    }),
    testCase("a deferred message can be completed", async (harness) => {
      const { receiver, sequenceNumber } = await withDeferred(harness);
      const deferred = required((await receiver.receiveDeferred([sequenceNumber]))[0]);
      await receiver.complete(handleOf(deferred));
      await harness.outlastLocks();
      await rejectsWith("message-not-found", () => receiver.receiveDeferred([sequenceNumber]));
    }),
    testCase("a deferred message that is abandoned stays deferred", async (harness) => {
      const { queue, receiver, sequenceNumber } = await withDeferred(harness);
      const deferred = required((await receiver.receiveDeferred([sequenceNumber]))[0]);
      await receiver.abandon(handleOf(deferred));
      await harness.receiveNothing(harness.receiver(queue));
      assert.equal((await receiver.receiveDeferred([sequenceNumber])).length, 1);
    }),
    testCase("a deferred message can be dead-lettered", async (harness) => {
      const { queue, receiver, sequenceNumber } = await withDeferred(harness);
      const deferred = required((await receiver.receiveDeferred([sequenceNumber]))[0]);
      await receiver.deadLetter(handleOf(deferred), { deadLetterReason: "too late" });
      const dead = await harness.receiveOne(harness.deadLetterReceiver(queue));
      assert.equal(dead.deadLetterReason, "too late");
    }),
    testCase("one call can receive several deferred messages", async (harness) => {
      const { queue, receiver } = await harness.queueWithReceiver();
      await harness.send(queue, "a", "b", "c");
      const messages = await harness.receive(receiver, 3);
      for (const delivered of messages) await receiver.defer(handleOf(delivered));
      const numbers = messages.map(({ sequenceNumber }) => sequenceNumber);
      assert.deepEqual(texts(await receiver.receiveDeferred(numbers)).sort(), ["a", "b", "c"]);
    }),
    testCase("receive-and-delete removes a deferred message", async (harness) => {
      const { queue, sequenceNumber } = await withDeferred(harness);
      const receiver = harness.receiver(queue, "receiveAndDelete");
      const deferred = required((await receiver.receiveDeferred([sequenceNumber]))[0]);
      assert.deepEqual(texts([deferred]), ["lamp"]);
      assert.equal(deferred.settlement, undefined);
      await rejectsWith("message-not-found", () => receiver.receiveDeferred([sequenceNumber]));
    }),
    testCase("receiving an unknown sequence number rejects with message-not-found", async (harness) => {
      const { receiver, sequenceNumber } = await withDeferred(harness);
      await rejectsWith("message-not-found", () => receiver.receiveDeferred([sequenceNumber + 1000n]));
    }),
    testCase(
      "receiving an active message by its sequence number rejects with message-not-found",
      async (harness) => {
        const queue = await harness.queueWith("lamp");
        const receiver = harness.receiver(queue);
        const active = required((await receiver.peek({ maxMessages: 1 }))[0]);
        await rejectsWith("message-not-found", () => receiver.receiveDeferred([active.sequenceNumber]));
        assert.equal(
          (await harness.receiveOne(receiver)).deliveryCount,
          0,
          "the message is still in the queue",
        );
      },
    ),
  ];
}

async function withDeferred(harness: TransportHarness) {
  const { queue, receiver } = await harness.queueWithReceiver();
  const delivered = await harness.sendAndReceive(queue, receiver);
  await receiver.defer(handleOf(delivered), { propertiesToModify: { note: "later" } });
  return { queue, receiver, sequenceNumber: delivered.sequenceNumber };
}
