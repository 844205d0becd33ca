import type { CircuitBreakerEvent, EncodedMessage, WaybillClientOptions } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { describe, expect, it } from "vitest";
import { createFixture, type Fixture, poison, quiet, reading, until } from "../../../test/fixture.js";

const encoder = new TextEncoder();
const advice =
  '100 of 100 messages have no content type and look like JSON: contentTypePolicies: { missing: { assume: "json" } } would read them.';

describe("a client that has read no message yet", () => {
  it("dead-letters no message of a queue that its processor cannot read, and suggests an option", async () => {
    await using fixture = await createCold();
    await fixture.send(10_000, text);
    const errors: string[] = [];
    const subscription = fixture.client
      .createReceiver("orders")
      .subscribe(
        { processMessage() {}, processError: ({ error }) => void errors.push((error as Error).message) },
        { maxConcurrentCalls: 16 },
      );
    await fixture.pass(60);
    expect(fixture.circuits[0]).toMatchObject({ state: "open", failures: 100, advice });
    expect(errors[0]).toContain(`Nothing that waits can be read, so nothing is dead-lettered. ${advice}`);
    expect(await fixture.counts()).toEqual({ active: 10_000, dead: 0, deliveries: 0 });
    await subscription.close();
    // The received messages are abandoned; the others were not received.
    expect(await fixture.counts()).toMatchObject({ active: 10_000, dead: 0, deliveries: 26 });
  });

  it("dead-letters nothing because of scheduled and deferred messages that it can read", async () => {
    await using fixture = await createCold();
    const sender = fixture.client.createSender("orders");
    await sender.sendMessages({ body: { order: 1 } });
    const receiver = fixture.clientWith({}).createReceiver("orders");
    for (const message of await receiver.receiveMessages(1)) await receiver.deferMessage(message);
    await fixture.send(1, text);
    // More than the client peeks at once.
    const later = new Date(fixture.clock.now() + 86_400_000);
    for (let i = 0; i < 150; i++)
      await sender.sendMessages({ body: { order: i }, scheduledEnqueueTimeUtc: later });
    await fixture.send(1_000, text);
    const subscription = fixture.client
      .createReceiver("orders")
      .subscribe({ processMessage() {}, processError() {} });
    await fixture.pass(120);
    await subscription.close();
    expect(await fixture.counts()).toMatchObject({ active: 1_152, dead: 0 });
    expect(fixture.circuits[0]).toMatchObject({ state: "open", failures: 100 });
  });

  it("dead-letters no messages in receive calls, and rejects the calls with a suggested option", async () => {
    await using fixture = await createCold();
    await fixture.send(10_000, text);
    const receiver = fixture.client.createReceiver("orders");
    for (let i = 0; i < 20; i++) {
      await expect(receiver.receiveMessages(50, { maxWaitTimeInMs: 0 })).rejects.toMatchObject({
        code: "deserialization-failed",
        text: expect.stringContaining(advice),
      });
    }
    expect(await fixture.counts()).toEqual({ active: 10_000, dead: 0, deliveries: 0 });
    const iterator = receiver.getMessageIterator();
    const next = iterator.next();
    const rejected = expect(next).rejects.toMatchObject({ code: "deserialization-failed" });
    await fixture.pass(60);
    await rejected;
  });

  it("dead-letters no messages of sessions, in processors and receivers", async () => {
    await using fixture = await createCold({}, true);
    for (let i = 0; i < 1_000; i++) await fixture.send(2, text, `s${i}`);
    const subscription = fixture.client.subscribeSessions(
      "orders",
      { processMessage() {}, processError() {} },
      { maxConcurrentSessions: 4, maxBlockedSessions: 20 },
    );
    await fixture.pass(120);
    await subscription.close();
    for (let i = 0; i < 3; i++) {
      const session = await fixture.client.acceptNextSession("orders");
      await expect(session.receiveMessages(5, { maxWaitTimeInMs: 0 })).rejects.toMatchObject({
        code: "deserialization-failed",
      });
      await session.close();
    }
    expect(await fixture.counts()).toEqual({ active: 2_000, dead: 0, deliveries: 0 });
  });

  it("resumes automatically when the waiting messages can be read", async () => {
    const reader = { isBroken: true };
    await using fixture = await createCold({ serializer: breakable(reader), additionalDeserializers: [] });
    await fixture.send(200, (n) => ({ contentType: "application/json", body: encoder.encode(String(n)) }));
    let handled = 0;
    fixture.client.createReceiver("orders").subscribe({
      processMessage() {
        handled++;
      },
      processError() {},
    });
    await fixture.pass(60);
    reader.isBroken = false;
    await fixture.pass(40);
    await until(() => handled === 200);
    expect(await fixture.counts()).toMatchObject({ active: 0, dead: 0 });
  });

  it("is not stopped by one message in a hundred that cannot be read", async () => {
    await using fixture = await createCold();
    await fixture.send(1_000, (n) => (n % 100 === 0 ? poison(`p${n}`) : order(n)));
    const handled = fixture.handle();
    await until(() => handled() === 990 && fixture.deadLettered() === 10);
    expect(fixture.circuits).toEqual([]);
  });

  it("is not stopped by a type whose every second message is faulty, if other types can be read", async () => {
    await using fixture = await createCold();
    const random = generator(7);
    let wrong = 0;
    await fixture.send(2_000, (n) => {
      if (n % 2 === 0) return { ...order(n), subject: "invoice" };
      if (random() < 0.5) return order(n);
      wrong++;
      return { ...poison(`p${n}`), subject: "order" };
    });
    const handled = fixture.handle();
    await until(() => handled() === 2_000 - wrong && fixture.deadLettered() === wrong);
    expect(fixture.circuits).toEqual([]);
  });

  it("dead-letters a few messages if there are no more", async () => {
    await using fixture = await createCold();
    await fixture.send(9, (n) => poison(`p${n}`));
    fixture.handle();
    await until(() => fixture.deadLettered() === 9);
    expect(fixture.circuits).toEqual([]);
  });

  it("opens after nine messages that arrive one by one", async () => {
    await using fixture = await createCold();
    fixture.handle();
    for (let n = 0; n < 100; n++) {
      await fixture.send(1, text);
      await until(() => fixture.deadLettered() > n || fixture.circuits.length > 0);
    }
    await quiet();
    expect(fixture.circuits.map(({ state }) => state)).toEqual(["open"]);
    expect(await fixture.counts()).toMatchObject({ active: 91, dead: 9 });
  });

  it("dead-letters all messages if the circuit breaker is disabled", async () => {
    await using fixture = await createCold({ circuitBreaker: false });
    await fixture.send(50, text);
    fixture.handle();
    await until(() => fixture.deadLettered() === 50);
  });
});

