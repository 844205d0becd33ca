import assert from "node:assert/strict";
import { required } from "@waybill/foundation";
import type { Case } from "../../case.js";
import { rejectsWith } from "../../outcome.js";
import { handleOf, transportCase } from "../harness/transport-harness.js";
import type { TransportSubject } from "../harness/transport-subject.js";

/** How long a lock lasts, and what a receiver that lost it can still do. */
export function lockCases(subject: TransportSubject): Case[] {
  const testCase = transportCase(subject, "locks");
  return [
    testCase(
      "after its lock expires, a message is delivered again with a higher delivery count",
      async (harness) => {
        const { queue, receiver } = await harness.queueWithReceiver();
        const first = await harness.sendAndReceive(queue, receiver);
        await harness.outlastLocks();
        const second = await harness.receiveOne(receiver);
        assert.equal(second.sequenceNumber, first.sequenceNumber);
        assert.equal(second.deliveryCount, 1);
      },
    ),
    testCase("a receiver whose lock expired cannot settle the next receiver's delivery", async (harness) => {
      const { queue, receiver } = await harness.queueWithReceiver();
      const first = await harness.sendAndReceive(queue, receiver);
      await harness.outlastLocks();
      const second = await harness.receiveOne(harness.receiver(queue));
      await rejectsWith("message-lock-lost", () => receiver.complete(handleOf(first)), "the late complete");
      await harness.receiveNothing(receiver);
      assert.equal(second.deliveryCount, 1);
    }),
    testCase("expired locks count towards the maximum delivery count", async (harness) => {
      const queue = await harness.createQueue({ maxDeliveryCount: 1 });
      await harness.sendAndReceive(queue, harness.receiver(queue));
      await harness.outlastLocks();
      await harness.receiveNothing(harness.receiver(queue));
      const dead = await harness.receiveOne(harness.deadLetterReceiver(queue));
      assert.equal(dead.deadLetterReason, "MaxDeliveryCountExceeded");
    }),
    testCase("renewing a lock extends it and returns the new end", async (harness) => {
      const { queue, receiver } = await harness.queueWithReceiver();
      const delivered = await harness.sendAndReceive(queue, receiver);
      await harness.advance(harness.lockDurationMs * 0.6);
      const until = await receiver.renewLock(handleOf(delivered));
      assert.ok(until instanceof Date && until > required(delivered.lockedUntilUtc), "the new end is later");
      await harness.advance(harness.lockDurationMs * 0.6);
      await harness.receiveNothing(harness.receiver(queue));
      await receiver.complete(handleOf(delivered));
    }),
    testCase("closing a receiver settles nothing: its locks expire", async (harness) => {
      const { queue, receiver } = await harness.queueWithReceiver();
      const first = await harness.sendAndReceive(queue, receiver);
      await receiver.close();
      await harness.outlastLocks();
      const second = await harness.receiveOne(harness.receiver(queue));
      assert.equal(second.sequenceNumber, first.sequenceNumber);
      await harness.receiveNothing(harness.deadLetterReceiver(queue));
    }),
  ];
}
