import { decodeFailure, unavailableFailure } from "@waybill/core/serializer";
import { json } from "@waybill/serializer-json";
import { describe, expect, it } from "vitest";
import { createFixture, type Fixture, quiet, until } from "../../../test/fixture.js";

describe("a processor whose circuit breaker is open", () => {
  it("keeps messages locked, without increasing their delivery count", async () => {
    await using fixture = await createBreakable();
    const { reader, seen, states } = fixture;
    await breakReader(fixture, 30);
    await until(() => states.includes("open") && deadLettered(fixture) === 9);
    const dead = fixture.client.createReceiver("orders", { subQueueType: "deadLetter" });
    expect(await dead.peekMessages(50)).toHaveLength(9);
    // An hour: the locks of held messages are renewed many times.
    for (let i = 0; i < 120; i++) {
      fixture.clock.advance(30_000);
      await quiet();
    }
    expect(await dead.peekMessages(50, { fromSequenceNumber: 0n })).toHaveLength(9);
    const held = fixture.events.filter(({ disposition }) => disposition === "held");
    expect(new Set(held.map(({ message }) => message.messageId)).size).toBeGreaterThan(10);
    reader.isBroken = false;
    for (let i = 0; i < 50 && seen.length < 22; i++) {
      fixture.clock.advance(30_000);
      await quiet();
    }
    expect(states.at(-1)).toBe("closed");
    expect(seen).toHaveLength(22);
  });

  it("dead-letters held messages that still cannot be read when others can", async () => {
    await using fixture = await createBreakable();
    const { reader, seen, states } = fixture;
    await breakReader(fixture, 10);
    await until(() => states.includes("open"));
    reader.isBroken = false;
    // The held message is really undeserializable.
    reader.poison = seen.length + 9;
    await fixture.client.createSender("orders").sendMessages({ subject: "order", body: 100 });
    for (let i = 0; i < 5; i++) {
      fixture.clock.advance(30_000);
      await quiet();
    }
    expect(seen).toEqual([0, 100]);
    await until(() => deadLettered(fixture) === 10);
    const dead = fixture.client.createReceiver("orders", { subQueueType: "deadLetter" });
    expect(await dead.peekMessages(50)).toHaveLength(10);
    expect(await fixture.client.createReceiver("orders").peekMessages(1)).toEqual([]);
  });

  it("is half open when what it holds is read again, not when what waits for a dependency is", async () => {
    await using fixture = await createBreakable();
    const { clock, events, states } = fixture;
    await breakReader(fixture, 10);
    await until(() => states.includes("open"));
    await fixture.client
      .createSender("orders")
      .sendMessages({ subject: "order", body: "needs the registry" });
    await until(() => events.some(({ error }) => error.code === "unavailable"));
    const pass = async (seconds: number) => {
      for (let passed = 0; passed < seconds; passed++) {
        clock.advance(1_000);
        await quiet();
      }
    };
    await pass(25);
    expect(states).toEqual(["open"]);
    await pass(10);
    expect(states).toEqual(["open", "halfOpen"]);
  });

  it("abandons held messages when it is closed", async () => {
    await using fixture = await createBreakable();
    await breakReader(fixture, 12);
    await until(() => fixture.events.filter(({ disposition }) => disposition === "held").length === 3);
    await fixture.subscription.close();
    const left = await fixture.broker.receiver("orders").peek(9);
    expect(left.map(({ messageId, deliveryCount }) => [messageId, deliveryCount])).toEqual([
      ["m10", 1],
      ["m11", 1],
      ["m12", 1],
    ]);
  });

  it("also pauses in receive-and-delete mode, which deletes each received message", async () => {
    await using fixture = await createBreakable("receiveAndDelete");
    await breakReader(fixture, 40);
    await until(() => fixture.events.filter(({ disposition }) => disposition === "handedOver").length >= 10);
    await quiet();
    expect(await fixture.broker.receiver("orders").peek(50)).toHaveLength(30);
    for (let i = 0; i < 100; i++) {
      fixture.clock.advance(1_000);
      await quiet();
    }
    expect(await fixture.broker.receiver("orders").peek(50)).toHaveLength(30);
    fixture.reader.isBroken = false;
    await until(() => {
      fixture.clock.advance(1_000);
      return fixture.seen.length === 31;
    });
  });

  it("goes on in receive-and-delete mode to messages that it can read, behind those it cannot", async () => {
    await using fixture = await createBreakable("receiveAndDelete");
    await breakReader(fixture, 40);
    const handedOver = () => fixture.events.filter(({ disposition }) => disposition === "handedOver").length;
    await until(() => handedOver() >= 10);
    await fixture.client.createSender("orders").sendMessages({ subject: "note", body: "hello" });
    await until(() => {
      fixture.clock.advance(1_000);
      return fixture.seen.length === 2;
    });
    expect(fixture.seen).toEqual([0, "hello"]);
    expect(fixture.states).not.toContain("closed");
    expect(handedOver()).toBe(40);
    expect(await fixture.broker.receiver("orders").peek(50)).toEqual([]);
  });

  it("stops receiving, and defers nothing, while no message can be read", async () => {
    await using fixture = await createBreakable();
    await breakReader(fixture, 1_000);
    // Each takes a digest, which is computed on another thread.
    await until(() => deadLettered(fixture) === 9);
    for (let i = 0; i < 600; i++) {
      fixture.clock.advance(1_000);
      await quiet();
    }
    expect(deadLettered(fixture)).toBe(9);
    expect(fixture.broker.getEntity("orders")).toMatchObject({
      activeMessageCount: 991,
      deadLetterMessageCount: 9,
    });
    const waiting = await fixture.broker.receiver("orders").peek(1_000);
    expect(waiting.every(({ state, deliveryCount }) => state === "active" && deliveryCount === 0)).toBe(true);
    const held = fixture.events.filter(({ disposition }) => disposition === "held");
    expect(held).toHaveLength(11);
  });

  it("opens for all types if several that decoded before fail at the same time", async () => {
    await using fixture = await createBreakable();
    const { reader, states, client, seen } = fixture;
    const types = ["a", "b", "c", "d", "e"];
    const sender = client.createSender("orders");
    await sender.sendMessages(types.map((subject) => ({ subject, body: subject })));
    await until(() => seen.length === 6);
    reader.isBroken = true;
    await sender.sendMessages(Array.from({ length: 100 }, (_, i) => ({ subject: types[i % 5]!, body: i })));
    await until(() => states.length > 1 && deadLettered(fixture) === 9);
    await quiet();
    expect(deadLettered(fixture)).toBe(9);
  });

  it("does not pause if it is disabled", async () => {
    await using fixture = await createBreakable("peekLock", false);
    await breakReader(fixture, 40);
    await until(() => fixture.events.length === 40);
    expect(await fixture.broker.receiver("orders/$DeadLetterQueue").peek(50)).toHaveLength(40);
  });
});

