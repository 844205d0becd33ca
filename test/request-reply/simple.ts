import type { ReceivedMessage, WaybillError } from "@waybill/core";
import { describe, expect, it } from "vitest";
import { type Harness, type OpenFixture, openHarness, until } from "./harness.js";

/** One request, one reply. */
export function simpleTests(open: OpenFixture): void {
  describe("simple request/reply", () => {
    it("resolves with the reply, whose correlationId is the request's messageId", async () => {
      await using harness = await openHarness(open);
      const { orders, replies } = await createQueues(harness);
      const { seen } = harness.handle(orders, (request, client) => client.reply(request, { total: 12 }));
      const requester = harness.client.createRequester(replies);
      const reply = await requester.request<{ total: number }>(orders, {
        messageId: "order-1",
        subject: "Quote",
        body: { lamps: 2 },
        applicationProperties: { tenant: "north" },
      });
      expect(reply.body.total).toBe(12);
      expect(reply.correlationId).toBe("order-1");
      expect(seen).toMatchObject([
        {
          messageId: "order-1",
          subject: "Quote",
          body: { lamps: 2 },
          replyTo: replies,
          applicationProperties: { tenant: "north", Accept: "application/json, application/vnd.msgpack" },
        },
      ]);
      expect(requester.pendingRequestCount).toBe(0);
      await until(async () => (await harness.left(replies)).length === 0);
    });

    it("works in one call, which keeps the requester for the next", async () => {
      await using harness = await openHarness(open);
      const { orders, replies } = await createQueues(harness);
      harness.handle(orders, (request, client) => client.reply(request, { got: request.body }));
      for (const number of [1, 2]) {
        const reply = await harness.client.request(orders, { body: number, replyTo: replies });
        expect(reply.body).toEqual({ got: number });
      }
    });

    it("resolves each of many requests with its reply, in any order", async () => {
      await using harness = await openHarness(open);
      const { orders, replies } = await createQueues(harness);
      const waiting: ReceivedMessage[] = [];
      harness.handle(orders, async (request, client) => {
        waiting.push(request);
        if (waiting.length < 40) return;
        for (const one of waiting.toReversed()) await client.reply(one, { answerTo: one.body });
      });
      const requester = harness.client.createRequester(replies);
      const numbers = Array.from({ length: 40 }, (_, number) => number);
      const answers = await Promise.all(numbers.map((body) => requester.request(orders, { body })));
      expect(answers.map(({ body }) => body)).toEqual(numbers.map((number) => ({ answerTo: number })));
    });

    it("generates a messageId for requests without one", async () => {
      await using harness = await openHarness(open);
      const { orders, replies } = await createQueues(harness);
      const { seen } = harness.handle(orders, (request, client) => client.reply(request, {}));
      const requester = harness.client.createRequester(replies);
      const request = Object.freeze({ body: 1 });
      await Promise.all([requester.request(orders, request), requester.request(orders, request)]);
      const ids = seen.map(({ messageId }) => messageId);
      expect(ids).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), expect.any(String)]);
      expect(new Set(ids).size).toBe(2);
    });

    it("matches an id that another library converted to a string", async () => {
      await using harness = await openHarness(open);
      const { orders, replies } = await createQueues(harness);
      harness.handle(orders, (request, client) =>
        client.reply(request, {}, { properties: { correlationId: String(request.messageId) } }),
      );
      const reply = await harness.client
        .createRequester(replies)
        .request(orders, { messageId: 77, body: 1 }, { timeoutInMs: 5_000 });
      expect(reply.correlationId).toBe("77");
    });

    it("works with an answerer without waybill", async () => {
      await using harness = await openHarness(open);
      const { orders, replies } = await createQueues(harness);
      const answering = harness.client.request(orders, { body: { lamps: 2 }, replyTo: replies });
      const receiver = harness.fixture.transport.createReceiver({ queue: orders }, "receiveAndDelete");
      const [request] = await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 10_000 });
      const body = new TextEncoder().encode('{"total":12}');
      await harness.fixture.transport
        .createSender(request!.replyTo!)
        .send([{ correlationId: request!.messageId, contentType: "application/json", body }]);
      expect((await answering).body).toEqual({ total: 12 });
    });

    it("rejects with timeout when no reply comes in time", async () => {
      await using harness = await openHarness(open);
      const { orders, replies } = await createQueues(harness);
      const requester = harness.client.createRequester(replies);
      await harness.openLink(requester);
      const request = requester.request(orders, { messageId: "a", body: 1 }, { timeoutInMs: 100 });
      await Promise.all([
        expect(request).rejects.toThrow(
          `[timeout] message "a", entity "${orders}": No reply came to "${replies}" within 100 ms.`,
        ),
        until(async () => (await harness.left(orders)).length === 1).then(() => harness.fixture.advance(150)),
      ]);
      expect(requester.pendingRequestCount).toBe(0);
    });

    it("uses the timeout of each request", async () => {
      await using harness = await openHarness(open);
      const { orders, replies } = await createQueues(harness);
      const hourMs = 3_600_000;
      const requester = harness.client.createRequester(replies, { timeoutInMs: hourMs });
      const [long, short, longer] = [undefined, 100, 2 * hourMs].map((timeoutInMs) =>
        requester.request(orders, { body: 1 }, { timeoutInMs }).catch((error: WaybillError) => error.code),
      );
      await harness.fixture.advance(150);
      expect(await short).toBe("timeout");
      expect(requester.pendingRequestCount).toBe(2);
      await requester.close();
      expect(await Promise.all([long, longer])).toEqual(["closed", "closed"]);
    });

    it("is aborted by its signal, before and while it waits", async () => {
      await using harness = await openHarness(open);
      const { orders, replies } = await createQueues(harness);
      const requester = harness.client.createRequester(replies);
      const givingUp = new AbortController();
      const options = { abortSignal: givingUp.signal };
      const request = requester.request(orders, { messageId: "a", body: 1 }, options);
      await until(async () => (await harness.left(orders)).length === 1);
      givingUp.abort();
      await expect(request).rejects.toMatchObject({ code: "aborted", messageId: "a" });
      await expect(requester.request(orders, { body: 2 }, options)).rejects.toMatchObject({
        code: "aborted",
      });
      expect(await harness.left(orders)).toHaveLength(1);
      expect(requester.pendingRequestCount).toBe(0);
    });

    it("rejects with the error of sending, and does not wait", async () => {
      await using harness = await openHarness(open);
      const { replies } = await createQueues(harness);
      const requester = harness.client.createRequester(replies);
      await expect(requester.request("nowhere", { body: 1 })).rejects.toMatchObject({
        code: "entity-not-found",
        entityPath: "nowhere",
      });
      await expect(requester.request(replies, { body: () => {} })).rejects.toMatchObject({
        code: "serialization-failed",
      });
      expect(requester.pendingRequestCount).toBe(0);
    });

    it("rejects if its replies cannot be received", async () => {
      await using harness = await openHarness(open);
      const { orders } = await createQueues(harness);
      const requester = harness.client.createRequester("nowhere");
      await expect(requester.request(orders, { messageId: "a", body: 1 })).rejects.toMatchObject({
        code: "entity-not-found",
        messageId: "a",
        text: expect.stringContaining(`Replies cannot be received from "nowhere".`),
      });
    });

    it("rejects with closed when the requester closes, or its client", async () => {
      await using harness = await openHarness(open);
      const { orders, replies } = await createQueues(harness);
      const requester = harness.client.createRequester(replies);
      const first = requester.request(orders, { body: 1 });
      const other = harness.client.createRequester(replies).request(orders, { body: 2 });
      const closed = [
        expect(first).rejects.toMatchObject({ code: "closed", entityPath: orders }),
        expect(other).rejects.toMatchObject({ code: "closed" }),
      ];
      await requester.close();
      await closed[0];
      await expect(requester.request(orders, { body: 3 })).rejects.toMatchObject({ code: "closed" });
      await harness.client.close();
      await closed[1];
      await expect(harness.client.request(orders, { body: 4, replyTo: replies })).rejects.toMatchObject({
        code: "closed",
      });
    });

    it("limits the number of pending requests, and refuses two with the same id", async () => {
      await using harness = await openHarness(open);
      const { orders, replies } = await createQueues(harness);
      const requester = harness.client.createRequester(replies, { maxPendingRequests: 2 });
      const waiting = ["a", "b"].map((messageId) =>
        expect(requester.request(orders, { messageId, body: 1 })).rejects.toMatchObject({ code: "closed" }),
      );
      await expect(requester.request(orders, { messageId: "a", body: 1 })).rejects.toMatchObject({
        code: "operation-invalid",
        text: "A request with this messageId waits already.",
      });
      await expect(requester.request(orders, { body: 1 })).rejects.toMatchObject({ code: "quota-exceeded" });
      expect(requester.pendingRequestCount).toBe(2);
      await requester.close();
      await Promise.all(waiting);
    });

    it("refuses a request with another reply address", async () => {
      await using harness = await openHarness(open);
      const { orders, replies } = await createQueues(harness);
      const requester = harness.client.createRequester(replies);
      const request = requester.request(orders, { body: 1, replyTo: "elsewhere" } as never);
      await expect(request).rejects.toThrow(
        new TypeError("The requester sets replyTo; leave it out of the request."),
      );
      await expect(harness.client.request(orders, { body: 1 } as never)).rejects.toMatchObject({
        code: "operation-invalid",
      });
    });
  });

  describe("an undeserializable reply", () => {
    it("rejects its request and is dead-lettered", async () => {
      await using harness = await openHarness(open);
      const { orders, replies } = await createQueues(harness);
      harness.handle(orders, (request) => sendPoison(harness, replies, request));
      const request = harness.client.request(orders, { messageId: "a", body: 1, replyTo: replies });
      await expect(request).rejects.toMatchObject({
        code: "deserialization-failed",
        messageId: "a",
        entityPath: orders,
        text: expect.stringContaining("Its reply cannot be read."),
        cause: expect.objectContaining({ code: "deserialization-failed", entityPath: replies }),
      });
      const dead = await harness.deadLetters(replies);
      expect(dead).toMatchObject([{ deadLetterReason: "DeserializationFailed", correlationId: "a" }]);
    });
  });

  describe("reply", () => {
    it("prefers the given properties to those of the request", async () => {
      await using harness = await openHarness(open);
      const { replies } = await createQueues(harness);
      const request = { messageId: "a", replyTo: "elsewhere", applicationProperties: {} };
      const properties = { correlationId: "conversation-9", subject: "Quoted", timeToLive: 60_000 };
      await harness.client.reply(request, { total: 12 }, { properties, replyTo: replies });
      expect(await harness.left(replies)).toMatchObject([{ ...properties, body: { total: 12 } }]);
    });

    it("correlates by the request's correlationId if it has no messageId", async () => {
      await using harness = await openHarness(open);
      const { replies } = await createQueues(harness);
      const request = { correlationId: "c", replyTo: replies, applicationProperties: {} };
      await harness.client.reply(request, 1);
      expect(await harness.left(replies)).toMatchObject([{ correlationId: "c" }]);
    });

    it.each(["sb", "amqps", "https"])(
      "can be sent to an absolute address of its namespace: %s",
      async (scheme) => {
        await using harness = await openHarness(open);
        const { replies } = await createQueues(harness);
        const request = {
          messageId: "a",
          replyTo: `${scheme}://localhost/${replies}`,
          applicationProperties: {},
        };
        await harness.client.reply(request, { total: 12 });
        expect(await harness.left(replies)).toMatchObject([{ correlationId: "a", body: { total: 12 } }]);
      },
    );

    it.each([
      [undefined, "It has no replyTo, so its sender expects no reply"],
      ["sb://other.example/replies", "Its replyTo is an absolute address in the namespace 'other.example'"],
    ])("is refused for an unreachable address: %s", async (replyTo, text) => {
      await using harness = await openHarness(open);
      const request = { messageId: "a", replyTo, applicationProperties: {} };
      await expect(harness.client.reply(request, 1)).rejects.toMatchObject({
        code: "operation-invalid",
        messageId: "a",
        text: expect.stringContaining(text),
      });
    });
  });
}

/** A queue for requests and one for replies. */
export async function createQueues(harness: Harness): Promise<{ orders: string; replies: string }> {
  return { orders: await harness.createQueue(), replies: await harness.createQueue() };
}

/** Replies with a body that is declared as JSON but is malformed. */
export async function sendPoison(harness: Harness, replies: string, request: ReceivedMessage): Promise<void> {
  const body = new TextEncoder().encode("{not json");
  await harness.client
    .createSender(replies)
    .sendEncodedMessages({ correlationId: request.messageId, contentType: "application/json", body });
}
