import assert from "node:assert/strict";
import type { Case } from "../case.js";
import type { TransportSubject } from "./transport-subject.js";
import { message, rejectsWith, type TransportTrial, texts, transportCase } from "./transport-trial.js";

/** What a receiver gets, when it waits and when it stops waiting. */
export function receivingCases(subject: TransportSubject): Case[] {
  const law = (name: string, run: (trial: TransportTrial) => Promise<void>) =>
    transportCase(subject, `receiving: ${name}`, run);
  return [
    law("returns at most as many messages as asked for", async (trial) => {
      const queue = await trial.createQueue();
      await trial.send(queue, "a", "b", "c");
      const receiver = trial.receiver(queue);
      const first = await trial.ended(receiver.receive({ maxMessages: 2, maxWaitTimeInMs: 10_000 }), 10_000);
      assert.ok(first.length >= 1 && first.length <= 2, `${first.length} messages came`);
    }),
    law("returns early with fewer messages than asked for", async (trial) => {
      const queue = await trial.createQueue();
      await trial.send(queue, "a", "b");
      const startMs = trial.now().getTime();
      const messages = await trial.ended(
        trial.receiver(queue).receive({ maxMessages: 10, maxWaitTimeInMs: 60_000 }),
        60_000,
      );
      assert.ok(messages.length > 0, "messages came");
      assert.ok(trial.now().getTime() - startMs < 60_000, "it did not wait for more");
    }),
    law("returns nothing after the time it was to wait", async (trial) => {
      const queue = await trial.createQueue();
      const call = trial.receiver(queue).receive({ maxMessages: 1, maxWaitTimeInMs: 300 });
      assert.deepEqual(await trial.passing(300, call), []);
    }),
    law("waits for a message that comes later", async (trial) => {
      const queue = await trial.createQueue();
      const call = trial.receiver(queue).receive({ maxMessages: 1, maxWaitTimeInMs: 60_000 });
      await trial.send(queue, "late");
      assert.deepEqual(texts(await trial.ended(call, 60_000)), ["late"]);
    }),
    law("a wait that was given up takes no message with it", async (trial) => {
      const queue = await trial.createQueue();
      const receiver = trial.receiver(queue);
      const givingUp = new AbortController();
      const call = receiver.receive({
        maxMessages: 1,
        maxWaitTimeInMs: 60_000,
        abortSignal: givingUp.signal,
      });
      givingUp.abort();
      await rejectsWith("aborted", () => trial.ended(call, 60_000), "the wait");
      await trial.send(queue, "lamp");
      const arrived = await trial.receiveOne(receiver);
      assert.equal(arrived.deliveryCount, 0, "nobody got it before");
    }),
    law("locks a message for the entity's lock duration", async (trial) => {
      const queue = await trial.createQueue();
      const arrived = await trial.sendAndReceive(queue, trial.receiver(queue));
      assert.ok(typeof arrived.lockToken === "string" && arrived.lockToken !== "", "it has a lock token");
      const leftMs = (arrived.lockedUntilUtc?.getTime() ?? Number.NaN) - trial.now().getTime();
      assert.ok(
        leftMs > trial.lockDurationMs / 2 && leftMs <= trial.lockDurationMs + 1000,
        `the lock holds for ${leftMs} ms`,
      );
    }),
    law("hides a locked message from other receivers", async (trial) => {
      const queue = await trial.createQueue();
      await trial.sendAndReceive(queue, trial.receiver(queue));
      await trial.receiveNothing(trial.receiver(queue));
    }),
    law("gives each message to one of two receivers", async (trial) => {
      const queue = await trial.createQueue();
      await trial.send(queue, "a", "b", "c", "d");
      const first = await trial.receive(trial.receiver(queue), 2);
      const second = await trial.receive(trial.receiver(queue), 2);
      assert.deepEqual(texts([...first, ...second]).sort(), ["a", "b", "c", "d"]);
    }),
    law("removes a message at once in receive-and-delete mode, without lock or handle", async (trial) => {
      const queue = await trial.createQueue();
      const receiver = trial.receiver(queue, "receiveAndDelete");
      assert.equal(receiver.receiveMode, "receiveAndDelete");
      const arrived = await trial.sendAndReceive(queue, receiver);
      assert.equal(arrived.settlement, undefined);
      assert.equal(arrived.lockToken, undefined);
      assert.equal(arrived.lockedUntilUtc, undefined);
      await trial.outlastLocks();
      await trial.receiveNothing(trial.receiver(queue));
    }),
    law("a receiver of the dead-letter queue gets nothing of the queue", async (trial) => {
      const queue = await trial.createQueue();
      await trial.send(queue, "lamp");
      await trial.receiveNothing(trial.deadLetterReceiver(queue));
    }),
    law("a message whose time to live has passed is not delivered", async (trial) => {
      const queue = await trial.createQueue();
      await trial.send(queue, message("short-lived", { timeToLive: 1000 }), "lamp");
      await trial.advance(2000);
      const receiver = trial.receiver(queue);
      assert.deepEqual(texts([await trial.receiveOne(receiver)]), ["lamp"]);
      await trial.receiveNothing(receiver);
    }),
  ];
}
