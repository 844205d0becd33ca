import { createBroker, createManualClock } from "@waybill/broker";
import type { EncodedMessage, Transport } from "@waybill/core";
import type { DeliveredMessage, TransportReceiver } from "@waybill/core/transport";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createFixture, quiet, until } from "../test/fixture.js";
import { localCatalog } from "./local-catalog.js";
import { localTransport } from "./local-transport.js";

describe("localTransport", () => {
  it("refuses anything other than a broker", () => {
    expect(() => localTransport({} as never)).toThrow(
      new TypeError("localTransport needs a Broker of @waybill/broker, as createBroker makes it."),
    );
  });

  it("sends and receives every property and every section", async () => {
    await using fixture = await createFixture({ queue: { maxMessageSizeInKilobytes: 1024 } });
    const sender = fixture.transport.createSender("orders");
    const receiver = peekLock(fixture.transport);
    await fc.assert(
      fc.asyncProperty(messages(), async (message) => {
        await sender.send([message]);
        const [received] = await receive(receiver);
        await receiver.complete(received!.settlement!);
        expect(received).toMatchObject(message);
      }),
      { numRuns: 200 },
    );
  });

  it("returns the properties that the broker assigned", async () => {
    await using fixture = await createFixture();
    await fixture.transport.createSender("orders").send([text("a")]);
    const [received] = await receive(peekLock(fixture.transport));
    expect(received).toMatchObject({
      sequenceNumber: 1n,
      enqueuedSequenceNumber: 1n,
      deliveryCount: 0,
      state: "active",
      enqueuedTimeUtc: new Date(fixture.clock.now()),
      lockedUntilUtc: new Date(fixture.clock.now() + 60_000),
      lockToken: expect.stringMatching(/^[0-9a-f-]{36}$/),
      size: expect.any(Number),
    });
  });

  it("resolves an entity only on the first call", async () => {
    await using fixture = await createFixture();
    const sender = fixture.transport.createSender("later");
    const receiver = fixture.transport.createReceiver({ queue: "later" }, "peekLock");
    await expect(sender.send([text("a")])).rejects.toMatchObject({ code: "entity-not-found" });
    await fixture.broker.createQueue("later");
    await sender.send([text("a")]);
    expect(await receive(receiver)).toHaveLength(1);
  });

  it("receives from subscriptions and dead-letter queues by their addresses", async () => {
    await using fixture = await createFixture();
    await fixture.transport.createSender("news").send([text("a")]);
    const subscription = { topic: "news", subscription: "all" };
    const receiver = fixture.transport.createReceiver(subscription, "peekLock");
    const [received] = await receive(receiver);
    await receiver.deadLetter(received!.settlement!, {
      deadLetterReason: "why",
      deadLetterErrorDescription: "because",
      propertiesToModify: { by: "test" },
    });
    const deadLetters = fixture.transport.createReceiver(
      { ...subscription, subQueue: "deadLetter" },
      "receiveAndDelete",
    );
    expect(deadLetters.entityPath).toBe("news/Subscriptions/all/$DeadLetterQueue");
    const [dead] = await receive(deadLetters);
    expect(dead).toMatchObject({ deadLetterReason: "why", deadLetterErrorDescription: "because" });
    expect(dead!.applicationProperties).toMatchObject({ by: "test" });
    expect(dead).toMatchObject({ settlement: undefined, lockToken: undefined, lockedUntilUtc: undefined });
  });

  it("schedules, cancels, defers and peeks", async () => {
    await using fixture = await createFixture();
    const sender = fixture.transport.createSender("orders");
    const receiver = peekLock(fixture.transport);
    const at = new Date(fixture.clock.now() + 60_000);
    const [first] = await sender.schedule([text("a"), text("b")], at);
    await sender.cancelScheduled([first!]);
    await expect(sender.cancelScheduled([first!])).rejects.toMatchObject({ code: "message-not-found" });
    expect(await receive(receiver)).toEqual([]);
    expect((await receiver.peek({ maxMessages: 9 })).map(({ state }) => state)).toEqual(["scheduled"]);
    fixture.clock.advance(60_000);
    const [received] = await receive(receiver);
    expect(received!.messageId).toBe("b");
    await receiver.defer(received!.settlement!);
    const [deferred] = await receiver.receiveDeferred([received!.sequenceNumber]);
    expect(deferred).toMatchObject({ messageId: "b", state: "deferred" });
  });

  it("waits for messages by the broker's clock", async () => {
    await using fixture = await createFixture();
    const waiting = peekLock(fixture.transport).receive({ maxMessages: 1, maxWaitTimeInMs: 5_000 });
    fixture.clock.advance(5_000);
    expect(await waiting).toEqual([]);
  });

  it("renews locks, and loses them by the broker's clock", async () => {
    await using fixture = await createFixture();
    await fixture.transport.createSender("orders").send([text("a")]);
    const receiver = peekLock(fixture.transport);
    const [received] = await receive(receiver);
    fixture.clock.advance(50_000);
    expect(await receiver.renewLock(received!.settlement!)).toEqual(new Date(fixture.clock.now() + 60_000));
    fixture.clock.advance(60_000);
    await expect(receiver.complete(received!.settlement!)).rejects.toMatchObject({
      code: "message-lock-lost",
      entityPath: "orders",
    });
  });

  it("rejects a call when its signal aborts", async () => {
    await using fixture = await createFixture();
    const controller = new AbortController();
    const waiting = peekLock(fixture.transport).receive({
      maxMessages: 1,
      maxWaitTimeInMs: 5_000,
      abortSignal: controller.signal,
    });
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ code: "aborted" });
    const sending = fixture.transport
      .createSender("orders")
      .send([text("a")], { abortSignal: controller.signal });
    await expect(sending).rejects.toMatchObject({ code: "aborted" });
    expect(await peekLock(fixture.transport).peek({ maxMessages: 1 })).toEqual([]);
  });

  it("rejects calls on closed objects, and pending waits", async () => {
    await using fixture = await createFixture();
    const sender = fixture.transport.createSender("orders");
    const receiver = peekLock(fixture.transport);
    const waiting = receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 5_000 });
    await fixture.transport.close();
    await fixture.transport.close();
    await expect(waiting).rejects.toMatchObject({ code: "closed" });
    await expect(sender.send([text("a")])).rejects.toMatchObject({ code: "closed" });
    await expect(receive(receiver)).rejects.toMatchObject({ code: "closed" });
    await expect(receive(peekLock(fixture.transport))).rejects.toMatchObject({ code: "closed" });
  });

  it("does not close the broker or other transports", async () => {
    await using fixture = await createFixture();
    await using other = localTransport(fixture.broker);
    await fixture.transport.close();
    await other.createSender("orders").send([text("a")]);
    expect(await receive(peekLock(other))).toHaveLength(1);
  });

  it("reports that the broker is closed", async () => {
    const broker = createBroker({ clock: createManualClock() });
    await broker.createQueue("orders");
    await using transport = localTransport(broker);
    const waiting = peekLock(transport).receive({ maxMessages: 1, maxWaitTimeInMs: 5_000 });
    await broker.close();
    await expect(waiting).rejects.toMatchObject({ code: "closed" });
    await expect(localCatalog(broker).listEntities()).rejects.toMatchObject({ code: "closed" });
  });

  it("ends a pending session accept when it closes", async () => {
    await using fixture = await createFixture();
    await fixture.broker.createQueue("carts", { requiresSession: true });
    const accepting = fixture.transport.acceptSession({ queue: "carts" }, undefined, {
      receiveMode: "peekLock",
      maxWaitTimeInMs: 5_000,
    });
    await fixture.transport.close();
    await expect(accepting).rejects.toMatchObject({ code: "closed" });
  });
});

