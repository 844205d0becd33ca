import assert from "node:assert/strict";
import type { Case } from "../../case.js";
import { rejectsWith } from "../../outcome.js";
import { message, texts, transportCase } from "../harness/transport-harness.js";
import type { TransportSubject } from "../harness/transport-subject.js";

/** What a receiver gets, when it waits and when it stops waiting. */
export function receivingCases(subject: TransportSubject): Case[] {
  const testCase = transportCase(subject, "receiving");
  return [
    testCase("returns at most maxMessages", async (harness) => {
      const queue = await harness.queueWith("a", "b", "c");
      const receiver = harness.receiver(queue);
      const first = await harness.ended(
        receiver.receive({ maxMessages: 2, maxWaitTimeInMs: 10_000 }),
        10_000,
      );
      assert.ok(first.length >= 1 && first.length <= 2, `${first.length} messages were received`);
    }),
    testCase("returns early with fewer messages than maxMessages", async (harness) => {
      const queue = await harness.queueWith("a", "b");
      const startMs = harness.now().getTime();
      const messages = await harness.ended(
        harness.receiver(queue).receive({ maxMessages: 10, maxWaitTimeInMs: 60_000 }),
        60_000,
      );
      assert.ok(messages.length > 0, "messages were received");
      assert.ok(harness.now().getTime() - startMs < 60_000, "it did not wait for more");
    }),
    testCase("returns nothing after maxWaitTimeInMs", async (harness) => {
      const queue = await harness.createQueue();
      const call = harness.receiver(queue).receive({ maxMessages: 1, maxWaitTimeInMs: 300 });
      assert.deepEqual(await harness.passing(300, call), []);
    }),
    testCase("waits for a message that is sent later", async (harness) => {
      const queue = await harness.createQueue();
      const call = harness.receiver(queue).receive({ maxMessages: 1, maxWaitTimeInMs: 60_000 });
      await harness.send(queue, "late");
      assert.deepEqual(texts(await harness.ended(call, 60_000)), ["late"]);
    }),
    testCase("an aborted call takes no message", async (harness) => {
      const { queue, receiver } = await harness.queueWithReceiver();
      const givingUp = new AbortController();
      const call = receiver.receive({
        maxMessages: 1,
        maxWaitTimeInMs: 60_000,
        abortSignal: givingUp.signal,
      });
      givingUp.abort();
      await rejectsWith("aborted", () => harness.ended(call, 60_000), "the wait");
      await harness.send(queue, "lamp");
      const arrived = await harness.receiveOne(receiver);
      assert.equal(arrived.deliveryCount, 0, "it was not delivered before");
    }),
    testCase("locks a message for the entity's lock duration", async (harness) => {
      const queue = await harness.createQueue();
      const arrived = await harness.sendAndReceive(queue, harness.receiver(queue));
      assert.ok(typeof arrived.lockToken === "string" && arrived.lockToken !== "", "it has a lock token");
      const leftMs = (arrived.lockedUntilUtc?.getTime() ?? Number.NaN) - harness.now().getTime();
      assert.ok(
        leftMs > harness.lockDurationMs / 2 && leftMs <= harness.lockDurationMs + 1000,
        `the lock holds for ${leftMs} ms`,
      );
    }),
    testCase("hides a locked message from other receivers", async (harness) => {
      const queue = await harness.createQueue();
      await harness.sendAndReceive(queue, harness.receiver(queue));
      await harness.receiveNothing(harness.receiver(queue));
    }),
    testCase("gives each message to one of two receivers", async (harness) => {
      const queue = await harness.queueWith("a", "b", "c", "d");
      const first = await harness.receive(harness.receiver(queue), 2);
      const second = await harness.receive(harness.receiver(queue), 2);
      assert.deepEqual(texts([...first, ...second]).sort(), ["a", "b", "c", "d"]);
    }),
    testCase(
      "removes a message in receive-and-delete mode, without lock or settlement handle",
      async (harness) => {
        const queue = await harness.createQueue();
        const receiver = harness.receiver(queue, "receiveAndDelete");
        assert.equal(receiver.receiveMode, "receiveAndDelete");
        const arrived = await harness.sendAndReceive(queue, receiver);
        assert.equal(arrived.settlement, undefined);
        assert.equal(arrived.lockToken, undefined);
        assert.equal(arrived.lockedUntilUtc, undefined);
        await harness.outlastLocks();
        await harness.receiveNothing(harness.receiver(queue));
      },
    ),
    testCase("a receiver of the dead-letter queue gets no messages of the queue", async (harness) => {
      const queue = await harness.queueWith("lamp");
      await harness.receiveNothing(harness.deadLetterReceiver(queue));
    }),
    testCase("a message whose time to live has passed is not delivered", async (harness) => {
      const queue = await harness.queueWith(message("short-lived", { timeToLive: 1000 }), "lamp");
      await harness.advance(2000);
      const receiver = harness.receiver(queue);
      assert.deepEqual(texts([await harness.receiveOne(receiver)]), ["lamp"]);
      await harness.receiveNothing(receiver);
    }),
  ];
}