async function createBreakable(
  receiveMode: "peekLock" | "receiveAndDelete" = "peekLock",
  circuitBreaker?: false,
) {
  // A broken reader reads no numbers.
  const reader: { isBroken: boolean; poison: unknown } = { isBroken: false, poison: undefined };
  const states: string[] = [];
  const sound = json();
  const fixture = await createFixture({
    client: {
      serializer: {
        ...sound,
        deserialize(bytes, context) {
          const value = sound.deserialize(bytes, context);
          if (value === "needs the registry") throw unavailableFailure("The registry does not respond.");
          if ((reader.isBroken && typeof value === "number") || value === reader.poison)
            throw decodeFailure("schema-unknown", "It does not fit.");
          return value;
        },
      },
      readBack: false,
      circuitBreaker,
      onCircuitBreaker: ({ state }) => void states.push(state),
    },
  });
  const seen: unknown[] = [];
  const subscription = fixture.client
    .createReceiver("orders", { receiveMode })
    .subscribe({ processMessage: ({ body }) => void seen.push(body), processError: () => {} });
  await fixture.client.createSender("orders").sendMessages({ subject: "order", body: 0 });
  await until(() => seen.length === 1);
  return Object.assign(fixture, {
    reader,
    seen,
    subscription,
    states,
  });
}

function deadLettered({ events }: Fixture): number {
  return events.filter(({ disposition }) => disposition === "deadLettered").length;
}

/** Makes the reader fail, and sends messages numbered from 1. */
async function breakReader(
  fixture: Awaited<ReturnType<typeof createBreakable>>,
  count: number,
): Promise<void> {
  fixture.reader.isBroken = true;
  const messages = Array.from({ length: count }, (_, i) => ({
    subject: "order",
    messageId: `m${i + 1}`,
    body: i + 1,
  }));
  await fixture.client.createSender("orders").sendMessages(messages);
}