describe("subscribe", () => {
  it("has at most maxConcurrentCalls messages in the handler", async () => {
    await using fixture = await createFixture();
    await fixture.transport.createSender("orders").send(["a", "b", "c", "d", "e"].map(text));
    const running: DeliveredMessage[] = [];
    const finish: (() => void)[] = [];
    const subscription = peekLock(fixture.transport).subscribe(
      {
        onMessage: (message) => {
          running.push(message);
          return new Promise<void>((resolve) => finish.push(resolve));
        },
        onError: () => {},
      },
      { maxConcurrentCalls: 2 },
    );
    await quiet();
    expect(running).toHaveLength(2);
    finish[0]!();
    await quiet();
    expect(running).toHaveLength(3);
    const stopping = subscription.stop();
    for (const done of finish) done();
    await stopping;
    await quiet();
    expect(running).toHaveLength(3);
  });

  it("recovers when its queue is created again, and reports the error meanwhile", async () => {
    await using fixture = await createFixture();
    const errors: unknown[] = [];
    const received: unknown[] = [];
    fixture.transport.createReceiver({ queue: "later" }, "peekLock").subscribe(
      {
        onMessage: async ({ messageId }) => void received.push(messageId),
        onError: (error) => errors.push(error),
      },
      { maxConcurrentCalls: 1 },
    );
    await quiet();
    expect(errors).toMatchObject([{ code: "entity-not-found" }]);
    await fixture.broker.createQueue("later");
    await fixture.transport.createSender("later").send([text("a")]);
    fixture.clock.advance(1_000);
    await until(() => received.length === 1);
    expect(errors).toHaveLength(1);
  });

  it("lets other work run while a long queue is processed", async () => {
    await using fixture = await createFixture();
    await fixture.transport
      .createSender("orders")
      .send(Array.from({ length: 2_000 }, (_, i) => text(`${i}`)));
    let handled = 0;
    let turns = 0;
    const tick = () => {
      turns++;
      if (handled < 2_000) setImmediate(tick);
    };
    setImmediate(tick);
    fixture.transport.createReceiver({ queue: "orders" }, "receiveAndDelete").subscribe(
      {
        onMessage: async () => {
          handled++;
        },
        onError: () => {},
      },
      { maxConcurrentCalls: 1 },
    );
    await until(() => handled === 2_000);
    expect(turns).toBeGreaterThan(4);
  });
});

