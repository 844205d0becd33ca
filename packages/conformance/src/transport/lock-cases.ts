import assert from "node:assert/strict";
import type { Case } from "../case.js";
import type { TransportSubject } from "./transport-subject.js";
import { handleOf, rejectsWith, type TransportTrial, transportCase } from "./transport-trial.js";

/** How long a lock holds, and what is left to a receiver that lost it. */
export function lockCases(subject: TransportSubject): Case[] {
  const law = (name: string, run: (trial: TransportTrial) => Promise<void>) =>
    transportCase(subject, `locks: ${name}`, run);
  return [
    law("a lock that runs out brings the message back with a higher delivery count", async (trial) => {
      const queue = await trial.createQueue();
      const receiver = trial.receiver(queue);
      const first = await trial.sendAndReceive(queue, receiver);
      await trial.outlastLocks();
      const second = await trial.receiveOne(receiver);
      assert.equal(second.sequenceNumber, first.sequenceNumber);
      assert.equal(second.deliveryCount, 1);
    }),
    law("the holder of a lost lock does not disturb the next holder", async (trial) => {
      const queue = await trial.createQueue();
      const receiver = trial.receiver(queue);
      const first = await trial.sendAndReceive(queue, receiver);
      await trial.outlastLocks();
      const second = await trial.receiveOne(trial.receiver(queue));
      await rejectsWith("message-lock-lost", () => receiver.complete(handleOf(first)), "the late complete");
      await trial.receiveNothing(receiver);
      assert.equal(second.deliveryCount, 1);
    }),
    law("locks that run out count towards the maximum of deliveries", async (trial) => {
      const queue = await trial.createQueue({ maxDeliveryCount: 1 });
      await trial.sendAndReceive(queue, trial.receiver(queue));
      await trial.outlastLocks();
      await trial.receiveNothing(trial.receiver(queue));
      const dead = await trial.receiveOne(trial.deadLetterReceiver(queue));
      assert.equal(dead.deadLetterReason, "MaxDeliveryCountExceeded");
    }),
    law("a renewed lock holds longer and says until when", async (trial) => {
      const queue = await trial.createQueue();
      const receiver = trial.receiver(queue);
      const delivered = await trial.sendAndReceive(queue, receiver);
      await trial.advance(trial.lockDurationMs * 0.6);
      const until = await receiver.renewLock(handleOf(delivered));
      assert.ok(until instanceof Date && until > delivered.lockedUntilUtc!, "the new end is later");
      await trial.advance(trial.lockDurationMs * 0.6);
      await trial.receiveNothing(trial.receiver(queue));
      await receiver.complete(handleOf(delivered));
    }),
    law("closing a receiver settles nothing: its locks run out by themselves", async (trial) => {
      const queue = await trial.createQueue();
      const receiver = trial.receiver(queue);
      const first = await trial.sendAndReceive(queue, receiver);
      await receiver.close();
      await trial.outlastLocks();
      const second = await trial.receiveOne(trial.receiver(queue));
      assert.equal(second.sequenceNumber, first.sequenceNumber);
      await trial.receiveNothing(trial.deadLetterReceiver(queue));
    }),
  ];
}
