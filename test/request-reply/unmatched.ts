import { WaybillError } from "@waybill/core";
import type { RequesterOptions, UnmatchedReplyEvent } from "@waybill/core/request-reply";
import { describe, expect, it } from "vitest";
import { type Harness, type OpenFixture, openHarness, until } from "./harness.js";
import { createQueues } from "./simple.js";

/** Replies without a pending request. */
export function unmatchedTests(open: OpenFixture): void {
  describe("a reply without a pending request", () => {
    it("is late if its request has ended: it is completed and reported", async () => {
      await using harness = await openHarness(open);
      const { events, replies } = await withLateReply(harness, {});
      expect(events).toMatchObject([
        {
          kind: "late",
          disposition: "completed",
          entityPath: replies,
          message: { correlationId: "a", body: "late" },
        },
      ]);
      expect(await harness.left(replies)).toEqual([]);
      expect(await harness.deadLetters(replies)).toEqual([]);
    });

    it("is dead-lettered if it is late and this is configured", async () => {
      await using harness = await openHarness(open);
      const { events, replies } = await withLateReply(harness, { lateReplies: "deadLetter" });
      expect(events).toMatchObject([{ kind: "late", disposition: "deadLettered" }]);
      expect(await harness.deadLetters(replies)).toMatchObject([
        { body: "late", deadLetterReason: "LateReply" },
      ]);
    });

    it("is late if another reply came first", async () => {
      await using harness = await openHarness(open);
      const { orders, replies } = await createQueues(harness);
      harness.handle(orders, async (request, client) => {
        await client.reply(request, "first");
        await client.reply(request, "second");
      });
      const events: UnmatchedReplyEvent[] = [];
      const onUnmatchedReply = (event: UnmatchedReplyEvent) => void events.push(event);
      const requester = harness.client.createRequester(replies, { onUnmatchedReply });
      expect((await requester.request(orders, { body: 1 })).body).toBe("first");
      await until(() => events.length === 1);
      expect(events).toMatchObject([{ kind: "late", message: { body: "second" } }]);
    });

    it.each([
      [undefined, "deadLettered"],
      ["complete", "completed"],
    ] as const)("is unknown when nobody asked: %s", async (unknownReplies, disposition) => {
      await using harness = await openHarness(open);
      const { orders, replies } = await createQueues(harness);
      harness.handle(orders, (request, client) => client.reply(request, 1));
      const sender = harness.client.createSender(replies);
      await sender.sendMessages([{ correlationId: "someone else's", body: 1 }, { body: 2 }]);
      const events: UnmatchedReplyEvent[] = [];
      const requester = harness.client.createRequester(replies, {
        unknownReplies,
        onUnmatchedReply(event) {
          events.push(event);
          throw new Error("a hook that throws");
        },
      });
      await requester.request(orders, { body: 1 });
      await until(() => events.length === 2);
      expect(events.map(({ kind, disposition: said }) => [kind, said])).toEqual([
        ["unknown", disposition],
        ["unknown", disposition],
      ]);
      const dead = await harness.deadLetters(replies);
      expect(dead.map(({ deadLetterReason }) => deadLetterReason)).toEqual(
        disposition === "completed" ? [] : ["UnknownReply", "UnknownReply"],
      );
    });

    it("is abandoned for another requester on the same queue, if configured", async () => {
      await using harness = await openHarness(open);
      const { orders } = await createQueues(harness);
      const replies = await harness.createQueue({ maxDeliveryCount: 100 });
      harness.handle(orders, (request, client) => client.reply(request, request.body));
      const requesters = [1, 2].map(() =>
        harness.client.createRequester(replies, { unknownReplies: "abandon" }),
      );
      let answered = 0;
      const answers = requesters.flatMap((requester, side) =>
        Array.from({ length: 10 }, async (_, number) => {
          const { body } = await requester.request(orders, { body: [side, number] });
          answered++;
          expect(body).toEqual([side, number]);
        }),
      );
      await until(async () => {
        await harness.fixture.advance(50);
        return answered === 20;
      });
      await Promise.all(answers);
      expect(await harness.deadLetters(replies)).toEqual([]);
    });

    it("is delivered again if it could not be settled", async () => {
      await using harness = await openHarness(open);
      const { orders, replies } = await createQueues(harness);
      harness.handle(orders, (request, client) => client.reply(request, 1));
      let isDown = true;
      const { transport } = harness.fixture;
      const client = harness.createClient(
        {},
        {
          ...transport,
          capabilities: transport.capabilities,
          scheduler: transport.scheduler,
          createSender: (entity) => transport.createSender(entity),
          acceptSession: (address, id, options) => transport.acceptSession(address, id, options),
          createRuleManager: (topic, subscription) => transport.createRuleManager(topic, subscription),
          close: () => transport.close(),
          [Symbol.asyncDispose]: () => transport.close(),
          createReceiver(address, mode) {
            const receiver = transport.createReceiver(address, mode);
            const deadLetter = receiver.deadLetter.bind(receiver);
            receiver.deadLetter = (handle, options) =>
              isDown
                ? Promise.reject(new WaybillError("service-busy", "Not now."))
                : deadLetter(handle, options);
            return receiver;
          },
        },
      );
      const events: UnmatchedReplyEvent[] = [];
      const requester = client.createRequester(replies, {
        onUnmatchedReply(event) {
          events.push(event);
          isDown = false;
        },
      });
      await harness.client.createSender(replies).sendMessages({ messageId: "u", body: 1 });
      await requester.request(orders, { body: 1 });
      await until(() => events.length === 2);
      expect(events.map(({ disposition, settlementError }) => [disposition, settlementError])).toEqual([
        ["unsettled", expect.objectContaining({ code: "service-busy" })],
        ["deadLettered", undefined],
      ]);
      expect(await harness.deadLetters(replies)).toMatchObject([{ messageId: "u" }]);
    });
  });
}

/** A request that was aborted before its reply arrived. */
async function withLateReply(harness: Harness, options: RequesterOptions) {
  const { orders, replies } = await createQueues(harness);
  const events: UnmatchedReplyEvent[] = [];
  const requester = harness.client.createRequester(replies, {
    ...options,
    onUnmatchedReply: (event) => void events.push(event),
  });
  const givingUp = new AbortController();
  const request = requester.request(orders, { messageId: "a", body: 1 }, { abortSignal: givingUp.signal });
  await until(async () => (await harness.left(orders)).length === 1);
  givingUp.abort();
  await expect(request).rejects.toMatchObject({ code: "aborted" });
  harness.handle(orders, (message, client) => client.reply(message, "late"));
  await until(() => events.length === 1);
  return { events, replies };
}
