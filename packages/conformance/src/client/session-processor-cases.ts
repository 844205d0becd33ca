import assert from "node:assert/strict";
import type { Message, SessionMessageHandlers, SubscribeSessionsOptions } from "@waybill/core";
import { required } from "@waybill/foundation";
import type { Case } from "../case.js";
import type { TransportSubject } from "../transport/harness/transport-subject.js";
import { counted, gate, numbersOf, type ProcessingHarness, processingCase } from "./processing-harness.js";

/** Many sessions are processed concurrently, each in order. */
export function sessionProcessorCases(subject: TransportSubject): Case[] {
  const testCase = processingCase(subject, "session processor", "sessions");
  return [
    testCase(
      "every session is processed in order, with at most maxConcurrentSessions at a time",
      async (harness) => {
        const ids = Array.from({ length: 12 }, (_, i) => `s${i}`);
        const queue = await sessionQueue(harness, mixed(ids, 5));
        const seen = new Map<string, number[]>();
        const running = new Map<string, number>();
        let most = 0;
        const subscription = subscribe(
          harness,
          queue,
          async (message) => {
            const sessionId = required(message.sessionId);
            running.set(sessionId, (running.get(sessionId) ?? 0) + 1);
            assert.equal(running.get(sessionId), 1, "no two messages of a session are in flight");
            most = Math.max(most, running.size);
            await new Promise((resolve) => setTimeout(resolve, 1));
            seen.set(sessionId, [...(seen.get(sessionId) ?? []), message.body.n]);
            running.delete(sessionId);
          },
          { maxConcurrentSessions: 3 },
        );
        // Much less than the idle timeout of each: a session without messages is released for others.
        await harness.untilEmpty(queue);
        await harness.ended(subscription.close(), "the subscription closed");
        assert.deepEqual(harness.errors, []);
        for (const id of ids) assert.deepEqual(seen.get(id), [1, 2, 3, 4, 5], id);
        assert.ok(most <= 3, `${most} sessions were processed at a time`);
      },
    ),
    testCase("an idle session is held until the idle timeout, then released", async (harness) => {
      const queue = await sessionQueue(harness, mixed(["ada"], 1));
      const steps: string[] = [];
      const subscription = subscribe(
        harness,
        queue,
        { ...steppedHandlers(steps), processError: harness.processError },
        { sessionIdleTimeoutInMs: 500 },
      );
      await harness.until(() => steps.includes("ada 1"), "the message was received");
      await harness.send(queue, [{ sessionId: "ada", body: { n: 2 } }]);
      await harness.until(() => steps.includes("closing ada"), "the session was let go");
      assert.deepEqual(steps, ["opening ada", "ada 1", "ada 2", "closing ada"]);
      // It can be accepted again.
      await (await harness.client().acceptSession(queue, "ada")).close();
      await harness.ended(subscription.close(), "the subscription closed");
    }),
    testCase("a message whose handler failed is delivered again before the next message", async (harness) => {
      const queue = await sessionQueue(harness, mixed(["ada"], 3));
      const seen: number[] = [];
      subscribe(harness, queue, ({ body, deliveryCount }) => {
        seen.push(body.n);
        if (body.n === 2 && deliveryCount < 2) throw new Error("not yet");
      });
      await harness.untilEmpty(queue);
      assert.deepEqual(seen, [1, 2, 2, 2, 3]);
    }),
    testCase(
      "several messages of a session are in flight with maxConcurrentCallsPerSession",
      async (harness) => {
        const queue = await sessionQueue(harness, mixed(["ada"], 3));
        const { opened, open } = gate();
        let running = 0;
        const subscription = subscribe(
          harness,
          queue,
          async () => {
            running++;
            await opened;
          },
          { maxConcurrentCallsPerSession: 3 },
        );
        await harness.until(() => running === 3, "three messages are in flight");
        open();
        await harness.untilEmpty(queue);
        await harness.ended(subscription.close(), "the subscription closed");
      },
    ),
    testCase("a handler can release its session", async (harness) => {
      const queue = await sessionQueue(harness, mixed(["ada"], 2));
      const steps: string[] = [];
      const subscription = subscribe(harness, queue, {
        ...steppedHandlers(steps),
        processError: harness.processError,
        processMessage: ({ body }, { session, releaseSession }) => {
          steps.push(`${session.sessionId} ${body.n}`);
          releaseSession();
        },
      });
      await harness.untilEmpty(queue);
      await harness.until(() => steps.length === 6, "the session was released twice");
      const once = (n: number) => ["opening ada", `ada ${n}`, "closing ada"];
      assert.deepEqual(steps, [...once(1), ...once(2)]);
      await harness.ended(subscription.close(), "the subscription closed");
    }),
    testCase("closing abandons unfinished messages and releases the sessions", async (harness) => {
      const queue = await sessionQueue(harness, mixed(["ada", "ben"], 2));
      const seen: string[] = [];
      const { opened, open } = gate();
      const subscription = subscribe(harness, queue, async ({ sessionId, body }) => {
        seen.push(`${sessionId} ${body.n}`);
        if (sessionId === "ben") await opened;
      });
      await harness.until(() => seen.length === 3, "both sessions are processed");
      await harness.ended(subscription.close({ closeTimeoutInMs: 500 }), "the subscription closed");
      open();
      assert.deepEqual(numbersOf(await harness.content(queue)), [1, 2]);
      const session = await harness.client().acceptSession(queue, "ben");
      assert.deepEqual(numbersOf(await session.receiveMessages(1)), [1]);
    }),
    testCase(
      "a session that stops at an undeserializable message keeps its order; other sessions continue",
      async (harness) => {
        const queue = await sessionQueue(harness, []);
        const client = harness.client();
        const sender = client.createSender(queue);
        await sender.sendMessages({ sessionId: "ada", body: { n: 1 } });
        await sender.sendEncodedMessages({ sessionId: "ada", contentType: "application/json", body: broken });
        await sender.sendMessages({ sessionId: "ada", body: { n: 3 } });
        const seen: string[] = [];
        const dispositions: unknown[] = [];
        const subscription = client.subscribeSessions<{ n: number }>(
          queue,
          {
            processMessage: ({ sessionId, body }) => void seen.push(`${sessionId} ${body.n}`),
            processError: ({ disposition, sessionId }) => void dispositions.push([sessionId, disposition]),
          },
          { undeserializableAction: "block", maxConcurrentSessions: 1, blockedSessionRetryInMs: 100 },
        );
        await harness.until(() => dispositions.length >= 1, "the session is blocked");
        await sender.sendMessages([...mixed(["ben"], 2), ...mixed(["cem"], 1)]);
        await harness.until(() => seen.length === 4, "the other sessions are processed");
        assert.deepEqual(seen.toSorted(), ["ada 1", "ben 1", "ben 2", "cem 1"]);
        // It is read again, which does not count as a delivery: so the broker never dead-letters it.
        await harness.until(() => dispositions.length >= 3, "the session was tried again");
        assert.deepEqual(dispositions[2], ["ada", "blocked"]);
        await harness.ended(subscription.close(), "the subscription closed");
        const left = await harness.content(queue);
        assert.deepEqual(
          left.map(({ deliveryCount, failure }) => [deliveryCount, failure?.status]),
          [
            [0, "undeserializable"],
            [0, undefined],
          ],
        );
        assert.deepEqual(await harness.content(queue, "deadLetter"), []);
      },
    ),
    testCase(
      "a session receiver that stops at an undeserializable message rejects further calls",
      async (harness) => {
        const queue = await sessionQueue(harness, mixed(["ada"], 1));
        const client = harness.client();
        const sender = client.createSender(queue);
        await sender.sendEncodedMessages({ sessionId: "ada", contentType: "application/json", body: broken });
        await sender.sendMessages({ sessionId: "ada", body: { n: 3 } });
        const session = await client.acceptSession(queue, "ada", { undeserializableAction: "block" });
        const messages = [];
        let code: unknown;
        while (code === undefined) {
          try {
            messages.push(...(await session.receiveMessages(5)));
          } catch (error) {
            code = (error as { code?: unknown }).code;
          }
        }
        assert.deepEqual(numbersOf(messages), [1]);
        assert.equal(code, "deserialization-failed");
        await assert.rejects(session.receiveMessages(5), { code });
        await session.completeMessage(required(messages[0]));
        await session.close();
        assert.equal((await harness.content(queue)).length, 2);
      },
    ),
  ];
}

