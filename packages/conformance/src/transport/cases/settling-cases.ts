import assert from "node:assert/strict";
import type { CallOptions, TransportDeadLetterOptions } from "@waybill/core/transport";
import { required } from "@waybill/foundation";
import type { Case } from "../../case.js";
import { outcomeOf, rejectsWith } from "../../outcome.js";
import { assertSameValue } from "../../same-value.js";
import { handleOf, message, texts, transportCase } from "../harness/transport-harness.js";
import type { TransportSubject } from "../harness/transport-subject.js";

const properties = { note: "lamp", attempts: 2, at: new Date("2026-11-05T12:34:56.789Z"), isLate: true };

/** Complete by its type: a new option has to be tried here. */
const everyOption: Required<Omit<TransportDeadLetterOptions, keyof CallOptions>> = {
  deadLetterReason: "NoDeserializer",
  deadLetterErrorDescription: "It could not be read: Zoë, 日本.",
  propertiesToModify: properties,
};

/** The effects of settling a message. */
export function settlingCases(subject: TransportSubject): Case[] {
  const testCase = transportCase(subject, "settling");
  return [
    testCase("complete removes the message", async (harness) => {
      const { queue, receiver } = await harness.queueWithReceiver();
      await receiver.complete(handleOf(await harness.sendAndReceive(queue, receiver)));
      await harness.outlastLocks();
      await harness.receiveNothing(receiver);
      await harness.receiveNothing(harness.deadLetterReceiver(queue));
    }),
    testCase("an abandoned message is delivered again with a higher delivery count", async (harness) => {
      const { queue, receiver } = await harness.queueWithReceiver();
      const first = await harness.sendAndReceive(queue, receiver);
      await receiver.abandon(handleOf(first));
      const second = await harness.receiveOne(receiver);
      assert.equal(second.sequenceNumber, first.sequenceNumber);
      assert.equal(second.deliveryCount, 1);
      assert.notEqual(second.lockToken, first.lockToken);
    }),
    testCase("abandon adds and overwrites application properties", async (harness) => {
      const { queue, receiver } = await harness.queueWithReceiver();
      await harness.send(queue, message("lamp", { applicationProperties: { note: "old", kept: 1 } }));
      await receiver.abandon(handleOf(await harness.receiveOne(receiver)), {
        propertiesToModify: properties,
      });
      const again = await harness.receiveOne(receiver);
      assertSameValue(again.applicationProperties, { kept: 1, ...properties }, "the application properties");
    }),
    testCase("an abandoned message keeps its place in the order", async (harness) => {
      const { queue, receiver } = await harness.queueWithReceiver();
      await harness.send(queue, "a", "b");
      await receiver.abandon(handleOf(await harness.receiveOne(receiver)));
      assert.deepEqual(texts(await harness.receive(receiver, 2)), ["a", "b"]);
    }),
    testCase("dead-letter moves the message with reason, description and properties", async (harness) => {
      const { queue, receiver } = await harness.queueWithReceiver();
      await harness.send(queue, message("lamp", { messageId: "A-1042", applicationProperties: { kept: 1 } }));
      const first = await harness.receiveOne(receiver);
      await receiver.deadLetter(handleOf(first), everyOption);
      await harness.receiveNothing(receiver);
      const dead = await harness.receiveOne(harness.deadLetterReceiver(queue));
      assert.deepEqual(texts([dead]), ["lamp"]);
      assert.equal(dead.messageId, "A-1042");
      assert.equal(dead.deadLetterReason, everyOption.deadLetterReason);
      assert.equal(dead.deadLetterErrorDescription, everyOption.deadLetterErrorDescription);
      assert.equal(dead.deadLetterSource, undefined, "only forwarded messages have a deadLetterSource");
      for (const [name, value] of Object.entries({ kept: 1, ...properties }))
        assertSameValue(dead.applicationProperties[name], value, `the property ${name}`);
    }),
    testCase("dead-letter keeps a reason and a description of 4096 characters", async (harness) => {
      const { queue, receiver } = await harness.queueWithReceiver();
      const [deadLetterReason, deadLetterErrorDescription] = ["r".repeat(4096), "d".repeat(4096)];
      const handle = handleOf(await harness.sendAndReceive(queue, receiver));
      await receiver.deadLetter(handle, { deadLetterReason, deadLetterErrorDescription });
      const dead = await harness.receiveOne(harness.deadLetterReceiver(queue));
      assert.equal(dead.deadLetterReason, deadLetterReason);
      assert.equal(dead.deadLetterErrorDescription, deadLetterErrorDescription);
    }),
    testCase("dead-letter needs neither reason nor description", async (harness) => {
      const { queue, receiver } = await harness.queueWithReceiver();
      await receiver.deadLetter(handleOf(await harness.sendAndReceive(queue, receiver)));
      const dead = await harness.receiveOne(harness.deadLetterReceiver(queue));
      assert.equal(dead.deadLetterReason, undefined);
      assert.equal(dead.deadLetterErrorDescription, undefined);
    }),
    testCase("a dead-lettered message can be completed", async (harness) => {
      const { queue, receiver } = await harness.queueWithReceiver();
      await receiver.deadLetter(handleOf(await harness.sendAndReceive(queue, receiver)));
      const dead = harness.deadLetterReceiver(queue);
      await dead.complete(handleOf(await harness.receiveOne(dead)));
      await harness.outlastLocks();
      await harness.receiveNothing(dead);
    }),
    testCase(
      "abandoning up to the maximum delivery count moves the message to the dead-letter queue",
      async (harness) => {
        const { queue, receiver } = await harness.queueWithReceiver({ maxDeliveryCount: 3 });
        await harness.send(queue, "lamp");
        for (const expected of [0, 1, 2]) {
          const delivered = await harness.receiveOne(receiver);
          assert.equal(delivered.deliveryCount, expected);
          await receiver.abandon(handleOf(delivered));
        }
        await harness.receiveNothing(receiver);
        const dead = await harness.receiveOne(harness.deadLetterReceiver(queue));
        assert.deepEqual(texts([dead]), ["lamp"]);
        assert.equal(dead.deadLetterReason, "MaxDeliveryCountExceeded");
      },
    ),
    testCase("a message can be settled once", async (harness) => {
      const { queue, receiver } = await harness.queueWithReceiver();
      const settled = handleOf(await harness.sendAndReceive(queue, receiver));
      await receiver.complete(settled);
      await rejectsWith("message-lock-lost", () => receiver.complete(settled), "completing again");
      await rejectsWith("message-lock-lost", () => receiver.abandon(settled), "abandoning afterwards");
      await rejectsWith("message-lock-lost", () => receiver.deadLetter(settled), "dead-lettering afterwards");
    }),
    testCase(
      "messages that are settled differently at the same time keep their own outcomes",
      async (harness) => {
        const { queue, receiver } = await harness.queueWithReceiver();
        await harness.send(queue, "a", "b", "c", "d", "e", "f");
        const handles = (await harness.receive(receiver, 6)).map(handleOf);
        await Promise.all([
          receiver.complete(required(handles[0])),
          receiver.deadLetter(required(handles[1]), { deadLetterReason: "first" }),
          receiver.complete(required(handles[2])),
          receiver.deadLetter(required(handles[3]), { deadLetterReason: "second" }),
          receiver.abandon(required(handles[4]), { propertiesToModify: { note: "again" } }),
          receiver.complete(required(handles[5])),
        ]);
        const dead = await harness.receive(harness.deadLetterReceiver(queue), 2);
        assert.deepEqual(dead.map((one) => [...texts([one]), one.deadLetterReason]).sort(), [
          ["b", "first"],
          ["d", "second"],
        ]);
        const again = await harness.receiveOne(receiver);
        assert.deepEqual([...texts([again]), again.applicationProperties.note], ["e", "again"]);
        await harness.receiveNothing(receiver);
      },
    ),
    testCase("of two concurrent settlements of one message, one succeeds", async (harness) => {
      const { queue, receiver } = await harness.queueWithReceiver();
      const handle = handleOf(await harness.sendAndReceive(queue, receiver));
      const errors = await Promise.all([
        outcomeOf(() => receiver.complete(handle)),
        outcomeOf(() => receiver.deadLetter(handle)),
      ]);
      assert.equal(errors.filter((error) => error === undefined).length, 1, "one call resolved");
      const hasCompleted = errors[0] === undefined;
      const dead = harness.deadLetterReceiver(queue);
      await (hasCompleted ? harness.receiveNothing(dead) : harness.receive(dead, 1));
    }),
    testCase("messages can be settled in any order", async (harness) => {
      const { queue, receiver } = await harness.queueWithReceiver();
      await harness.send(queue, "a", "b", "c");
      const handles = (await harness.receive(receiver, 3)).map(handleOf);
      for (const index of [2, 0, 1]) await receiver.complete(required(handles[index]));
      await harness.outlastLocks();
      await harness.receiveNothing(receiver);
    }),
  ];
}
