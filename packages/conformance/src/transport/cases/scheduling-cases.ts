import assert from "node:assert/strict";
import { required } from "@waybill/foundation";
import type { Case } from "../../case.js";
import { rejectsWith } from "../../outcome.js";
import { message, type TransportHarness, texts, transportCase } from "../harness/transport-harness.js";
import type { TransportSubject } from "../harness/transport-subject.js";

/** Scheduled messages become active at their scheduled time, unless they are cancelled. */
export function schedulingCases(subject: TransportSubject): Case[] {
  const testCase = transportCase(subject, "scheduling", "scheduling");
  return [
    testCase("returns a sequence number for each message", async (harness) => {
      const { numbers } = await withScheduled(harness, "a", "b");
      assert.equal(numbers.length, 2);
      for (const number of numbers) assert.equal(typeof number, "bigint");
      assert.notEqual(numbers[0], numbers[1]);
    }),
    testCase("a scheduled message is delivered at its scheduled time and not before", async (harness) => {
      const { queue } = await withScheduled(harness, "lamp");
      const receiver = harness.receiver(queue);
      await harness.receiveNothing(receiver);
      await harness.advance(5000);
      const arrived = await harness.receiveOne(receiver);
      assert.deepEqual(texts([arrived]), ["lamp"]);
      assert.equal(arrived.state, "scheduled", "its state is scheduled");
      assert.equal(arrived.deliveryCount, 0);
    }),
    testCase("a receiver that waits gets a message when it becomes active", async (harness) => {
      const { queue } = await withScheduled(harness, "lamp");
      const call = harness.receiver(queue).receive({ maxMessages: 1, maxWaitTimeInMs: 60_000 });
      assert.deepEqual(texts(await harness.passing(5000, call)), ["lamp"]);
    }),
    testCase("a message sent with scheduledEnqueueTimeUtc is delivered at that time", async (harness) => {
      const queue = await harness.createQueue();
      const scheduledEnqueueTimeUtc = new Date(harness.now().getTime() + 4000);
      await harness.send(queue, message("later", { scheduledEnqueueTimeUtc }), "now");
      const receiver = harness.receiver(queue, "receiveAndDelete");
      assert.deepEqual(texts([await harness.receiveOne(receiver)]), ["now"]);
      await harness.receiveNothing(receiver);
      await harness.advance(5000);
      assert.deepEqual(texts([await harness.receiveOne(receiver)]), ["later"]);
    }),
    testCase("a message scheduled for a time that has passed is delivered at once", async (harness) => {
      const queue = await harness.createQueue();
      const at = new Date(harness.now().getTime() - 60_000);
      await harness.transport.createSender(queue).schedule([message("lamp")], at);
      await harness.receiveOne(harness.receiver(queue));
    }),
    testCase("a cancelled message is not delivered", async (harness) => {
      const { queue, sender, numbers } = await withScheduled(harness, "a", "b", "c");
      await sender.cancelScheduled([required(numbers[0]), required(numbers[2])]);
      await harness.advance(5000);
      const receiver = harness.receiver(queue);
      assert.deepEqual(texts([await harness.receiveOne(receiver)]), ["b"]);
      await harness.receiveNothing(receiver);
    }),
    testCase("cancelling twice rejects with message-not-found", async (harness) => {
      const { sender, numbers } = await withScheduled(harness, "lamp");
      await sender.cancelScheduled(numbers);
      await rejectsWith("message-not-found", () => sender.cancelScheduled(numbers));
    }),
    testCase("cancelling an active message rejects with message-not-found", async (harness) => {
      const { queue, sender, numbers } = await withScheduled(harness, "lamp");
      await harness.advance(5000);
      await rejectsWith("message-not-found", () => sender.cancelScheduled(numbers));
      await harness.receiveOne(harness.receiver(queue));
    }),
  ];
}

/** Schedules messages four seconds ahead. */
async function withScheduled(harness: TransportHarness, ...bodies: readonly string[]) {
  const queue = await harness.createQueue();
  const sender = harness.transport.createSender(queue);
  const at = new Date(harness.now().getTime() + 4000);
  const numbers = await sender.schedule(
    bodies.map((text) => message(text)),
    at,
  );
  return { queue, sender, numbers };
}
