import type { ReceivedMessage } from "@waybill/core";
import { describe, expect, it } from "vitest";
import { createQueues, sendPoison } from "./simple.js";
import { type OpenWorld, openTrial, type Trial, until } from "./trial.js";

/** One request, many replies: from one answerer or from the subscribers of a topic. */
export function manyTests(open: OpenWorld): void {
  describe("many replies", () => {
    it("come in order until there are as many as were asked for", async () => {
      await using trial = await openTrial(open);
      const { orders, replies } = await createQueues(trial);
      answerTimes(trial, orders, 5);
      const requester = trial.client.createRequester(replies);
      const bodies = await bodiesOf(requester.requestMany(orders, { body: "go" }, { maxReplies: 3 }));
      expect(bodies).toEqual([0, 1, 2]);
      expect(requester.pendingRequestCount).toBe(0);
    });

    it("end with the one that is the last", async () => {
      await using trial = await openTrial(open);
      const { orders, replies } = await createQueues(trial);
      answerTimes(trial, orders, 4);
      const isLast = ({ body }: ReceivedMessage) => body === 2;
      const stream = trial.client.requestMany<number>(orders, { body: "go", replyTo: replies }, { isLast });
      expect(await bodiesOf(stream)).toEqual([0, 1, 2]);
    });

    it("end without error when the time is up, also when none came", async () => {
      await using trial = await openTrial(open);
      const { orders, replies } = await createQueues(trial);
      const { seen } = answerTimes(trial, orders, 2);
      const requester = trial.client.createRequester(replies, { timeoutInMs: 400 });
      const gathering = bodiesOf(requester.requestMany(orders, { body: "go" }));
      await until(async () => seen.length === 1 && (await trial.left(replies)).length === 0);
      await trial.world.advance(450);
      expect(await gathering).toEqual([0, 1]);

      const silent = await trial.createQueue();
      const nothing = bodiesOf(requester.requestMany(silent, { body: "go" }));
      await until(async () => (await trial.left(silent)).length === 1);
      await trial.world.advance(450);
      expect(await nothing).toEqual([]);
    });

    it("are asked for at once, before the first is wanted", async () => {
      await using trial = await openTrial(open);
      const { orders, replies } = await createQueues(trial);
      const { seen } = answerTimes(trial, orders, 2);
      const stream = trial.client.requestMany(orders, { body: "go", replyTo: replies }, { maxReplies: 2 });
      await until(() => seen.length === 1);
      expect(await bodiesOf(stream)).toEqual([0, 1]);
    });

    it("end when the loop is left", async () => {
      await using trial = await openTrial(open);
      const { orders, replies } = await createQueues(trial);
      answerTimes(trial, orders, 3);
      const requester = trial.client.createRequester(replies);
      const stream = requester.requestMany(orders, { body: "go" });
      for await (const reply of stream) {
        expect(reply.body).toBe(0);
        break;
      }
      expect(requester.pendingRequestCount).toBe(0);
      expect(await stream.next()).toEqual({ done: true, value: undefined });
    });

    it("end with an error when the request is given up or the requester closes", async () => {
      await using trial = await openTrial(open);
      const { orders, replies } = await createQueues(trial);
      answerTimes(trial, orders, 1);
      const requester = trial.client.createRequester(replies);
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

    it("hand out what came before an error, then the error", async () => {
      await using trial = await openTrial(open);
      const { orders, replies } = await createQueues(trial);
      trial.handle(orders, async (request, client) => {
        await client.reply(request, "good");
        await sendPoison(trial, replies, request);
      });
      const stream = trial.client.requestMany(orders, { body: "go", replyTo: replies });
      await until(async () => (await trial.deadLetters(replies)).length === 1);
      await until(async () => (await trial.left(replies)).length === 0);
      expect((await stream.next()).value?.body).toBe("good");
      await expect(stream.next()).rejects.toMatchObject({ code: "deserialization-failed" });
      expect(await stream.next()).toEqual({ done: true, value: undefined });
    });

    it("go on after one that nobody can read, if they are told so, and count it", async () => {
      await using trial = await openTrial(open);
      const { orders, replies } = await createQueues(trial);
      trial.handle(orders, async (request, client) => {
        await sendPoison(trial, replies, request);
        await client.reply(request, "good");
      });
      const options = { maxReplies: 2, undeserializableReplies: "skip" } as const;
      const stream = trial.client.requestMany(orders, { body: "go", replyTo: replies }, options);
      expect(await bodiesOf(stream)).toEqual(["good"]);
      expect(await trial.deadLetters(replies)).toMatchObject([{ deadLetterReason: "DeserializationFailed" }]);
    });

    it("end with an error when nobody takes them, and the one too many is not lost", async () => {
      await using trial = await openTrial(open);
      const { orders, replies } = await createQueues(trial);
      answerTimes(trial, orders, 3);
      const requester = trial.client.createRequester(replies, {
        maxBufferedReplies: 2,
        lateReplies: "deadLetter",
      });
      const stream = requester.requestMany(orders, { body: "go" });
      await until(async () => (await trial.deadLetters(replies)).length === 1);
      expect(await trial.deadLetters(replies)).toMatchObject([{ body: 2, deadLetterReason: "LateReply" }]);
      expect([(await stream.next()).value?.body, (await stream.next()).value?.body]).toEqual([0, 1]);
      await expect(stream.next()).rejects.toMatchObject({ code: "quota-exceeded", retryable: false });
      expect(requester.pendingRequestCount).toBe(0);
    });

    it.each([
      { maxReplies: 0 },
      { isLast: true },
      { undeserializableReplies: "ignore" },
      { timeoutInMs: -1 },
    ])("refuse options that no program should pass: %j", async (options) => {
      await using trial = await openTrial(open);
      const requester = trial.client.createRequester("replies");
      expect(() => requester.requestMany("orders", { body: 1 }, options as never)).toThrow(TypeError);
      expect(requester.pendingRequestCount).toBe(0);
    });
  });

  describe("multicast request/reply", () => {
    it("gathers the answers of a topic's subscribers", async () => {
      await using trial = await openTrial(open);
      const topic = await trial.createTopic(["north", "south", "west"]);
      const replies = await trial.createQueue();
      for (const place of ["north", "south", "west"]) {
        trial.handle(`${topic}/${place}`, (request, client) => client.reply(request, { place }));
      }
      const requester = trial.client.createRequester(replies);
      const stream = requester.requestMany<{ place: string }>(topic, { body: "who?" }, { maxReplies: 3 });
      const places = (await bodiesOf(stream)).map(({ place }) => place);
      expect(places.sort()).toEqual(["north", "south", "west"]);
    });

    it("gathers what comes until the time is up", async () => {
      await using trial = await openTrial(open);
      const topic = await trial.createTopic(["north", "silent"]);
      const replies = await trial.createQueue();
      trial.handle(`${topic}/north`, (request, client) => client.reply(request, "north"));
      const silent = trial.handle(`${topic}/silent`, () => {});
      const request = { body: "who?", replyTo: replies };
      const stream = trial.client.requestMany(topic, request, { maxReplies: 2, timeoutInMs: 400 });
      expect((await stream.next()).value?.body).toBe("north");
      await until(() => silent.seen.length === 1);
      await trial.world.advance(450);
      expect(await bodiesOf(stream)).toEqual([]);
    });

    it("may have its replies in a topic, for an audience", async () => {
      await using trial = await openTrial(open);
      const orders = await trial.createQueue();
      const answers = await trial.createTopic(["asker", "audience"]);
      trial.handle(orders, (request, client) => client.reply(request, { here: true }));
      const audience = trial.handle(`${answers}/audience`, () => {});
      const requester = trial.client.createRequester(answers, "asker", { unknownReplies: "complete" });
      expect((await requester.request(orders, { messageId: "a", body: "who?" })).body).toEqual({
        here: true,
      });
      await until(() => audience.seen.length === 1);
      expect(audience.seen).toMatchObject([{ correlationId: "a", body: { here: true } }]);
      await requester.close();

      const request = { body: "who?", replyTo: answers };
      const reply = await trial.client.request(orders, request, { replySubscription: "asker" });
      expect(reply.body).toEqual({ here: true });
    });
  });
}

/** Answers every request so many times, with the reply's number. */
function answerTimes(trial: Trial, queue: string, times: number) {
  return trial.handle(queue, async (request, client) => {
    for (let number = 0; number < times; number += 1) await client.reply(request, number);
  });
}

async function bodiesOf<Body>(stream: AsyncIterable<ReceivedMessage<Body>>): Promise<Body[]> {
  const bodies: Body[] = [];
  for await (const { body } of stream) bodies.push(body);
  return bodies;
}
