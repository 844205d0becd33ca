import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Broker } from "../client/broker.js";
import { message, openFixture, textsOf } from "../fixture.test-support.js";
import type { BrokerReceivedMessage } from "../messages/received-message.js";

describe("peeking at a topic", () => {
  it("returns scheduled messages, and none that were delivered to subscriptions", async () => {
    await using fixture = openFixture();
    const { broker, clock } = fixture;
    await broker.createTopic("news");
    await broker.createSubscription("news", "all");
    const sender = broker.sender("news");
    await sender.send(message("now"));
    const scheduledEnqueueTime = new Date(clock.now() + 1000);
    const numbers = await sender.schedule([
      message("a", { scheduledEnqueueTime }),
      message("b", { scheduledEnqueueTime }),
    ]);
    const receiver = broker.receiver("news");
    const peeked = await receiver.peek(10);
    expect(textsOf(peeked)).toEqual(["a", "b"]);
    expect(peeked.map(({ sequenceNumber }) => sequenceNumber)).toEqual(numbers);
    expect(peeked[0]).toMatchObject({ state: "scheduled", scheduledEnqueueTime, entityPath: "news" });
    expect(await broker.receiver("news/Subscriptions/all").peek(10)).toHaveLength(1);
    await sender.cancelScheduled(numbers.slice(0, 1));
    clock.advance(1000);
    expect(await receiver.peek(10)).toEqual([]);
    expect(textsOf(await broker.receiver("news/Subscriptions/all").peek(10))).toEqual(["now", "b"]);
  });
});

describe("peeking into a session", () => {
  it("returns its messages in every state, in order of sequence number, and no others", async () => {
    await using fixture = openFixture();
    const { broker, clock } = fixture;
    await openOrders(broker);
    const sender = broker.sender("orders");
    const inTime = new Date(clock.now() + 3_600_000);
    await sender.schedule([message("scheduled", { sessionId: "s", scheduledEnqueueTime: inTime })]);
    for (const text of ["deferred", "deferred and locked", "locked", "abandoned", "active"]) {
      await sender.send(message(text, { sessionId: "s" }));
      await sender.sendBatch(["1", "2", "3"].map((other) => message(other, { sessionId: `of ${other}` })));
    }
    const session = await broker.acceptSession("orders", { sessionId: "s" });
    const [first, second, , fourth] = await session.receive(4);
    await session.defer(first!);
    await session.defer(second!);
    await session.receiveDeferred([second!.sequenceNumber]);
    await session.abandon(fourth!);
    const all = ["scheduled", "deferred", "deferred and locked", "locked", "abandoned", "active"];
    expect(textsOf(await session.peek(10))).toEqual(all);
    expect(textsOf(await session.peek(3))).toEqual(all.slice(0, 3));
    const fromSequenceNumber = second!.sequenceNumber;
    expect(textsOf(await session.peek(2, { fromSequenceNumber }))).toEqual(all.slice(2, 4));
    await session.close();
    const peeked = await broker.receiver("orders").peek(10, { sessionId: "s" });
    expect(textsOf(peeked)).toEqual(all);
    expect(peeked.map(({ state }) => state)).toEqual([
      "scheduled",
      "deferred",
      "deferred",
      "active",
      "active",
      "active",
    ]);
    clock.advance(3_600_000);
    expect(textsOf(await broker.receiver("orders").peek(10, { sessionId: "s" }))).toEqual([
      ...all.slice(1),
      "scheduled",
    ]);
  });

  it("does not return removed messages", async () => {
    await using fixture = openFixture();
    const { broker } = fixture;
    await openOrders(broker);
    const sender = broker.sender("orders");
    for (let i = 0; i < 6; i++) await sender.send(message(`${i}`, { sessionId: "s" }));
    for (let i = 0; i < 20; i++) await sender.send(message("other", { sessionId: "t" }));
    const session = await broker.acceptSession("orders", { sessionId: "s" });
    const [first, second, third] = await session.receive(3);
    await session.complete(first!);
    await session.defer(second!);
    await session.deadLetter(third!);
    const [deferred] = await session.receiveDeferred([second!.sequenceNumber]);
    await session.complete(deferred!);
    expect(textsOf(await session.peek(10))).toEqual(["3", "4", "5"]);
  });

  it("finds the same messages as a search through all, for any sessions", async () => {
    const sends = fc.array(fc.record({ session: fc.constantFrom("a", "b", "c"), count: fc.nat(30) }), {
      maxLength: 12,
    });
    await fc.assert(
      fc.asyncProperty(sends, fc.nat(200), fc.integer({ min: 1, max: 40 }), async (runs, start, maxCount) => {
        await using fixture = openFixture();
        await openOrders(fixture.broker);
        for (const { session: sessionId, count } of runs) {
          const messages = Array.from({ length: count }, () => message("", { sessionId }));
          if (count > 0) await fixture.broker.sender("orders").sendBatch(messages);
        }
        const receiver = fixture.broker.receiver("orders");
        const everything = await receiver.peek(1_000);
        for (const sessionId of ["a", "b", "c", "none"]) {
          const fromSequenceNumber = BigInt(start);
          const peeked = await receiver.peek(maxCount, { sessionId, fromSequenceNumber });
          const expected = everything.filter(
            (each) => each.sessionId === sessionId && each.sequenceNumber >= fromSequenceNumber,
          );
          expect(numbersOf(peeked)).toEqual(numbersOf(expected.slice(0, maxCount)));
        }
      }),
    );
  });

  it("filters by the messages' session ids in an entity without sessions", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("plain");
    const sender = fixture.broker.sender("plain");
    for (const sessionId of ["a", "b", "a"]) await sender.send(message(sessionId, { sessionId }));
    expect(textsOf(await fixture.broker.receiver("plain").peek(10, { sessionId: "a" }))).toEqual(["a", "a"]);
  });
});

async function openOrders(broker: Broker): Promise<void> {
  await broker.createQueue("orders", { requiresSession: true });
}

function numbersOf(messages: readonly BrokerReceivedMessage[]): bigint[] {
  return messages.map(({ sequenceNumber }) => sequenceNumber);
}
