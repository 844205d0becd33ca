import type { Transport } from "@waybill/core";
import { WaybillError } from "@waybill/core";
import type { TransportSessionReceiver } from "@waybill/core/transport";
import { describe, expect, it } from "vitest";
import { type OpenFixture, openHarness, until } from "./harness.js";

/** Streams and replies that share a queue, separated by session. */
export function sessionTests(open: OpenFixture): void {
  describe("multiplexing", () => {
    it("separates the streams of one queue, each in its order", async () => {
      await using harness = await openHarness(open);
      const queue = await harness.createQueue({ requiresSession: true });
      const sender = harness.client.createSender(queue);
      for (const step of [1, 2, 3]) {
        await sender.sendMessages(["lamp", "bulb"].map((sessionId) => ({ sessionId, body: step })));
      }
      const streams = await Promise.all(
        ["lamp", "bulb"].map((id) => harness.client.acceptSession(queue, id)),
      );
      for (const stream of streams) {
        const steps: unknown[] = [];
        while (steps.length < 3) {
          for (const message of await stream.receiveMessages(3)) {
            expect(message.sessionId).toBe(stream.sessionId);
            steps.push(message.body);
            await stream.completeMessage(message);
          }
        }
        expect(steps).toEqual([1, 2, 3]);
      }
    });
  });

  describe("multiplexed request/reply", () => {
    it("allows several requesters to share a reply queue, each with its session", async () => {
      await using harness = await openHarness(open);
      const orders = await harness.createQueue();
      const replies = await harness.createQueue({ requiresSession: true });
      const { seen } = harness.handle(orders, (request, client) =>
        client.reply(request, { to: request.body }),
      );
      const requesters = ["a", "b", "c"].map((replyToSessionId) =>
        harness.client.createRequester(replies, { replyToSessionId }),
      );
      const answers = await Promise.all(
        requesters.flatMap((requester) =>
          [1, 2, 3].map(async (number) => {
            const body = `${requester.replyToSessionId} ${number}`;
            const reply = await requester.request(orders, { body });
            return [body, reply.sessionId, reply.body];
          }),
        ),
      );
      for (const [body, sessionId, answer] of answers) {
        expect(answer).toEqual({ to: body });
        expect(sessionId).toBe((body as string)[0]);
      }
      expect(seen.every(({ replyTo, replyToSessionId }) => replyTo === replies && replyToSessionId)).toBe(
        true,
      );
    });

    it("uses a session for each request if configured, and releases those of old requests", async () => {
      await using harness = await openHarness(open);
      const orders = await harness.createQueue();
      const replies = await harness.createQueue({ requiresSession: true });
      harness.handle(orders, (request, client) => client.reply(request, request.body));
      for (let number = 0; number < 20; number++) {
        const request = { body: number, replyTo: replies, replyToSessionId: `session-${number}` };
        const { body, sessionId } = await harness.client.request(orders, request);
        expect([body, sessionId]).toEqual([number, `session-${number}`]);
      }
      const freed = await harness.client.acceptSession(replies, "session-0");
      expect(freed.sessionId).toBe("session-0");
    });

    it("waits for a session that another receiver has locked, before it sends", async () => {
      await using harness = await openHarness(open);
      const orders = await harness.createQueue();
      const replies = await harness.createQueue({ requiresSession: true });
      const { seen } = harness.handle(orders, (request, client) => client.reply(request, "here"));
      const holder = await harness.client.acceptSession(replies, "a");
      const requester = harness.client.createRequester(replies, { replyToSessionId: "a" });
      const answering = requester.request(orders, { body: 1 });
      await harness.fixture.advance(600);
      expect(seen).toEqual([]);
      await holder.close();
      for (const _ of [1, 2, 3]) await harness.fixture.advance(300);
      expect((await answering).body).toBe("here");
    });

    it("reports the cause if the session was never released", async () => {
      await using harness = await openHarness(open);
      const orders = await harness.createQueue();
      const replies = await harness.createQueue({ requiresSession: true });
      await harness.client.acceptSession(replies, "a");
      const requester = harness.client.createRequester(replies, { replyToSessionId: "a" });
      const failure = requester
        .request(orders, { messageId: "m", body: 1 }, { timeoutInMs: 800 })
        .catch((error: unknown) => error);
      for (const _ of [1, 2, 3]) await harness.fixture.advance(300);
      expect(await failure).toMatchObject({
        code: "timeout",
        messageId: "m",
        text: `Replies could not be received from "${replies}" within 800 ms, so nothing was sent.`,
        cause: expect.objectContaining({ code: "session-cannot-be-locked" }),
      });
      expect(await harness.left(orders)).toEqual([]);
    });

    it("rejects immediately if the queue has no sessions", async () => {
      await using harness = await openHarness(open);
      const orders = await harness.createQueue();
      const replies = await harness.createQueue();
      const requester = harness.client.createRequester(replies, { replyToSessionId: "a" });
      await expect(requester.request(orders, { body: 1 })).rejects.toMatchObject({
        code: "operation-invalid",
      });
      expect(await harness.left(orders)).toEqual([]);
    });

    it("accepts a session again whose lock was lost while a request waits", async () => {
      await using harness = await openHarness(open);
      const orders = await harness.createQueue();
      const replies = await harness.createQueue({ requiresSession: true });
      const client = harness.createClient({}, withoutRenewal(harness.fixture.transport));
      const sources: string[] = [];
      const requester = client.createRequester(replies, {
        replyToSessionId: "a",
        processError: ({ error, errorSource }) => {
          if ((error as WaybillError).code === "session-lock-lost") sources.push(errorSource);
        },
      });
      const answering = requester.request(orders, { body: 1 });
      await until(async () => (await harness.left(orders)).length === 1);
      await harness.fixture.advance(6_000);
      await until(() => sources.includes("receive"));
      harness.handle(orders, (request) => client.reply(request, "still here"));
      expect((await answering).body).toBe("still here");
    });

    it("accepts a session again with the next request if none waited", async () => {
      await using harness = await openHarness(open);
      const orders = await harness.createQueue();
      const replies = await harness.createQueue({ requiresSession: true });
      harness.handle(orders, (request, client) => client.reply(request, request.body));
      let completed = 0;
      const transport = withoutRenewal(harness.fixture.transport, () => {
        completed++;
      });
      const client = harness.createClient({}, transport);
      let losses = 0;
      const requester = client.createRequester(replies, {
        replyToSessionId: "a",
        processError: ({ errorSource }) => {
          if (errorSource === "receive") losses++;
        },
      });
      expect((await requester.request(orders, { body: 1 })).body).toBe(1);
      await until(() => completed === 1);
      await harness.fixture.advance(6_000);
      await until(() => losses === 1);
      expect((await requester.request(orders, { body: 2 })).body).toBe(2);
    });

    it("releases its session when it closes, also while it is being accepted", async () => {
      await using harness = await openHarness(open);
      const orders = await harness.createQueue();
      const replies = await harness.createQueue({ requiresSession: true });
      for (const _ of [1, 2]) {
        const requester = harness.client.createRequester(replies, { replyToSessionId: "a" });
        const request = expect(requester.request(orders, { body: 1 })).rejects.toMatchObject({
          code: "closed",
        });
        await requester.close();
        await request;
      }
      const holder = await harness.client.acceptSession(replies, "a");
      const waiting = harness.client.createRequester(replies, { replyToSessionId: "a" });
      const request = expect(waiting.request(orders, { body: 1 })).rejects.toMatchObject({ code: "closed" });
      await harness.fixture.advance(100);
      await waiting.close();
      await request;
      await holder.close();
      expect((await harness.client.acceptSession(replies, "a")).sessionId).toBe("a");
      expect(await harness.left(orders)).toEqual([]);
    });
  });
}

/** The transport, but session locks cannot be renewed, as if the connection was lost for longer than their duration. */
function withoutRenewal(transport: Transport, onCompleted = () => {}): Transport {
  return withMembers(transport, {
    async acceptSession(address, sessionId, options) {
      const session = await transport.acceptSession(address, sessionId, options);
      return withMembers<TransportSessionReceiver>(session, {
        renewSessionLock: () => Promise.reject(new WaybillError("unauthorized", "No renewal today.")),
        complete: (delivery, call) => session.complete(delivery, call).then(onCompleted),
      });
    },
  });
}

/** The object with some members replaced; the others are bound to the object. */
function withMembers<T extends object>(object: T, members: Partial<T>): T {
  return new Proxy(object, {
    get(target, key) {
      if (Object.hasOwn(members, key)) return members[key as keyof T];
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
