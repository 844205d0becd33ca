import type { WaybillClientOptions } from "@waybill/core";
import { describe, expect, it } from "vitest";
import { createFixture, quiet, until } from "../../../test/fixture.js";

describe("a faulty producer", () => {
  // k consecutive undeserializable messages, then 100 good ones, of the same type or of another. The clock does not advance: no timer is involved.
  const rows = [10, 20, 40, 100, 300, 1_000].flatMap((k) =>
    (["order", "invoice"] as const).flatMap((next) =>
      (k > 100 ? (["defer"] as const) : (["defer", "deadLetter"] as const)).map((whenFull) => ({
        k,
        next,
        whenFull,
      })),
    ),
  );

  it.each(rows)(
    "does not stop others with $k consecutive messages: $whenFull, then $next",
    async ({ k, next, whenFull }) => {
      await using fixture = await createProcessor({ circuitBreaker: { whenFull } });
      await fixture.send(k, 100, next);
      await until(() => fixture.handled() === 130);
      const isReadAgain = next === "order";
      await until(
        () => fixture.deadLetters() === (isReadAgain ? k : whenFull === "defer" ? 9 : Math.max(9, k - 10)),
      );
      await quiet();
      const { active, deferred } = await fixture.left();
      expect(active).toBe(isReadAgain ? 0 : Math.min(k - 9, 10));
      expect(deferred).toBe(isReadAgain || whenFull === "deadLetter" ? 0 : Math.max(0, k - 19));
      expect(fixture.states()).toEqual(isReadAgain ? ["open", "closed"] : ["open"]);
    },
  );

  it("opens no circuit among healthy producers, even if it fails often", async () => {
    await using fixture = await createProcessor();
    for (let i = 0; i < 200; i++) await fixture.send(1, 1, "order");
    await until(() => fixture.handled() === 230 && fixture.deadLetters() === 200);
    expect(fixture.states()).toEqual([]);
  });

  it("gets its messages dead-lettered after an hour, if others can be read", async () => {
    await using fixture = await createProcessor();
    await fixture.send(100, 100, "invoice");
    await until(() => fixture.handled() === 130);
    for (let i = 0; i < 121; i++) {
      fixture.clock.advance(30_000);
      await quiet();
    }
    await until(() => fixture.deadLetters() === 100);
    expect(await fixture.left()).toEqual({ active: 0, deferred: 0 });
    // Its next messages are dead-lettered at once.
    await fixture.send(50, 0, "invoice");
    await until(() => fixture.deadLetters() === 150);
  });
});

describe("messages that were deferred by the circuit breaker", () => {
  it("are received and handled when their type can be read again", async () => {
    await using fixture = await createProcessor();
    fixture.breakType("order");
    await fixture.send(100, 100, "invoice", '{"n":1}');
    await until(() => fixture.handled() === 130);
    expect((await fixture.left()).deferred).toBeGreaterThan(0);
    fixture.breakType(undefined);
    fixture.clock.advance(30_000);
    await until(() => fixture.handled() === 230 - 9);
    await quiet();
    expect(await fixture.left()).toEqual({ active: 0, deferred: 0 });
    expect(fixture.deadLetters()).toBe(9);
  });

  it("are found by the next process, by their application property", async () => {
    await using fixture = await createProcessor();
    fixture.breakType("order");
    await fixture.send(100, 100, "invoice", '{"n":1}');
    await until(() => fixture.handled() === 130);
    await fixture.close();
    const { deferred } = await fixture.left();
    expect(deferred).toBe(81);
    fixture.breakType(undefined);
    // A message that the application deferred is not received.
    const receiver = fixture.client.createReceiver("orders");
    const [own] = await receiver.receiveMessages(1);
    await receiver.deferMessage(own!);
    fixture.start();
    fixture.clock.advance(30_000);
    await until(() => fixture.handled() === 130 + 90);
    await quiet();
    expect(await fixture.left()).toEqual({ active: 0, deferred: 1 });
  });

  it("stay deferred while the next process cannot read them", async () => {
    await using fixture = await createProcessor();
    fixture.breakType("order");
    await fixture.send(100, 100, "invoice", '{"n":1}');
    await until(() => fixture.handled() === 130);
    await fixture.close();
    fixture.start();
    for (let i = 0; i < 20; i++) {
      fixture.clock.advance(30_000);
      await quiet();
    }
    const deferred = (await fixture.broker.receiver("orders").peek(200)).filter(
      ({ state }) => state === "deferred",
    );
    expect(deferred).toHaveLength(81);
    // The delivery after which they were deferred.
    expect(deferred.every(({ deliveryCount }) => deliveryCount === 1)).toBe(true);
  });
});

const truncated = '{"n":';

/** A processor that has read orders and invoices. */
async function createProcessor(options: Partial<WaybillClientOptions> = {}) {
  const states: string[] = [];
  let brokenType: string | undefined;
  const decoder = new TextDecoder();
  const fixture = await createFixture({
    client: {
      serializer: {
        name: "json",
        mediaTypes: ["application/json"],
        detection: "label",
        serialize: (value) => ({ bytes: new TextEncoder().encode(JSON.stringify(value)) }),
        deserialize(bytes, { messageType }) {
          if (messageType === brokenType) throw new Error("broken");
          return JSON.parse(decoder.decode(bytes));
        },
      },
      onCircuitBreaker: ({ state }) => void states.push(state),
      ...options,
    },
  });
  const sender = fixture.client.createSender("orders");
  let handled = 0;
  const start = () =>
    fixture.client.createReceiver("orders").subscribe(
      {
        processMessage() {
          handled++;
        },
        processError() {},
      },
      { maxConcurrentCalls: 4 },
    );
  let subscription = start();
  await sender.sendMessages(
    Array.from({ length: 30 }, (_, n) => ({ subject: n % 2 === 0 ? "order" : "invoice", body: { n } })),
  );
  await until(() => handled === 30);
  return Object.assign(fixture, {
    handled: () => handled,
    states: () => states.filter((state) => state !== "halfOpen"),
    deadLetters: () => fixture.events.filter(({ disposition }) => disposition === "deadLettered").length,
    breakType(type: string | undefined) {
      brokenType = type;
    },
    /** Sends orders that cannot be read, then messages of a type that can. */
    async send(unreadable: number, readable: number, subject: string, body = truncated) {
      await sender.sendEncodedMessages(
        Array.from({ length: unreadable }, () => ({
          subject: "order",
          contentType: "application/json",
          body: new TextEncoder().encode(body),
        })),
      );
      await sender.sendMessages(Array.from({ length: readable }, (_, n) => ({ subject, body: { n } })));
    },
    async left() {
      const left = await fixture.broker.receiver("orders").peek(5_000);
      const count = (state: string) => left.filter((message) => message.state === state).length;
      return { active: count("active"), deferred: count("deferred") };
    },
    close: () => subscription.close(),
    start() {
      subscription = start();
    },
  });
}
