import assert from "node:assert/strict";
import type { DeliveredMessage } from "@waybill/core/transport";
import { required } from "@waybill/foundation";
import type { Case } from "../../case.js";
import { rejectsWith } from "../../outcome.js";
import { assertSameValue } from "../../same-value.js";
import {
  handleOf,
  message,
  subscribe,
  type TransportHarness,
  texts,
  transportCase,
} from "../harness/transport-harness.js";
import type { TransportSubject } from "../harness/transport-subject.js";

/** A session is locked by one receiver, and keeps its order and state. */
export function sessionCases(subject: TransportSubject): Case[] {
  const testCase = transportCase(subject, "sessions", "sessions");
  const listingCase = transportCase(subject, "sessions", "sessionEnumeration");
  return [
    testCase("a receiver gets only messages of its session, in order", async (harness) => {
      const queue = await withSessions(harness);
      const ada = await harness.acceptSession(queue, "ada");
      assert.equal(ada.sessionId, "ada");
      const messages = await harness.receive(ada, 3);
      assert.deepEqual(texts(messages), ["ada 1", "ada 2", "ada 3"]);
      assert.ok(messages.every(({ sessionId }) => sessionId === "ada"));
      await harness.receiveNothing(ada);
    }),
    testCase("without a session id, the next session with messages is accepted", async (harness) => {
      const queue = await withSessions(harness);
      const first = await harness.acceptSession(queue, undefined);
      const second = await harness.acceptSession(queue, undefined);
      assert.deepEqual([first.sessionId, second.sessionId].sort(), ["ada", "ben"]);
    }),
    testCase("accepting the next session rejects with timeout if there is none", async (harness) => {
      const queue = await harness.createQueue({ requiresSession: true });
      const call = harness.acceptSession(queue, undefined, { maxWaitTimeInMs: 1000 });
      await rejectsWith("timeout", () => harness.passing(1000, call));
    }),
    testCase("accepting the next session waits for its first message", async (harness) => {
      const queue = await harness.createQueue({ requiresSession: true });
      const call = harness.acceptSession(queue, undefined);
      await harness.send(queue, message("lamp", { sessionId: "ada" }));
      const session = await harness.ended(call, 60_000);
      assert.equal(session.sessionId, "ada");
    }),
    testCase("accepting the next session locks none if it was aborted", async (harness) => {
      const queue = await harness.createQueue({ requiresSession: true });
      const givingUp = new AbortController();
      const call = harness.acceptSession(queue, undefined, { abortSignal: givingUp.signal });
      givingUp.abort();
      await rejectsWith("aborted", () => harness.ended(call, 60_000));
      await harness.send(queue, message("lamp", { sessionId: "ada" }));
      await harness.acceptSession(queue, "ada");
    }),
    testCase("a session without messages can be accepted by its id", async (harness) => {
      const queue = await harness.createQueue({ requiresSession: true });
      const session = await harness.acceptSession(queue, "nobody");
      await harness.receiveNothing(session);
      await harness.send(queue, message("lamp", { sessionId: "nobody" }));
      assert.deepEqual(texts([await harness.receiveOne(session)]), ["lamp"]);
    }),
    testCase("accepting a locked session rejects with session-cannot-be-locked", async (harness) => {
      const queue = await withSessions(harness);
      await harness.acceptSession(queue, "ada");
      await rejectsWith("session-cannot-be-locked", () => harness.acceptSession(queue, "ada"));
    }),
    testCase("closing the receiver releases the session and settles nothing", async (harness) => {
      const queue = await withSessions(harness);
      const first = await harness.acceptSession(queue, "ada");
      await harness.receive(first, 2);
      await first.close();
      const second = await harness.acceptSession(queue, "ada");
      assert.deepEqual(texts(await harness.receive(second, 3)), ["ada 1", "ada 2", "ada 3"]);
    }),
    testCase("messages of a session can be completed, abandoned and dead-lettered", async (harness) => {
      const queue = await withSessions(harness);
      const session = await harness.acceptSession(queue, "ada");
      const [first, second] = await harness.receive(session, 3);
      await session.complete(handleOf(required(first)));
      await session.deadLetter(handleOf(required(second)), { deadLetterReason: "broken" });
      const dead = await harness.receiveOne(harness.deadLetterReceiver(queue));
      assert.deepEqual([...texts([dead]), dead.sessionId, dead.deadLetterReason], ["ada 2", "ada", "broken"]);
    }),
    testCase("an abandoned message is delivered again in its order", async (harness) => {
      const queue = await withSessions(harness);
      const session = await harness.acceptSession(queue, "ada");
      await session.abandon(handleOf(await harness.receiveOne(session)));
      const again = await harness.receiveOne(session);
      assert.deepEqual([...texts([again]), again.deliveryCount], ["ada 1", 1]);
    }),
    testCase("receive-and-delete removes the messages of a session", async (harness) => {
      const queue = await withSessions(harness);
      const session = await harness.acceptSession(queue, "ben", { receiveMode: "receiveAndDelete" });
      const arrived = await harness.receiveOne(session);
      assert.equal(arrived.settlement, undefined);
      await session.close();
      await harness.receiveNothing(await harness.acceptSession(queue, "ben"));
    }),
    testCase("the state is set, kept for the next receiver, and cleared", async (harness) => {
      const queue = await withSessions(harness);
      const state = Uint8Array.from({ length: 256 }, (_, index) => index);
      const first = await harness.acceptSession(queue, "ada");
      assert.equal(await first.getState(), undefined);
      await first.setState(state);
      assertSameValue(await first.getState(), state, "the state");
      await first.close();
      const second = await harness.acceptSession(queue, "ada");
      assertSameValue(await second.getState(), state, "the state for the next receiver");
      await second.setState(undefined);
      assert.equal(await second.getState(), undefined);
    }),
    testCase("each session has its own state", async (harness) => {
      const queue = await withSessions(harness);
      const ada = await harness.acceptSession(queue, "ada");
      const ben = await harness.acceptSession(queue, "ben");
      await ada.setState(Uint8Array.of(1));
      assert.equal(await ben.getState(), undefined);
    }),
    testCase("the session lock lasts for the entity's lock duration, and can be renewed", async (harness) => {
      const queue = await withSessions(harness);
      const session = await harness.acceptSession(queue, "ada");
      const leftMs = session.sessionLockedUntilUtc.getTime() - harness.now().getTime();
      assert.ok(leftMs > harness.lockDurationMs / 2 && leftMs <= harness.lockDurationMs + 1000);
      const delivered = await harness.receiveOne(session);
      const before = session.sessionLockedUntilUtc;
      await harness.advance(harness.lockDurationMs * 0.6);
      const until = await session.renewSessionLock();
      assert.ok(until > before, "the new end is later");
      assert.equal(session.sessionLockedUntilUtc.getTime(), until.getTime());
      await harness.advance(harness.lockDurationMs * 0.6);
      await session.complete(handleOf(delivered));
      await rejectsWith("session-cannot-be-locked", () => harness.acceptSession(queue, "ada"));
    }),
    testCase("a session whose lock expired can be accepted by the next receiver", async (harness) => {
      const queue = await withSessions(harness);
      const first = await harness.acceptSession(queue, "ada");
      const delivered = await harness.receiveOne(first);
      await harness.outlastLocks();
      const second = await harness.acceptSession(queue, "ada");
      await rejectsWith("session-lock-lost", () => first.complete(handleOf(delivered)));
      const again = await harness.receiveOne(second);
      assert.deepEqual([...texts([again]), again.deliveryCount], ["ada 1", 1]);
    }),
    testCase("a session's subscription delivers its messages in order", async (harness) => {
      const queue = await withSessions(harness);
      const session = await harness.acceptSession(queue, "ada");
      const seen: string[] = [];
      const subscription = subscribe(session, async (delivered) => {
        seen.push(...texts([delivered]));
        await session.complete(handleOf(delivered));
      });
      await harness.until(() => seen.length === 3, "the session's messages were received");
      await subscription.stop();
      assert.deepEqual(seen, ["ada 1", "ada 2", "ada 3"]);
    }),
    testCase(
      "a message that arrives while its subscription stops does not count a delivery",
      async (harness) => {
        const queue = await harness.createQueue({ requiresSession: true });
        const rounds = Array.from({ length: 10 }, (_, i) => `round ${i}`);
        const session = await harness.acceptSession(queue, "ada");
        const seen: [string | undefined, number][] = [];
        const onMessage = async (delivered: DeliveredMessage) => {
          seen.push([texts([delivered])[0], delivered.deliveryCount]);
          await session.complete(handleOf(delivered));
        };
        for (const round of rounds) {
          const subscription = subscribe(session, onMessage);
          const sending = harness.send(queue, message(round, { sessionId: "ada" }));
          await subscription.stop();
          await sending;
        }
        while (seen.length < rounds.length) await onMessage(await harness.receiveOne(session));
        assert.deepEqual(
          seen,
          rounds.map((round) => [round, 0]),
        );
      },
    ),
    testCase("a subscription of a topic has sessions, too", async (harness) => {
      const topic = await harness.createTopic(["billing"], { requiresSession: true });
      await harness.send(topic, message("lamp", { sessionId: "ada" }));
      const session = await harness.acceptSession({ topic, subscription: "billing" }, "ada");
      assert.deepEqual(texts([await harness.receiveOne(session)]), ["lamp"]);
    }),
    testCase(
      "an entity with sessions refuses a message without a session id, and all of its batch",
      async (harness) => {
        const queue = await harness.createQueue({ requiresSession: true });
        const sender = harness.transport.createSender(queue);
        await rejectsWith("operation-invalid", () =>
          sender.send([message("lamp", { sessionId: "ada" }), message("bulb")]),
        );
        await harness.receiveNothing(await harness.acceptSession(queue, "ada"));
      },
    ),
    testCase("an entity with sessions refuses receivers without a session", async (harness) => {
      const queue = await withSessions(harness);
      await rejectsWith("operation-invalid", () =>
        harness.receiver(queue).receive({ maxMessages: 1, maxWaitTimeInMs: 1000 }),
      );
    }),
    testCase("an entity without sessions refuses to accept a session", async (harness) => {
      const queue = await harness.createQueue();
      await rejectsWith("operation-invalid", () => harness.acceptSession(queue, "ada"));
    }),
    listingCase("those that have messages are listed, sorted, page by page", async (harness) => {
      const queue = await withSessions(harness);
      await harness.send(queue, message("cem 1", { sessionId: "cem" }));
      await harness.acceptSession(queue, "dan");
      const list = (skip: number, top: number) => harness.transport.listSessions?.({ queue }, { skip, top });
      assert.deepEqual(await list(0, 100), ["ada", "ben", "cem"]);
      assert.deepEqual(await list(1, 1), ["ben"]);
      assert.deepEqual(await list(3, 100), []);
    }),
    listingCase(
      "sessions whose state was set after a time are listed, with or without messages",
      async (harness) => {
        const queue = await withSessions(harness);
        await (await harness.acceptSession(queue, "dan")).setState(Uint8Array.of(1));
        await harness.advance(1000);
        const updatedAfter = new Date(harness.now().getTime() - 500);
        await (await harness.acceptSession(queue, "eve")).setState(Uint8Array.of(1));
        const ids = await harness.transport.listSessions?.({ queue }, { updatedAfter, skip: 0, top: 100 });
        assert.deepEqual(ids, ["eve"]);
      },
    ),
    listingCase("an entity without sessions has none to list", async (harness) => {
      const queue = await harness.createQueue();
      await rejectsWith("operation-invalid", () =>
        required(harness.transport.listSessions?.({ queue }, { skip: 0, top: 100 })),
      );
    }),
    testCase("peeking returns only messages of the session", async (harness) => {
      const queue = await withSessions(harness);
      const session = await harness.acceptSession(queue, "ben");
      assert.deepEqual(texts(await session.peek({ maxMessages: 10 })), ["ben 1"]);
    }),
  ];
}

/** A queue with three messages of session "ada" and, between them, one of session "ben". */
async function withSessions(harness: TransportHarness): Promise<string> {
  const queue = await harness.createQueue({ requiresSession: true });
  await harness.send(
    queue,
    message("ada 1", { sessionId: "ada" }),
    message("ben 1", { sessionId: "ben" }),
    message("ada 2", { sessionId: "ada" }),
    message("ada 3", { sessionId: "ada" }),
  );
  return queue;
}
