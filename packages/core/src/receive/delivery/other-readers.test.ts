import { defineMessage, type EncodedMessage, type WaybillClientOptions } from "@waybill/core";
import type { LiveReader } from "@waybill/core/transport";
import { json } from "@waybill/serializer-json";
import { describe, expect, it } from "vitest";
import { createFixture, custom, type Fixture, poison, quiet, reading, until } from "../../../test/fixture.js";

/** The readers of the test, and how often they were listed. */
interface Directory {
  readers: LiveReader[];
  lists: number;
  failure: Error | undefined;
  readersOf(entityPath: string): Promise<readonly LiveReader[]>;
}

const customReader: LiveReader = { mediaTypes: ["application/x-custom"], messageTypes: [] };

function directoryOf(...readers: LiveReader[]): Directory {
  return {
    readers,
    lists: 0,
    failure: undefined,
    async readersOf(entityPath) {
      expect(entityPath).toBe("orders");
      this.lists++;
      if (this.failure !== undefined) throw this.failure;
      return this.readers;
    },
  };
}

describe("a message in a format that only another reader knows", () => {
  it("is dead-lettered at its first delivery while no such reader runs", async () => {
    const directory = directoryOf({ mediaTypes: ["application/json"], messageTypes: [] });
    await using fixture = await createFixture({ client: { readerDirectory: directory } });
    await send(fixture, custom("c"));
    subscribe(fixture);
    await until(() => deadLetters(fixture) === 1);
    expect(fixture.events).toMatchObject([{ disposition: "deadLettered", message: { deliveryCount: 0 } }]);
  });

  it("is dead-lettered if it does not name its format, whoever runs", async () => {
    const directory = directoryOf(customReader);
    await using fixture = await createFixture({ client: { readerDirectory: directory } });
    await send(
      fixture,
      { ...custom("c"), contentType: undefined },
      { ...custom("d"), contentType: "no type" },
    );
    subscribe(fixture, 2);
    await until(() => deadLetters(fixture) === 2);
    expect(directory.lists).toBe(0);
  });

  it("is left to that reader, which handles it", async () => {
    const directory = directoryOf(customReader);
    await using fixture = await createFixture({ client: { readerDirectory: directory } });
    await send(fixture, custom("c"));
    subscribe(fixture);
    await until(() => fixture.events.length === 1);
    expect(fixture.events).toMatchObject([
      {
        disposition: "abandoned",
        error: { code: "unavailable", text: expect.stringContaining('"application/x-custom"') },
      },
    ]);
    const handled: unknown[] = [];
    const newer = fixture.clientWith({ additionalDeserializers: [reading(() => ({ read: true }))] });
    await using _ = newer.createReceiver("orders").subscribe({
      processMessage: ({ body }) => void handled.push(body),
      processError: () => {},
    });
    await advance(fixture, 2_000, () => handled.length === 1);
    expect(deadLetters(fixture)).toBe(0);
  });

  it("does not run out of deliveries while that reader runs, and is dead-lettered once it stopped", async () => {
    const directory = directoryOf(customReader);
    await using fixture = await createFixture({
      queue: { maxDeliveryCount: 5, lockDurationMs: 60_000 },
      client: { readerDirectory: directory },
    });
    await send(fixture, custom("c"));
    subscribe(fixture);
    for (let passedMs = 0; passedMs < 3_600_000; passedMs += 5_000) await advance(fixture, 5_000);
    expect(fixture.events.map(({ disposition }) => disposition)).toEqual([
      "abandoned",
      "abandoned",
      "abandoned",
      "abandoned",
      "held",
    ]);
    expect(deadLetters(fixture)).toBe(0);
    directory.readers = [];
    await advance(fixture, 61_000, () => deadLetters(fixture) === 1);
    expect(fixture.events.at(-1)).toMatchObject({
      disposition: "deadLettered",
      message: { deliveryCount: 4 },
      error: { code: "deserialization-failed" },
    });
  });

  it("does not wait for a message that can be read, and asks nothing about it", async () => {
    const directory = directoryOf(customReader);
    await using fixture = await createFixture({ client: { readerDirectory: directory } });
    await fixture.client.createSender("orders").sendMessages({ body: 1 });
    await send(fixture, poison("declared"));
    expect(await fixture.client.createReceiver("orders").receiveMessages(2)).toMatchObject([{ body: 1 }]);
    expect(fixture.events).toMatchObject([{ disposition: "deadLettered" }]);
    expect(directory.lists).toBe(0);
  });

  it("is seen by a list that began after its delivery, at most one a second", async () => {
    const directory = directoryOf();
    await using fixture = await createFixture({
      client: { readerDirectory: directory, circuitBreaker: false },
    });
    await send(fixture, ...Array.from({ length: 20 }, (_, i) => custom(`c${i}`)));
    subscribe(fixture, 20);
    await until(() => deadLetters(fixture) === 20);
    expect(directory.lists).toBe(1);
    // Its reader started after the last list.
    directory.readers = [customReader];
    await send(fixture, custom("late"));
    await quiet();
    expect(fixture.events).toHaveLength(20);
    await advance(fixture, 1_000, () => fixture.events.length === 21);
    expect(fixture.events.at(-1)).toMatchObject({ disposition: "abandoned" });
    expect(directory.lists).toBe(2);
  });

  it("is left by the last list while the directory fails, for ten minutes", async () => {
    const directory = directoryOf(customReader);
    await using fixture = await createFixture({ client: { readerDirectory: directory } });
    await send(fixture, custom("a"));
    subscribe(fixture, 10);
    await until(() => fixture.events.length === 1);
    directory.failure = new Error("The store does not answer.");
    await advance(fixture, 500_000);
    await send(fixture, custom("b"));
    await advance(fixture, 1_000, () => fixture.events.some(({ message }) => message.messageId === "b"));
    expect(deadLetters(fixture)).toBe(0);
    await advance(fixture, 200_000, () => deadLetters(fixture) > 0);
  });

  it("is dead-lettered if the directory never answers", async () => {
    const signals: (AbortSignal | undefined)[] = [];
    const readersOf = (_: string, options: { readonly abortSignal?: AbortSignal | undefined } = {}) => {
      signals.push(options.abortSignal);
      return new Promise<never>(() => {});
    };
    await using fixture = await createFixture({ client: { readerDirectory: { readersOf } } });
    await send(fixture, custom("c"));
    subscribe(fixture);
    await quiet();
    expect(deadLetters(fixture)).toBe(0);
    expect(signals.map((signal) => signal?.aborted)).toEqual([false]);
    await advance(fixture, 5_000, () => deadLetters(fixture) === 1);
    expect(signals[0]?.aborted).toBe(true);
  });

  it("is held in a session, in order and without counting deliveries", async () => {
    const directory = directoryOf(customReader);
    await using fixture = await createFixture({
      queue: { requiresSession: true, maxDeliveryCount: 3 },
      client: { readerDirectory: directory },
    });
    const sender = fixture.client.createSender("orders");
    await sender.sendEncodedMessages([{ ...custom("first"), sessionId: "s" }]);
    await sender.sendMessages({ messageId: "second", sessionId: "s", body: 2 });
    const handled: unknown[] = [];
    fixture.client.subscribeSessions("orders", {
      processMessage: ({ messageId }) => void handled.push(messageId),
      processError: () => {},
    });
    for (let i = 0; i < 60; i++) await advance(fixture, 10_000);
    expect(handled).toEqual([]);
    expect(fixture.events[0]).toMatchObject({ disposition: "blocked", message: { messageId: "first" } });
    expect(deadLetters(fixture)).toBe(0);
    directory.readers = [];
    await advance(fixture, 61_000, () => handled.length === 1);
    expect(handled).toEqual(["second"]);
    expect(deadLetters(fixture)).toBe(1);
  });

  it("is handed over in receive-and-delete mode, as without a directory", async () => {
    await using fixture = await createFixture({ client: { readerDirectory: directoryOf(customReader) } });
    await send(fixture, custom("c"));
    const receiver = fixture.client.createReceiver("orders", { receiveMode: "receiveAndDelete" });
    expect(await receiver.receiveMessages(1)).toMatchObject([{ failure: { status: "undeserializable" } }]);
  });
});

