import type { ReceivedMessage } from "@waybill/core";
import { describe, expect, it } from "vitest";
import { type Harness, type OpenFixture, openHarness, until } from "./harness.js";
import { createQueues, sendPoison } from "./simple.js";

/** One request, many replies: from one answerer or from the subscribers of a topic. */
export function manyTests(open: OpenFixture): void {
  describe("many replies", () => {
    it("arrive in order until maxReplies", async () => {
      await using harness = await openHarness(open);
      const { orders, replies } = await createQueues(harness);
      answerTimes(harness, orders, 5);
      const requester = harness.client.createRequester(replies);
      const bodies = await bodiesOf(requester.requestMany(orders, { body: "go" }, { maxReplies: 3 }));
      expect(bodies).toEqual([0, 1, 2]);
      expect(requester.pendingRequestCount).toBe(0);
    });

    it("end with the last one according to isLast", async () => {
      await using harness = await openHarness(open);
      const { orders, replies } = await createQueues(harness);
      answerTimes(harness, orders, 4);
      const isLast = ({ body }: ReceivedMessage) => body === 2;
      const stream = harness.client.requestMany<number>(orders, { body: "go", replyTo: replies }, { isLast });
      expect(await bodiesOf(stream)).toEqual([0, 1, 2]);
    });

    it("end without an error after the timeout, even without replies", async () => {
      await using harness = await openHarness(open);
      const { orders, replies } = await createQueues(harness);
      const { seen } = answerTimes(harness, orders, 2);
      const requester = harness.client.createRequester(replies, { timeoutInMs: 2_000 });
      await harness.openLink(requester);
      const gathering = bodiesOf(requester.requestMany(orders, { body: "go" }));
      await until(async () => seen.length === 1 && (await harness.left(replies)).length === 0);
      await harness.fixture.advance(2_050);
      expect(await gathering).toEqual([0, 1]);

      const silent = await harness.createQueue();
      const nothing = bodiesOf(requester.requestMany(silent, { body: "go" }));
      await until(async () => (await harness.left(silent)).length === 1);
      await harness.fixture.advance(2_050);
      expect(await nothing).toEqual([]);
    });

    it("are requested at once, before the iteration begins", async () => {
      await using harness = await openHarness(open);
      const { orders, replies } = await createQueues(harness);
      const { seen } = answerTimes(harness, orders, 2);
      const stream = harness.client.requestMany(orders, { body: "go", replyTo: replies }, { maxReplies: 2 });
      await until(() => seen.length === 1);
      expect(await bodiesOf(stream)).toEqual([0, 1]);
    });

    it("end when the loop is left", async () => {
      await using harness = await openHarness(open);
      const { orders, replies } = await createQueues(harness);
      answerTimes(harness, orders, 3);
      const requester = harness.client.createRequester(replies);
      const stream = requester.requestMany(orders, { body: "go" });
      for await (const reply of stream) {
        expect(reply.body).toBe(0);
        break;
      }
      expect(requester.pendingRequestCount).toBe(0);
      expect(await stream.next()).toEqual({ done: true, value: undefined });
    });

    it("end with an error when the request is aborted or the requester closes", async () => {
      await using harness = await openHarness(open);
      const { orders, replies } = await createQueues(harness);
      answerTimes(harness, orders, 1);
      const requester = harness.client.createRequester(replies);
      const givingUp = new AbortController();
      const stream = requester.requestMany(orders, { body: "go" }, { abortSignal: givingUp.signal });
      expect((await stream.next()).value?.body).toBe(0);
      givingUp.abort();
      await expect(stream.next()).rejects.toMatchObject({ code: "aborted" });
      expect(await stream.next()).toEqual({ done: true, value: undefined });

      const other = requester.requestMany(orders, { body: "go" });
      await other.next();
      const next = expect(other.next()).rejects.toMatchObject({ code: "closed" });
      await requester.close();
      await next;
      await expect(requester.requestMany(orders, { body: "go" }).next()).rejects.toMatchObject({
        code: "closed",
      });
    });

    it("yield the replies before an error, then the error", async () => {
      await using harness = await openHarness(open);
      const { orders, replies } = await createQueues(harness);
      harness.handle(orders, async (request, client) => {
        await client.reply(request, "good");
        await sendPoison(harness, replies, request);
      });
      const stream = harness.client.requestMany(orders, { body: "go", replyTo: replies });
      await until(async () => (await harness.deadLetters(replies)).length === 1);
      await until(async () => (await harness.left(replies)).length === 0);
      expect((await stream.next()).value?.body).toBe("good");
      await expect(stream.next()).rejects.toMatchObject({ code: "deserialization-failed" });
      expect(await stream.next()).toEqual({ done: true, value: undefined });
    });

    it("continue after an undeserializable reply if configured, and count it", async () => {
      await using harness = await openHarness(open);
      const { orders, replies } = await createQueues(harness);
      harness.handle(orders, async (request, client) => {
        await sendPoison(harness, replies, request);
        await client.reply(request, "good");
      });
      const options = { maxReplies: 2, undeserializableReplies: "skip" } as const;
      const stream = harness.client.requestMany(orders, { body: "go", replyTo: replies }, options);
      expect(await bodiesOf(stream)).toEqual(["good"]);
      expect(await harness.deadLetters(replies)).toMatchObject([
        { deadLetterReason: "DeserializationFailed" },
      ]);
    });

    it("end with an error if too many are buffered, and the last one is not lost", async () => {
      await using harness = await openHarness(open);
      const { orders, replies } = await createQueues(harness);
      answerTimes(harness, orders, 3);
      const requester = harness.client.createRequester(replies, {
        maxBufferedReplies: 2,
        lateReplies: "deadLetter",
      });
      const stream = requester.requestMany(orders, { body: "go" });
      await until(async () => (await harness.deadLetters(replies)).length === 1);
      expect(await harness.deadLetters(replies)).toMatchObject([{ body: 2, deadLetterReason: "LateReply" }]);
      expect([(await stream.next()).value?.body, (await stream.next()).value?.body]).toEqual([0, 1]);
      await expect(stream.next()).rejects.toMatchObject({ code: "quota-exceeded", retryable: false });
      expect(requester.pendingRequestCount).toBe(0);
    });

    it.each([
      { maxReplies: 0 },
      { isLast: true },
      { undeserializableReplies: "ignore" },
      { timeoutInMs: -1 },
    ])("refuse invalid options: %j", async (options) => {
      await using harness = await openHarness(open);
      const requester = harness.client.createRequester("replies");
      expect(() => requester.requestMany("orders", { body: 1 }, options as never)).toThrow(TypeError);
      expect(requester.pendingRequestCount).toBe(0);
    });
  });

  describe("multicast request/reply", () => {
    it("collects the replies of a topic's subscribers", async () => {
      await using harness = await openHarness(open);
      const topic = await harness.createTopic(["north", "south", "west"]);
      const replies = await harness.createQueue();
      for (const place of ["north", "south", "west"]) {
        harness.handle(`${topic}/${place}`, (request, client) => client.reply(request, { place }));
      }
      const requester = harness.client.createRequester(replies);
      const stream = requester.requestMany<{ place: string }>(topic, { body: "who?" }, { maxReplies: 3 });
      const places = (await bodiesOf(stream)).map(({ place }) => place);
      expect(places.sort()).toEqual(["north", "south", "west"]);
    });

    it("collects replies until the timeout", async () => {
      await using harness = await openHarness(open);
      const topic = await harness.createTopic(["north", "silent"]);
      const replies = await harness.createQueue();
      harness.handle(`${topic}/north`, (request, client) => client.reply(request, "north"));
      const silent = harness.handle(`${topic}/silent`, () => {});
      const request = { body: "who?", replyTo: replies };
      const stream = harness.client.requestMany(topic, request, { maxReplies: 2, timeoutInMs: 4_000 });
      expect((await stream.next()).value?.body).toBe("north");
      await until(() => silent.seen.length === 1);
      await harness.fixture.advance(4_050);
      expect(await bodiesOf(stream)).toEqual([]);
    });

    it("can send its replies to a topic with several subscribers", async () => {
      await using harness = await openHarness(open);
      const orders = await harness.createQueue();
      const answers = await harness.createTopic(["asker", "audience"]);
      harness.handle(orders, (request, client) => client.reply(request, { here: true }));
      const audience = harness.handle(`${answers}/audience`, () => {});
      const requester = harness.client.createRequester(answers, "asker", { unknownReplies: "complete" });
      expect((await requester.request(orders, { messageId: "a", body: "who?" })).body).toEqual({
        here: true,
      });
      await until(() => audience.seen.length === 1);
      expect(audience.seen).toMatchObject([{ correlationId: "a", body: { here: true } }]);
      await requester.close();

      const request = { body: "who?", replyTo: answers };
      const reply = await harness.client.request(orders, request, { replySubscription: "asker" });
      expect(reply.body).toEqual({ here: true });
    });
  });
}

/** Sends a number of replies to every request, with the reply's number. */
function answerTimes(harness: Harness, queue: string, times: number) {
  return harness.handle(queue, async (request, client) => {
    for (let number = 0; number < times; number++) await client.reply(request, number);
  });
}

async function bodiesOf<Body>(stream: AsyncIterable<ReceivedMessage<Body>>): Promise<Body[]> {
  const bodies: Body[] = [];
  for await (const { body } of stream) bodies.push(body);
  return bodies;
}