function peekLock(transport: Transport): TransportReceiver {
  return transport.createReceiver({ queue: "orders" }, "peekLock");
}

function receive(receiver: TransportReceiver): Promise<DeliveredMessage[]> {
  return receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 0 });
}

function text(messageId: string): EncodedMessage {
  return { messageId, body: new TextEncoder().encode(messageId) };
}

function messages(): fc.Arbitrary<EncodedMessage> {
  const key = fc.string({ unit: "binary", maxLength: 128 });
  const id = fc.oneof(key, fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), fc.uint8Array({ maxLength: 128 }));
  const long = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
  const date = fc.date({ noInvalidDate: true });
  const bytes = fc.uint8Array();
  const simple = fc.oneof(fc.string(), fc.double(), long, fc.boolean(), date, bytes, fc.constant(null));
  const body = fc.oneof(
    bytes,
    fc.record({ section: fc.constant("value" as const), value: simple }),
    fc.record({ section: fc.constant("sequence" as const), value: fc.array(simple) }),
  );
  return fc.record(
    {
      body,
      messageId: id,
      contentType: fc.string(),
      correlationId: id,
      subject: fc.string(),
      to: fc.string(),
      replyTo: fc.string(),
      replyToSessionId: key,
      viaPartitionKey: key,
      partitionKey: key,
      timeToLive: fc.integer({ min: 1 }),
      scheduledEnqueueTimeUtc: fc.date({ noInvalidDate: true, max: new Date(0) }),
      forcePersistence: fc.constant(true),
      applicationProperties: fc.dictionary(fc.string({ unit: "binary", minLength: 1 }), simple),
    },
    { requiredKeys: ["body"] },
  );
}
