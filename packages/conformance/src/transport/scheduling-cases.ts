import assert from "node:assert/strict";
import type { Case } from "../case.js";
import type { TransportSubject } from "./transport-subject.js";
import { message, rejectsWith, type TransportTrial, texts, transportCase } from "./transport-trial.js";

/** Scheduled messages become active when their time has come, unless they are cancelled. */
export function schedulingCases(subject: TransportSubject): Case[] {
  const law = (name: string, run: (trial: TransportTrial) => Promise<void>) =>
    transportCase(subject, `scheduling: ${name}`, run, "scheduling");
  return [
    law("returns a sequence number for each message", async (trial) => {
      const { numbers } = await withScheduled(trial, "a", "b");
      assert.equal(numbers.length, 2);
      for (const number of numbers) assert.equal(typeof number, "bigint");
      assert.notEqual(numbers[0], numbers[1]);
    }),
    law("a scheduled message is delivered when its time has come and not before", async (trial) => {
      const { queue } = await withScheduled(trial, "lamp");
      const receiver = trial.receiver(queue);
      await trial.receiveNothing(receiver);
      await trial.advance(5000);
      const arrived = await trial.receiveOne(receiver);
      assert.deepEqual(texts([arrived]), ["lamp"]);
      assert.equal(arrived.state, "scheduled", "it says where it came from");
      assert.equal(arrived.deliveryCount, 0);
    }),
    law("a receiver that waits gets a message when it becomes active", async (trial) => {
      const { queue } = await withScheduled(trial, "lamp");
      const call = trial.receiver(queue).receive({ maxMessages: 1, maxWaitTimeInMs: 60_000 });
      assert.deepEqual(texts(await trial.passing(5000, call)), ["lamp"]);
    }),
    law("a message sent with a time to be enqueued waits for it", async (trial) => {
      const queue = await trial.createQueue();
      const scheduledEnqueueTimeUtc = new Date(trial.now().getTime() + 4000);
      await trial.send(queue, message("later", { scheduledEnqueueTimeUtc }), "now");
      const receiver = trial.receiver(queue, "receiveAndDelete");
      assert.deepEqual(texts([await trial.receiveOne(receiver)]), ["now"]);
      await trial.receiveNothing(receiver);
      await trial.advance(5000);
      assert.deepEqual(texts([await trial.receiveOne(receiver)]), ["later"]);
    }),
    law("a message scheduled for a time that has passed is delivered at once", async (trial) => {
      const queue = await trial.createQueue();
      const at = new Date(trial.now().getTime() - 60_000);
      await trial.transport.createSender(queue).schedule([message("lamp")], at);
      await trial.receiveOne(trial.receiver(queue));
    }),
    law("a cancelled message never comes", async (trial) => {
      const { queue, sender, numbers } = await withScheduled(trial, "a", "b", "c");
      await sender.cancelScheduled([numbers[0]!, numbers[2]!]);
      await trial.advance(5000);
      const receiver = trial.receiver(queue);
      assert.deepEqual(texts([await trial.receiveOne(receiver)]), ["b"]);
      await trial.receiveNothing(receiver);
    }),
    law("cancelling twice rejects with message-not-found", async (trial) => {
      const { sender, numbers } = await withScheduled(trial, "lamp");
      await sender.cancelScheduled(numbers);
      await rejectsWith("message-not-found", () => sender.cancelScheduled(numbers));
    }),
    law("cancelling what has become active rejects with message-not-found", async (trial) => {
      const { queue, sender, numbers } = await withScheduled(trial, "lamp");
      await trial.advance(5000);
      await rejectsWith("message-not-found", () => sender.cancelScheduled(numbers));
      await trial.receiveOne(trial.receiver(queue));
    }),
  ];
}

/** Schedules messages four seconds ahead. */
async function withScheduled(trial: TransportTrial, ...bodies: readonly string[]) {
  const queue = await trial.createQueue();
  const sender = trial.transport.createSender(queue);
  const at = new Date(trial.now().getTime() + 4000);
  const numbers = await sender.schedule(
    bodies.map((text) => message(text)),
    at,
  );
  return { queue, sender, numbers };
}
