import { Buffer } from "node:buffer";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { packing } from "../collections/page.js";
import { message, openFixture, textOf, textsOf } from "../fixture.test-support.js";
import type { BrokerMessage, EveryProperty, SendableProperties } from "./message.js";
import type { BrokerReceivedMessage } from "./received-message.js";

const usual = { ...packing };

/** Four messages in a page, behind two that wait. */
beforeEach(() => {
  Object.assign(packing, { pageSize: 4, behind: 2 });
});
afterEach(() => {
  Object.assign(packing, usual);
});

async function openQueue() {
  const fixture = openFixture();
  await fixture.broker.createQueue("orders");
  const sender = fixture.broker.sender("orders");
  const send = async (count: number, from = 0): Promise<void> => {
    for (let i = from; i < from + count; i++) await sender.send(message(`order ${i}`, { messageId: i }));
  };
  return { ...fixture, sender, send, receiver: fixture.broker.receiver("orders") };
}

function orders(count: number, from = 0): string[] {
  return Array.from({ length: count }, (_, i) => `order ${from + i}`);
}

describe("a long queue, whose messages are packed in pages", () => {
  it("delivers every message in its order, with all that it was sent with", async () => {
    const { broker, sender, receiver } = await openQueue();
    broker.setWireDecoder((wire) => ({
      applicationProperties: { decoded: true },
      body: { section: "data", bytes: wire.subarray(5, 9) },
    }));
    const properties: EveryProperty<SendableProperties> = {
      messageId: new Uint8Array([1, 2, 3]),
      correlationId: 7n,
      contentType: "application/json",
      contentEncoding: "gzip",
      subject: "placed",
      to: "warehouse",
      replyTo: "answers",
      replyToSessionId: "one",
      sessionId: "two",
      partitionKey: "two",
      viaPartitionKey: "three",
      timeToLiveMs: undefined,
      scheduledEnqueueTime: new Date(0),
      forcePersistence: true,
    };
    const names = Object.keys(properties) as (keyof SendableProperties)[];
    const wire = Uint8Array.from(Buffer.from("head|body|tail"));
    // Each property in a message of its own between messages that are alike, then all of them together.
    const sent: BrokerMessage[] = names.flatMap((name) => [
      message("alike"),
      message(`with ${name}`, { [name]: properties[name] }),
    ]);
    sent.push(
      message("all", properties),
      { body: { section: "value", value: { total: 12n } } },
      { body: { section: "sequence", value: [1, "two"] } },
      message("alike"),
      { wire, body: { section: "data", bytes: wire.subarray(5, 9) } },
      message("alike"),
      { ...message("application properties"), applicationProperties: { color: "red", at: new Date(5) } },
    );
    for (const one of [...sent, ...sent]) await sender.send(one);
    const expected = [...sent, ...sent].map((one) => ({
      ...Object.fromEntries(names.map((name) => [name, one[name]])),
      messageId: one.messageId ?? expect.any(String),
      timeToLiveMs: one.timeToLiveMs ?? Number.POSITIVE_INFINITY,
      forcePersistence: one.forcePersistence ?? false,
      applicationProperties: one.applicationProperties ?? (one.wire === undefined ? {} : { decoded: true }),
      body:
        one.body?.section === "data" ? { section: "data", bytes: Uint8Array.from(one.body.bytes) } : one.body,
      wire: one.wire,
    }));
    const read = (received: BrokerReceivedMessage) => ({
      ...Object.fromEntries(names.map((name) => [name, received[name]])),
      applicationProperties: received.applicationProperties,
      body: received.body,
      wire: received.wire,
    });
    expect((await receiver.peek(1_000)).map(read)).toEqual(expected);
    const received = await receiver.receive(1_000);
    expect(received.map(read)).toEqual(expected);
    expect(received.map(({ sequenceNumber }) => sequenceNumber)).toEqual(
      sent.concat(sent).map((_, i) => BigInt(i + 1)),
    );
  });

  it("keeps the times at which messages arrived", async () => {
    const { clock, send, receiver } = await openQueue();
    const startMs = clock.now();
    for (let i = 0; i < 40; i++) {
      await send(1, i);
      clock.advance(1_000);
    }
    const received = await receiver.receive(40);
    expect(received.map(({ enqueuedTime }) => enqueuedTime.getTime() - startMs)).toEqual(
      received.map((_, i) => i * 1_000),
    );
  });

  it("takes back messages that are abandoned or whose lock expired, before those that follow", async () => {
    const { clock, send, receiver } = await openQueue();
    await send(40);
    const taken = await receiver.receive(10);
    for (const one of taken.slice(3, 7)) await receiver.abandon(one);
    await receiver.complete(taken[0]!);
    clock.advance(120_000);
    await send(5, 40);
    expect(textsOf(await receiver.receive(100))).toEqual(orders(44, 1));
  });

  it("loses a message in the middle when it is deleted, and no other", async () => {
    const { broker, clock, send, receiver } = await openQueue();
    await send(20);
    clock.advance(1_000);
    const limit = new Date(clock.now());
    await send(20, 20);
    expect(await receiver.deleteBatch(100, { enqueuedBefore: limit })).toBe(20);
    expect(textsOf(await receiver.receive(15))).toEqual(orders(15, 20));
    expect(await broker.purge("orders")).toBe(20);
    await send(20);
    expect(textsOf(await receiver.receive(100))).toEqual(orders(20));
  });

  it("peeks from any number on, before and after messages were taken", async () => {
    const { send, receiver } = await openQueue();
    await send(40);
    const from = async (sequence: bigint) =>
      textsOf(await receiver.peek(3, { fromSequenceNumber: sequence }));
    expect(await from(18n)).toEqual(orders(3, 17));
    for (const one of await receiver.receive(17)) await receiver.complete(one);
    expect(await from(0n)).toEqual(orders(3, 17));
    expect(await from(38n)).toEqual(orders(3, 37));
  });

  it("moves all of them to another queue when it begins to forward", async () => {
    const { broker, send } = await openQueue();
    await broker.createQueue("archive");
    await send(40);
    await broker.updateEntity("orders", { forwardTo: "archive" });
    expect(textsOf(await broker.receiver("archive").receive(100))).toEqual(orders(40));
  });

  it("counts what waits, whatever is packed", async () => {
    const { broker, send, receiver } = await openQueue();
    await send(40);
    const counts = () => broker.snapshot().stores[0]?.messages.length;
    expect(counts()).toBe(40);
    const [first] = await receiver.receive(9);
    expect(textOf(first)).toBe("order 0");
    expect(broker.inFlight()).toMatchObject([{ lockedCount: 9 }]);
    expect(counts()).toBe(40);
  });
});
