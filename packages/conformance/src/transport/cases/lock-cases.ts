import assert from "node:assert/strict";
import type { Case } from "../../case.js";
import { rejectsWith } from "../../outcome.js";
import { required } from "../../required.js";
import { handleOf, transportCase } from "../harness/transport-harness.js";
import type { TransportSubject } from "../harness/transport-subject.js";

/** How long a lock lasts, and what a receiver that lost it can still do. */
export function lockCases(subject: TransportSubject): Case[] {
  const testCase = transportCase(subject, "locks");
  return [
    testCase("a lock that runs out brings the message back with a higher delivery count", async (harness) => {
      const { queue, receiver } = await harness.queueWithReceiver();
      const first = await harness.sendAndReceive(queue, receiver);
      await harness.outlastLocks();
      const second = await harness.receiveOne(receiver);
      assert.equal(second.sequenceNumber, first.sequenceNumber);
      assert.equal(second.deliveryCount, 1);
    }),
    testCase("the holder of a lost lock does not disturb the next holder", async (harness) => {
      const { queue, receiver } = await harness.queueWithReceiver();
      const first = await harness.sendAndReceive(queue, receiver);
      await harness.outlastLocks();
      const second = await harness.receiveOne(harness.receiver(queue));
      await rejectsWith("message-lock-lost", () => receiver.complete(handleOf(first)), "the late complete");
      await harness.receiveNothing(receiver);
      assert.equal(second.deliveryCount, 1);
    }),
    testCase("locks that run out count towards the maximum of deliveries", async (harness) => {
      const queue = await harness.createQueue({ maxDeliveryCount: 1 });
      await harness.sendAndReceive(queue, harness.receiver(queue));
      await harness.outlastLocks();
      await harness.receiveNothing(harness.receiver(queue));
      const dead = await harness.receiveOne(harness.deadLetterReceiver(queue));
      assert.equal(dead.deadLetterReason, "MaxDeliveryCountExceeded");
    }),
    testCase("a renewed lock holds longer and says until when", async (harness) => {
      const { queue, receiver } = await harness.queueWithReceiver();
      const delivered = await harness.sendAndReceive(queue, receiver);
      await harness.advance(harness.lockDurationMs * 0.6);
      const until = await receiver.renewLock(handleOf(delivered));
      assert.ok(until instanceof Date && until > required(delivered.lockedUntilUtc), "the new end is later");
      await harness.advance(harness.lockDurationMs * 0.6);
      await harness.receiveNothing(harness.receiver(queue));
      await receiver.complete(handleOf(delivered));
    }),
    testCase("closing a receiver settles nothing: its locks run out by themselves", async (harness) => {
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