describe("a client that has read no message yet, and whose queue begins with undeserializable messages", () => {
  it("peeks the messages after them, continues, and keeps them", async () => {
    await using fixture = await createCold();
    await fixture.send(500, text);
    await fixture.send(100, order);
    const handled = fixture.handle();
    await until(() => handled() === 100);
    expect(await fixture.counts()).toMatchObject({ dead: 0 });
  });

  it("also reads the messages after them in receive calls", async () => {
    await using fixture = await createCold();
    await fixture.send(150, text);
    await fixture.send(10, order);
    const receiver = fixture.client.createReceiver("orders");
    let received = 0;
    for (let i = 0; i < 100 && received < 10; i++) {
      const messages = await receiver.receiveMessages(20, { maxWaitTimeInMs: 0 }).catch(() => []);
      for (const message of messages) await receiver.completeMessage(message);
      received += messages.length;
    }
    expect(received).toBe(10);
  });
});

function text(n: number): EncodedMessage {
  return { body: encoder.encode(JSON.stringify(`hello ${n}`)) };
}

function order(n: number): EncodedMessage {
  return { subject: "order", contentType: "application/json", body: encoder.encode(JSON.stringify({ n })) };
}

function breakable(reader: { isBroken: boolean }) {
  const sound = json();
  return {
    ...sound,
    deserialize(...args: Parameters<typeof sound.deserialize>) {
      if (reader.isBroken) throw new Error("broken");
      return sound.deserialize(...args);
    },
  };
}

async function createCold(client: Partial<WaybillClientOptions> = {}, requiresSession = false) {
  const circuits: CircuitBreakerEvent[] = [];
  const fixture: Fixture = await createFixture({
    queue: { requiresSession },
    client: {
      serializer: json(),
      additionalDeserializers: [reading(() => 1)],
      onCircuitBreaker: (event) => void circuits.push(event),
      ...client,
    } as Partial<WaybillClientOptions>,
  });
  const sender = fixture.client.createSender("orders");
  return Object.assign(fixture, {
    circuits,
    deadLettered: () => fixture.events.filter(({ disposition }) => disposition === "deadLettered").length,
    async send(count: number, toMessage: (n: number) => EncodedMessage, sessionId?: string) {
      const session = sessionId === undefined ? {} : { sessionId };
      for (let sent = 0; sent < count; sent += 500) {
        const length = Math.min(500, count - sent);
        const messages = Array.from({ length }, (_, i) => ({ ...toMessage(sent + i), ...session }));
        await sender.sendEncodedMessages(messages);
      }
    },
    handle() {
      let handled = 0;
      fixture.client.createReceiver("orders").subscribe(
        {
          processMessage() {
            handled++;
          },
          processError() {},
        },
        { maxConcurrentCalls: 8 },
      );
      return () => handled;
    },
    /** Advances the clock by a number of seconds. */
    async pass(seconds: number) {
      for (let i = 0; i < seconds; i++) {
        fixture.clock.advance(1_000);
        await quiet();
      }
    },
    async counts() {
      const active = await fixture.broker.receiver("orders").peek(20_000);
      const dead = await fixture.broker.receiver("orders/$DeadLetterQueue").peek(20_000);
      const deliveries = active.reduce((sum, { deliveryCount }) => sum + deliveryCount, 0);
      return { active: active.length, dead: dead.length, deliveries };
    },
  });
}

/** The same numbers from 0 to 1 for the same seed. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}
