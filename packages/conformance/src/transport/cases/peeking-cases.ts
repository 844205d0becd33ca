import assert from "node:assert/strict";
import { required } from "@waybill/foundation";
import type { Case } from "../../case.js";
import { assertSameValue } from "../../same-value.js";
import { handleOf, message, texts, transportCase } from "../harness/transport-harness.js";
import type { TransportSubject } from "../harness/transport-subject.js";

/** Peeking returns all messages and changes nothing. */
export function peekingCases(subject: TransportSubject): Case[] {
  const testCase = transportCase(subject, "peeking");
  return [
    testCase("returns complete messages in order, without lock or settlement handle", async (harness) => {
      const queue = await harness.queueWith(
        message("a", { messageId: "A-1", applicationProperties: { note: 1 } }),
        "b",
      );
      const peeked = await harness.receiver(queue).peek({ maxMessages: 10 });
      assert.deepEqual(texts(peeked), ["a", "b"]);
      assert.equal(required(peeked[0]).messageId, "A-1");
      assertSameValue(required(peeked[0]).applicationProperties, { note: 1 }, "the application properties");
      for (const one of peeked) {
        assert.equal(one.settlement, undefined);
        assert.equal(one.lockToken, undefined);
        assert.equal(one.state, "active");
      }
    }),
    testCase("does not change messages", async (harness) => {
      const queue = await harness.queueWith("lamp");
      const receiver = harness.receiver(queue);
      for (let times = 0; times < 3; times++) await receiver.peek({ maxMessages: 1 });
      assert.equal((await harness.receiveOne(receiver)).deliveryCount, 0);
    }),
    testCase("begins at a sequence number and returns at most maxMessages", async (harness) => {
      const queue = await harness.queueWith("a", "b", "c", "d");
      const receiver = harness.receiver(queue);
      const all = await receiver.peek({ maxMessages: 10 });
      const fromSequenceNumber = required(all[1]).sequenceNumber;
      assert.deepEqual(texts(await receiver.peek({ maxMessages: 2, fromSequenceNumber })), ["b", "c"]);
      assert.deepEqual(
        texts(await receiver.peek({ maxMessages: 1 })),
        ["a"],
        "each peek without a sequence number begins at the start",
      );
    }),
    testCase("returns a locked message", async (harness) => {
      const { queue, receiver } = await harness.queueWithReceiver();
      const delivered = await harness.sendAndReceive(queue, receiver);
      assert.deepEqual(texts(await receiver.peek({ maxMessages: 1 })), ["lamp"]);
      await receiver.complete(handleOf(delivered));
      assert.deepEqual(await receiver.peek({ maxMessages: 1 }), []);
    }),
    testCase("returns nothing from an empty queue", async (harness) => {
      const queue = await harness.createQueue();
      assert.deepEqual(await harness.receiver(queue).peek({ maxMessages: 10 }), []);
    }),
    testCase("returns messages of the dead-letter queue", async (harness) => {
      const { queue, receiver } = await harness.queueWithReceiver();
      const delivered = await harness.sendAndReceive(queue, receiver);
      await receiver.deadLetter(handleOf(delivered), { deadLetterReason: "broken" });
      const dead = required((await harness.deadLetterReceiver(queue).peek({ maxMessages: 1 }))[0]);
      assert.equal(dead.deadLetterReason, "broken");
      assert.deepEqual(await receiver.peek({ maxMessages: 1 }), []);
    }),
    testCase(
      "returns deferred messages with the state deferred",
      async (harness) => {
        const { queue, receiver } = await harness.queueWithReceiver();
        await receiver.defer(handleOf(await harness.sendAndReceive(queue, receiver)));
        const [deferred] = await receiver.peek({ maxMessages: 1 });
        assert.equal(deferred?.state, "deferred");
      },
      "deferral",
    ),
    testCase(
      "returns scheduled messages with the state scheduled",
      async (harness) => {
        const queue = await harness.createQueue();
        const at = new Date(harness.now().getTime() + 3_600_000);
        const [sequenceNumber] = await harness.transport.createSender(queue).schedule([message("lamp")], at);
        const [scheduled] = await harness.receiver(queue).peek({ maxMessages: 1 });
        assert.equal(scheduled?.state, "scheduled");
        assert.equal(scheduled.sequenceNumber, sequenceNumber);
        assert.equal(scheduled.scheduledEnqueueTimeUtc?.getTime(), at.getTime());
      },
      "scheduling",
    ),
  ];
}