describe("a message of a version that only another reader knows", () => {
  const order = defineMessage("Order", { version: 1 });

  it.each([
    { messageType: "Order", version: 2, disposition: "abandoned", label: 'version 2 of "Order"' },
    { messageType: "Order", version: 3, disposition: "deadLettered" },
    { messageType: "Invoice", version: 1, disposition: "abandoned", label: 'version 1 of "Invoice"' },
    { messageType: "Invoice", version: undefined, disposition: "abandoned", label: ' "Invoice"' },
    { messageType: "Receipt", version: 1, disposition: "deadLettered" },
  ])("is $disposition: $messageType $version", async ({ messageType, version, disposition, label = "" }) => {
    const types = [
      { name: "Order", versions: [{ version: 1 }, { version: 2 }] },
      { name: "Invoice", versions: [{ version: 1 }] },
    ];
    const directory = directoryOf({ mediaTypes: ["application/json"], messageTypes: types });
    await using fixture = await createFixture({
      client: {
        serializer: json(),
        messageTypes: [order],
        readerDirectory: directory,
      } as Partial<WaybillClientOptions>,
    });
    const applicationProperties = version === undefined ? {} : { messageVersion: version };
    await send(fixture, { ...poison("m", "{}"), subject: messageType, applicationProperties });
    subscribe(fixture);
    await until(() => fixture.events.length === 1);
    expect(fixture.events).toMatchObject([{ disposition, error: { text: expect.stringContaining(label) } }]);
    expect(fixture.events[0]?.error.text).not.toContain("undefined");
  });
});

function send({ client }: Fixture, ...messages: EncodedMessage[]): Promise<void> {
  return client.createSender("orders").sendEncodedMessages(messages);
}

function subscribe({ client }: Fixture, maxConcurrentCalls = 1): void {
  const handlers = { processMessage: () => {}, processError: () => {} };
  client.createReceiver("orders").subscribe(handlers, { maxConcurrentCalls });
}

function deadLetters({ broker }: Fixture): number {
  return (broker.getEntity("orders") as { deadLetterMessageCount: number }).deadLetterMessageCount;
}

/** Advances the clock, and then until the condition holds. */
async function advance({ clock }: Fixture, byMs: number, holds = () => true): Promise<void> {
  clock.advance(byMs);
  await quiet();
  await until(holds);
}
