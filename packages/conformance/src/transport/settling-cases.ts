import assert from "node:assert/strict";
import type { Case } from "../case.js";
import { assertSameValue } from "../same-value.js";
import type { TransportSubject } from "./transport-subject.js";
import {
  handleOf,
  message,
  outcomeOf,
  rejectsWith,
  type TransportTrial,
  texts,
  transportCase,
} from "./transport-trial.js";

const properties = { note: "lamp", attempts: 2, at: new Date("2026-11-05T12:34:56.789Z"), isLate: true };

/** What becomes of a message that a receiver settles. */
export function settlingCases(subject: TransportSubject): Case[] {
  const law = (name: string, run: (trial: TransportTrial) => Promise<void>) =>
    transportCase(subject, `settling: ${name}`, run);
  return [
    law("complete removes the message", async (trial) => {
      const queue = await trial.createQueue();
      const receiver = trial.receiver(queue);
      await receiver.complete(handleOf(await trial.sendAndReceive(queue, receiver)));
      await trial.outlastLocks();
      await trial.receiveNothing(receiver);
      await trial.receiveNothing(trial.deadLetterReceiver(queue));
    }),
    law("abandon brings the message back with a higher delivery count", async (trial) => {
      const queue = await trial.createQueue();
      const receiver = trial.receiver(queue);
      const first = await trial.sendAndReceive(queue, receiver);
      await receiver.abandon(handleOf(first));
      const second = await trial.receiveOne(receiver);
      assert.equal(second.sequenceNumber, first.sequenceNumber);
      assert.equal(second.deliveryCount, 1);
      assert.notEqual(second.lockToken, first.lockToken);
    }),
    law("abandon adds and overwrites application properties", async (trial) => {
      const queue = await trial.createQueue();
      const receiver = trial.receiver(queue);
      await trial.send(queue, message("lamp", { applicationProperties: { note: "old", kept: 1 } }));
      await receiver.abandon(handleOf(await trial.receiveOne(receiver)), { propertiesToModify: properties });
      const again = await trial.receiveOne(receiver);
      assertSameValue(again.applicationProperties, { kept: 1, ...properties }, "the application properties");
    }),
    law("an abandoned message keeps its place in the order", async (trial) => {
      const queue = await trial.createQueue();
      const receiver = trial.receiver(queue);
      await trial.send(queue, "a", "b");
      await receiver.abandon(handleOf(await trial.receiveOne(receiver)));
      assert.deepEqual(texts(await trial.receive(receiver, 2)), ["a", "b"]);
    }),
    law("dead-letter moves the message with reason, description and properties", async (trial) => {
      const queue = await trial.createQueue();
      const receiver = trial.receiver(queue);
      await trial.send(queue, message("lamp", { messageId: "A-1042", applicationProperties: { kept: 1 } }));
      const first = await trial.receiveOne(receiver);
      await receiver.deadLetter(handleOf(first), {
        deadLetterReason: "NoDeserializer",
        deadLetterErrorDescription: "Nobody could read it: Zoë, 日本.",
        propertiesToModify: properties,
      });
      await trial.receiveNothing(receiver);
      const dead = await trial.receiveOne(trial.deadLetterReceiver(queue));
      assert.deepEqual(texts([dead]), ["lamp"]);
      assert.equal(dead.messageId, "A-1042");
      assert.equal(dead.deadLetterReason, "NoDeserializer");
      assert.equal(dead.deadLetterErrorDescription, "Nobody could read it: Zoë, 日本.");
      assert.equal(dead.deadLetterSource, undefined, "only forwarding gives it a source");
      for (const [name, value] of Object.entries({ kept: 1, ...properties }))
        assertSameValue(dead.applicationProperties[name], value, `the property ${name}`);
    }),
    law("dead-letter keeps a reason and a description of 4096 characters", async (trial) => {
      const queue = await trial.createQueue();
      const receiver = trial.receiver(queue);
      const [deadLetterReason, deadLetterErrorDescription] = ["r".repeat(4096), "d".repeat(4096)];
      const handle = handleOf(await trial.sendAndReceive(queue, receiver));
      await receiver.deadLetter(handle, { deadLetterReason, deadLetterErrorDescription });
      const dead = await trial.receiveOne(trial.deadLetterReceiver(queue));
      assert.equal(dead.deadLetterReason, deadLetterReason);
      assert.equal(dead.deadLetterErrorDescription, deadLetterErrorDescription);
    }),
    law("dead-letter needs neither reason nor description", async (trial) => {
      const queue = await trial.createQueue();
      const receiver = trial.receiver(queue);
      await receiver.deadLetter(handleOf(await trial.sendAndReceive(queue, receiver)));
      const dead = await trial.receiveOne(trial.deadLetterReceiver(queue));
      assert.equal(dead.deadLetterReason, undefined);
      assert.equal(dead.deadLetterErrorDescription, undefined);
    }),
    law("a dead-lettered message can be completed where it is", async (trial) => {
      const queue = await trial.createQueue();
      const receiver = trial.receiver(queue);
      await receiver.deadLetter(handleOf(await trial.sendAndReceive(queue, receiver)));
      const dead = trial.deadLetterReceiver(queue);
      await dead.complete(handleOf(await trial.receiveOne(dead)));
      await trial.outlastLocks();
      await trial.receiveNothing(dead);
    }),
    law(
      "abandoning as often as the entity allows moves the message to the dead-letter queue",
      async (trial) => {
        const queue = await trial.createQueue({ maxDeliveryCount: 3 });
        const receiver = trial.receiver(queue);
        await trial.send(queue, "lamp");
        for (const expected of [0, 1, 2]) {
          const delivered = await trial.receiveOne(receiver);
          assert.equal(delivered.deliveryCount, expected);
          await receiver.abandon(handleOf(delivered));
        }
        await trial.receiveNothing(receiver);
        const dead = await trial.receiveOne(trial.deadLetterReceiver(queue));
        assert.deepEqual(texts([dead]), ["lamp"]);
        assert.equal(dead.deadLetterReason, "MaxDeliveryCountExceeded");
      },
    ),
    law("a message is settled once", async (trial) => {
      const queue = await trial.createQueue();
      const receiver = trial.receiver(queue);
      const settled = handleOf(await trial.sendAndReceive(queue, receiver));
      await receiver.complete(settled);
      await rejectsWith("message-lock-lost", () => receiver.complete(settled), "completing again");
      await rejectsWith("message-lock-lost", () => receiver.abandon(settled), "abandoning afterwards");
      await rejectsWith("message-lock-lost", () => receiver.deadLetter(settled), "dead-lettering afterwards");
    }),
    law("neighbours settled differently in one tick keep their own outcomes", async (trial) => {
      const queue = await trial.createQueue();
      const receiver = trial.receiver(queue);
      await trial.send(queue, "a", "b", "c", "d", "e", "f");
      const handles = (await trial.receive(receiver, 6)).map(handleOf);
      await Promise.all([
        receiver.complete(handles[0]!),
        receiver.deadLetter(handles[1]!, { deadLetterReason: "first" }),
        receiver.complete(handles[2]!),
        receiver.deadLetter(handles[3]!, { deadLetterReason: "second" }),
        receiver.abandon(handles[4]!, { propertiesToModify: { note: "again" } }),
        receiver.complete(handles[5]!),
      ]);
      const dead = await trial.receive(trial.deadLetterReceiver(queue), 2);
      assert.deepEqual(dead.map((one) => [...texts([one]), one.deadLetterReason]).sort(), [
        ["b", "first"],
        ["d", "second"],
      ]);
      const again = await trial.receiveOne(receiver);
      assert.deepEqual([...texts([again]), again.applicationProperties.note], ["e", "again"]);
      await trial.receiveNothing(receiver);
    }),
    law("of two settlements of one message in one tick, one counts", async (trial) => {
      const queue = await trial.createQueue();
      const receiver = trial.receiver(queue);
      const handle = handleOf(await trial.sendAndReceive(queue, receiver));
      const errors = await Promise.all([
        outcomeOf(() => receiver.complete(handle)),
        outcomeOf(() => receiver.deadLetter(handle)),
      ]);
      assert.equal(errors.filter((error) => error === undefined).length, 1, "one call resolved");
      const hasCompleted = errors[0] === undefined;
      const dead = trial.deadLetterReceiver(queue);
      await (hasCompleted ? trial.receiveNothing(dead) : trial.receive(dead, 1));
    }),
    law("messages can be settled in any order", async (trial) => {
      const queue = await trial.createQueue();
      const receiver = trial.receiver(queue);
      await trial.send(queue, "a", "b", "c");
      const handles = (await trial.receive(receiver, 3)).map(handleOf);
      for (const index of [2, 0, 1]) await receiver.complete(handles[index]!);
      await trial.outlastLocks();
      await trial.receiveNothing(receiver);
    }),
  ];
}
