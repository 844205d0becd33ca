import assert from "node:assert/strict";
import type { Case } from "../case.js";
import { assertSameValue } from "../same-value.js";
import type { TransportSubject } from "./transport-subject.js";
import { handleOf, rejectsWith, type TransportTrial, texts, transportCase } from "./transport-trial.js";

/** Deferred messages wait until they are asked for by number. */
export function deferralCases(subject: TransportSubject): Case[] {
  const law = (name: string, run: (trial: TransportTrial) => Promise<void>) =>
    transportCase(subject, `deferral: ${name}`, run, "deferral");
  return [
    law("a deferred message is not delivered until it is asked for", async (trial) => {
      const { queue, receiver, sequenceNumber } = await withDeferred(trial);
      await trial.receiveNothing(trial.receiver(queue));
      const [deferred] = await receiver.receiveDeferred([sequenceNumber]);
      assert.deepEqual(texts([deferred!]), ["lamp"]);
      assert.equal(deferred!.sequenceNumber, sequenceNumber);
      assert.equal(deferred!.state, "deferred");
      assert.equal(deferred!.deliveryCount, 1, "deferring it counted as a delivery");
      assert.ok(deferred!.lockToken, "it is locked");
    }),
    law("defer adds application properties", async (trial) => {
      const { receiver, sequenceNumber } = await withDeferred(trial);
      const [deferred] = await receiver.receiveDeferred([sequenceNumber]);
      assertSameValue(deferred!.applicationProperties, { note: "later" }, "the application properties");
    }),
    law("any receiver of the entity can ask for a deferred message", async (trial) => {
      const { queue, receiver, sequenceNumber } = await withDeferred(trial);
      await receiver.close();
      assert.equal((await trial.receiver(queue).receiveDeferred([sequenceNumber])).length, 1);
    }),
    law("a deferred message can be completed", async (trial) => {
      const { receiver, sequenceNumber } = await withDeferred(trial);
      const [deferred] = await receiver.receiveDeferred([sequenceNumber]);
      await receiver.complete(handleOf(deferred!));
      await trial.outlastLocks();
      await rejectsWith("message-not-found", () => receiver.receiveDeferred([sequenceNumber]));
    }),
    law("a deferred message that is abandoned stays deferred", async (trial) => {
      const { queue, receiver, sequenceNumber } = await withDeferred(trial);
      const [deferred] = await receiver.receiveDeferred([sequenceNumber]);
      await receiver.abandon(handleOf(deferred!));
      await trial.receiveNothing(trial.receiver(queue));
      assert.equal((await receiver.receiveDeferred([sequenceNumber])).length, 1);
    }),
    law("a deferred message can be dead-lettered", async (trial) => {
      const { queue, receiver, sequenceNumber } = await withDeferred(trial);
      const [deferred] = await receiver.receiveDeferred([sequenceNumber]);
      await receiver.deadLetter(handleOf(deferred!), { deadLetterReason: "too late" });
      const dead = await trial.receiveOne(trial.deadLetterReceiver(queue));
      assert.equal(dead.deadLetterReason, "too late");
    }),
    law("several deferred messages come in one call", async (trial) => {
      const queue = await trial.createQueue();
      const receiver = trial.receiver(queue);
      await trial.send(queue, "a", "b", "c");
      const messages = await trial.receive(receiver, 3);
      for (const delivered of messages) await receiver.defer(handleOf(delivered));
      const numbers = messages.map(({ sequenceNumber }) => sequenceNumber);
      assert.deepEqual(texts(await receiver.receiveDeferred(numbers)).sort(), ["a", "b", "c"]);
    }),
    law("receive-and-delete removes a deferred message at once", async (trial) => {
      const { queue, sequenceNumber } = await withDeferred(trial);
      const receiver = trial.receiver(queue, "receiveAndDelete");
      const [deferred] = await receiver.receiveDeferred([sequenceNumber]);
      assert.deepEqual(texts([deferred!]), ["lamp"]);
      assert.equal(deferred!.settlement, undefined);
      await rejectsWith("message-not-found", () => receiver.receiveDeferred([sequenceNumber]));
    }),
    law("asking for a number that nobody deferred rejects with message-not-found", async (trial) => {
      const { receiver, sequenceNumber } = await withDeferred(trial);
      await rejectsWith("message-not-found", () => receiver.receiveDeferred([sequenceNumber + 1000n]));
    }),
    law("asking for a message that is active rejects with message-not-found", async (trial) => {
      const queue = await trial.createQueue();
      await trial.send(queue, "lamp");
      const receiver = trial.receiver(queue);
      const [active] = await receiver.peek({ maxMessages: 1 });
      await rejectsWith("message-not-found", () => receiver.receiveDeferred([active!.sequenceNumber]));
      assert.equal((await trial.receiveOne(receiver)).deliveryCount, 0, "it is still there");
    }),
  ];
}

async function withDeferred(trial: TransportTrial) {
  const queue = await trial.createQueue();
  const receiver = trial.receiver(queue);
  const delivered = await trial.sendAndReceive(queue, receiver);
  await receiver.defer(handleOf(delivered), { propertiesToModify: { note: "later" } });
  return { queue, receiver, sequenceNumber: delivered.sequenceNumber };
}
