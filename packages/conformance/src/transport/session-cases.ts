import assert from "node:assert/strict";
import type { TransportSessionReceiver } from "@waybill/core/transport";
import type { Case } from "../case.js";
import { assertSameValue } from "../same-value.js";
import type { TransportSubject } from "./transport-subject.js";
import {
  handleOf,
  message,
  rejectsWith,
  type TransportTrial,
  texts,
  transportCase,
} from "./transport-trial.js";

/** A session is held by one receiver, keeps its order and its state. */
export function sessionCases(subject: TransportSubject): Case[] {
  const law = (name: string, run: (trial: TransportTrial) => Promise<void>) =>
    transportCase(subject, `sessions: ${name}`, run, "sessions");
  return [
    law("a receiver gets its session's messages only, in order", async (trial) => {
      const queue = await withSessions(trial);
      const ada = await accept(trial, queue, "ada");
      assert.equal(ada.sessionId, "ada");
      const messages = await trial.receive(ada, 3);
      assert.deepEqual(texts(messages), ["ada 1", "ada 2", "ada 3"]);
      assert.ok(messages.every(({ sessionId }) => sessionId === "ada"));
      await trial.receiveNothing(ada);
    }),
    law("the next session with messages is accepted when none is named", async (trial) => {
      const queue = await withSessions(trial);
      const first = await accept(trial, queue, undefined);
      const second = await accept(trial, queue, undefined);
      assert.deepEqual([first.sessionId, second.sessionId].sort(), ["ada", "ben"]);
    }),
    law("waiting for a next session that does not come rejects with timeout", async (trial) => {
      const queue = await trial.createQueue({ requiresSession: true });
      const call = trial.transport.acceptSession({ queue }, undefined, {
        receiveMode: "peekLock",
        maxWaitTimeInMs: 1000,
      });
      await rejectsWith("timeout", () => trial.passing(1000, call));
    }),
    law("a wait for the next session ends when its first message comes", async (trial) => {
      const queue = await trial.createQueue({ requiresSession: true });
      const call = accept(trial, queue, undefined);
      await trial.send(queue, message("lamp", { sessionId: "ada" }));
      const session = await trial.ended(call, 60_000);
      assert.equal(session.sessionId, "ada");
    }),
    law("a wait for the next session that was given up locks none", async (trial) => {
      const queue = await trial.createQueue({ requiresSession: true });
      const givingUp = new AbortController();
      const call = trial.transport.acceptSession({ queue }, undefined, {
        receiveMode: "peekLock",
        maxWaitTimeInMs: 60_000,
        abortSignal: givingUp.signal,
      });
      givingUp.abort();
      await rejectsWith("aborted", () => trial.ended(call, 60_000));
      await trial.send(queue, message("lamp", { sessionId: "ada" }));
      await accept(trial, queue, "ada");
    }),
    law("a session without messages can be accepted by name", async (trial) => {
      const queue = await trial.createQueue({ requiresSession: true });
      const session = await accept(trial, queue, "nobody");
      await trial.receiveNothing(session);
      await trial.send(queue, message("lamp", { sessionId: "nobody" }));
      assert.deepEqual(texts([await trial.receiveOne(session)]), ["lamp"]);
    }),
    law("a session that is held rejects with session-cannot-be-locked", async (trial) => {
      const queue = await withSessions(trial);
      await accept(trial, queue, "ada");
      await rejectsWith("session-cannot-be-locked", () => accept(trial, queue, "ada"));
    }),
    law("closing the receiver frees the session at once and settles nothing", async (trial) => {
      const queue = await withSessions(trial);
      const first = await accept(trial, queue, "ada");
      await trial.receive(first, 2);
      await first.close();
      const second = await accept(trial, queue, "ada");
      assert.deepEqual(texts(await trial.receive(second, 3)), ["ada 1", "ada 2", "ada 3"]);
    }),
    law("messages of a session can be completed, abandoned and dead-lettered", async (trial) => {
      const queue = await withSessions(trial);
      const session = await accept(trial, queue, "ada");
      const [first, second] = await trial.receive(session, 3);
      await session.complete(handleOf(first!));
      await session.deadLetter(handleOf(second!), { deadLetterReason: "broken" });
      const dead = await trial.receiveOne(trial.deadLetterReceiver(queue));
      assert.deepEqual([...texts([dead]), dead.sessionId, dead.deadLetterReason], ["ada 2", "ada", "broken"]);
    }),
    law("an abandoned message comes again in its place", async (trial) => {
      const queue = await withSessions(trial);
      const session = await accept(trial, queue, "ada");
      await session.abandon(handleOf(await trial.receiveOne(session)));
      const again = await trial.receiveOne(session);
      assert.deepEqual([...texts([again]), again.deliveryCount], ["ada 1", 1]);
    }),
    law("receive-and-delete removes the messages of a session at once", async (trial) => {
      const queue = await withSessions(trial);
      const session = await trial.transport.acceptSession({ queue }, "ben", {
        receiveMode: "receiveAndDelete",
        maxWaitTimeInMs: 10_000,
      });
      const arrived = await trial.receiveOne(session);
      assert.equal(arrived.settlement, undefined);
      await session.close();
      await trial.receiveNothing(await accept(trial, queue, "ben"));
    }),
    law("the state is set, kept for the next receiver, and cleared", async (trial) => {
      const queue = await withSessions(trial);
      const state = Uint8Array.from({ length: 256 }, (_, index) => index);
      const first = await accept(trial, queue, "ada");
      assert.equal(await first.getState(), undefined);
      await first.setState(state);
      assertSameValue(await first.getState(), state, "the state");
      await first.close();
      const second = await accept(trial, queue, "ada");
      assertSameValue(await second.getState(), state, "the state for the next receiver");
      await second.setState(undefined);
      assert.equal(await second.getState(), undefined);
    }),
    law("each session has a state of its own", async (trial) => {
      const queue = await withSessions(trial);
      const ada = await accept(trial, queue, "ada");
      const ben = await accept(trial, queue, "ben");
      await ada.setState(Uint8Array.of(1));
      assert.equal(await ben.getState(), undefined);
    }),
    law("the session's lock is the entity's lock duration long, and can be renewed", async (trial) => {
      const queue = await withSessions(trial);
      const session = await accept(trial, queue, "ada");
      const leftMs = session.sessionLockedUntilUtc.getTime() - trial.now().getTime();
      assert.ok(leftMs > trial.lockDurationMs / 2 && leftMs <= trial.lockDurationMs + 1000);
      const delivered = await trial.receiveOne(session);
      const before = session.sessionLockedUntilUtc;
      await trial.advance(trial.lockDurationMs * 0.6);
      const until = await session.renewSessionLock();
      assert.ok(until > before, "the new end is later");
      assert.equal(session.sessionLockedUntilUtc.getTime(), until.getTime());
      await trial.advance(trial.lockDurationMs * 0.6);
      await session.complete(handleOf(delivered));
      await rejectsWith("session-cannot-be-locked", () => accept(trial, queue, "ada"));
    }),
    law("a session whose lock ran out belongs to the next receiver", async (trial) => {
      const queue = await withSessions(trial);
      const first = await accept(trial, queue, "ada");
      const delivered = await trial.receiveOne(first);
      await trial.outlastLocks();
      const second = await accept(trial, queue, "ada");
      await rejectsWith("session-lock-lost", () => first.complete(handleOf(delivered)));
      const again = await trial.receiveOne(second);
      assert.deepEqual([...texts([again]), again.deliveryCount], ["ada 1", 1]);
    }),
    law("a session's subscription delivers its messages in order", async (trial) => {
      const queue = await withSessions(trial);
      const session = await accept(trial, queue, "ada");
      const seen: string[] = [];
      const subscription = session.subscribe(
        {
          async onMessage(delivered) {
            seen.push(...texts([delivered]));
            await session.complete(handleOf(delivered));
          },
          onError() {},
        },
        { maxConcurrentCalls: 1 },
      );
      await trial.until(() => seen.length === 3, "the session's messages came");
      await subscription.stop();
      assert.deepEqual(seen, ["ada 1", "ada 2", "ada 3"]);
    }),
    law("a subscription of a topic has sessions, too", async (trial) => {
      const topic = await trial.createTopic(["billing"], { requiresSession: true });
      await trial.send(topic, message("lamp", { sessionId: "ada" }));
      const session = await trial.transport.acceptSession({ topic, subscription: "billing" }, "ada", {
        receiveMode: "peekLock",
        maxWaitTimeInMs: 10_000,
      });
      assert.deepEqual(texts([await trial.receiveOne(session)]), ["lamp"]);
    }),
    law(
      "an entity with sessions takes no message without one, nor its neighbours in the batch",
      async (trial) => {
        const queue = await trial.createQueue({ requiresSession: true });
        const sender = trial.transport.createSender(queue);
        await rejectsWith("operation-invalid", () =>
          sender.send([message("lamp", { sessionId: "ada" }), message("bulb")]),
        );
        await trial.receiveNothing(await accept(trial, queue, "ada"));
      },
    ),
    law("an entity with sessions has no receiver without one", async (trial) => {
      const queue = await withSessions(trial);
      await rejectsWith("operation-invalid", () =>
        trial.receiver(queue).receive({ maxMessages: 1, maxWaitTimeInMs: 1000 }),
      );
    }),
    law("an entity without sessions accepts none", async (trial) => {
      const queue = await trial.createQueue();
      await rejectsWith("operation-invalid", () => accept(trial, queue, "ada"));
    }),
    transportCase(
      subject,
      "sessions: those that have messages are listed, sorted, page by page",
      async (trial) => {
        const queue = await withSessions(trial);
        await trial.send(queue, message("cem 1", { sessionId: "cem" }));
        await accept(trial, queue, "dan");
        const list = (skip: number, top: number) => trial.transport.listSessions!({ queue }, { skip, top });
        assert.deepEqual(await list(0, 100), ["ada", "ben", "cem"]);
        assert.deepEqual(await list(1, 1), ["ben"]);
        assert.deepEqual(await list(3, 100), []);
      },
      "sessionEnumeration",
    ),
    transportCase(
      subject,
      "sessions: those whose state was set after an instant are listed, with or without messages",
      async (trial) => {
        const queue = await withSessions(trial);
        await (await accept(trial, queue, "dan")).setState(Uint8Array.of(1));
        await trial.advance(1000);
        const updatedAfter = new Date(trial.now().getTime() - 500);
        await (await accept(trial, queue, "eve")).setState(Uint8Array.of(1));
        const ids = await trial.transport.listSessions!({ queue }, { updatedAfter, skip: 0, top: 100 });
        assert.deepEqual(ids, ["eve"]);
      },
      "sessionEnumeration",
    ),
    transportCase(
      subject,
      "sessions: an entity without sessions has none to list",
      async (trial) => {
        const queue = await trial.createQueue();
        await rejectsWith("operation-invalid", () =>
          trial.transport.listSessions!({ queue }, { skip: 0, top: 100 }),
        );
      },
      "sessionEnumeration",
    ),
    law("peeking sees the session's messages only", async (trial) => {
      const queue = await withSessions(trial);
      const session = await accept(trial, queue, "ben");
      assert.deepEqual(texts(await session.peek({ maxMessages: 10 })), ["ben 1"]);
    }),
  ];
}

/** A queue with three messages of session "ada" and, between them, one of session "ben". */
async function withSessions(trial: TransportTrial): Promise<string> {
  const queue = await trial.createQueue({ requiresSession: true });
  await trial.send(
    queue,
    message("ada 1", { sessionId: "ada" }),
    message("ben 1", { sessionId: "ben" }),
    message("ada 2", { sessionId: "ada" }),
    message("ada 3", { sessionId: "ada" }),
  );
  return queue;
}

function accept(
  trial: TransportTrial,
  queue: string,
  sessionId: string | undefined,
): Promise<TransportSessionReceiver> {
  return trial.transport.acceptSession({ queue }, sessionId, {
    receiveMode: "peekLock",
    maxWaitTimeInMs: 60_000,
  });
}