const broken = new TextEncoder().encode('{"n":');

function sessionQueue(harness: ProcessingHarness, messages: readonly Message[]): Promise<string> {
  return harness.queue(messages, { requiresSession: true });
}

/** Messages of several sessions, numbered in each, in turn. */
function mixed(ids: readonly string[], each: number): Message[] {
  return counted(each).flatMap(({ body }) => ids.map((sessionId) => ({ sessionId, body })));
}

type Handlers = SessionMessageHandlers<{ n: number }>;

function subscribe(
  harness: ProcessingHarness,
  queue: string,
  handlers: Handlers | Handlers["processMessage"],
  options?: SubscribeSessionsOptions<"peekLock">,
) {
  const { processError } = harness;
  return harness
    .client()
    .subscribeSessions<{ n: number }>(
      queue,
      typeof handlers === "function" ? { processMessage: handlers, processError } : handlers,
      options,
    );
}

function steppedHandlers(steps: string[]): Omit<Handlers, "processError"> {
  return {
    sessionInitializing: ({ sessionId }) => void steps.push(`opening ${sessionId}`),
    processMessage: ({ sessionId, body }) => void steps.push(`${sessionId} ${body.n}`),
    sessionClosing: ({ sessionId }) => void steps.push(`closing ${sessionId}`),
  };
}
