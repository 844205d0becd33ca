import { encodeMessage, scanMessage } from "@waybill/amqp";
import { describe, expect, it } from "vitest";
import { openFixture } from "./fixture.test-support.js";
import { sendOn } from "./raw-client.test-support.js";
import { openRaw } from "./raw-fixture.test-support.js";

const dayMs = 24 * 60 * 60 * 1000;
const uintMax = 2 ** 32 - 1;

/** When a message expires according to the official client, from its enqueued time. */
const lifeOf = (message: { expiresAtUtc?: Date; enqueuedTimeUtc?: Date }): number =>
  Number(message.expiresAtUtc) - Number(message.enqueuedTimeUtc);

describe("the time to live that the official client returns", () => {
  it.each([
    ["that of the sender", {}, 90_000, 90_000],
    ["that of the entity, which limits the sender's", { defaultMessageTimeToLiveMs: 30_000 }, 90_000, 30_000],
    ["that of the sender, below the entity's", { defaultMessageTimeToLiveMs: 90_000 }, 30_000, 30_000],
    ["the entity's default", { defaultMessageTimeToLiveMs: 30_000 }, undefined, 30_000],
    ["an entity's default of a year", { defaultMessageTimeToLiveMs: 365 * dayMs }, undefined, 365 * dayMs],
  ])("is %s", async (_, queue, sent, shown) => {
    await using fixture = await openFixture(queue);
    await fixture.sender.sendMessages({ body: "x", ...(sent !== undefined && { timeToLive: sent }) });
    for (const message of [
      ...(await fixture.receiver.peekMessages(1)),
      ...(await fixture.receiver.receiveMessages(1)),
    ]) {
      expect(message.timeToLive).toBe(shown);
      expect(lifeOf(message)).toBe(shown);
      const { absoluteExpiryTime, creationTime } = message._rawAmqpMessage.properties ?? {};
      expect(absoluteExpiryTime).toBe(Number(message.expiresAtUtc));
      expect(creationTime).toBe(Number(message.enqueuedTimeUtc));
    }
  });

  it("can be years, longer than the range of the header", async () => {
    await using fixture = await openFixture();
    await fixture.sender.sendMessages({
      body: "x",
      bodyType: "value",
      header: { timeToLive: 365 * dayMs },
    } as Parameters<typeof fixture.sender.sendMessages>[0]);
    const [message] = await fixture.receiver.receiveMessages(1);
    expect(message?.timeToLive).toBe(365 * dayMs);
    expect(lifeOf(message ?? {})).toBe(365 * dayMs);
    expect((await fixture.broker.receiver("orders").peek(1))[0]?.timeToLiveMs).toBe(365 * dayMs);
  });

  it("is undefined for a message that never expires", async () => {
    await using fixture = await openFixture();
    await fixture.sender.sendMessages({ body: "x" });
    const [message] = await fixture.receiver.receiveMessages(1);
    expect(message?.timeToLive).toBeUndefined();
    expect(message?._rawAmqpMessage.properties).not.toHaveProperty("absoluteExpiryTime");
  });

  it("counts from the enqueued time if the message was sent in the same process", async () => {
    await using fixture = await openFixture({ defaultMessageTimeToLiveMs: 100 * dayMs });
    await fixture.broker.sender("orders").send({ body: { section: "data", bytes: new Uint8Array([1]) } });
    const [message] = await fixture.receiver.receiveMessages(1);
    expect(message?.timeToLive).toBe(100 * dayMs);
    expect(lifeOf(message ?? {})).toBe(100 * dayMs);
  });

  it("is the shortest of a topic's and a subscription's", async () => {
    await using fixture = await openFixture();
    await fixture.broker.createTopic("news", { defaultMessageTimeToLiveMs: 60_000 });
    await fixture.broker.createSubscription("news", "all", { defaultMessageTimeToLiveMs: 40_000 });
    await fixture.client.createSender("news").sendMessages({ body: "x", timeToLive: 90_000 });
    const [message] = await fixture.client.createReceiver("news", "all").receiveMessages(1);
    expect(message?.timeToLive).toBe(40_000);
  });

  it("is also returned for scheduled messages when peeked, and for deferred ones", async () => {
    await using fixture = await openFixture({ defaultMessageTimeToLiveMs: 30_000 });
    const later = new Date(Date.now() + 60_000);
    await fixture.sender.scheduleMessages({ body: "x", timeToLive: 90_000 }, later);
    const [scheduled] = await fixture.receiver.peekMessages(1);
    expect(scheduled).toMatchObject({ state: "scheduled", timeToLive: 30_000 });
    expect(lifeOf(scheduled ?? {})).toBe(30_000);

    await fixture.sender.sendMessages({ body: "y", timeToLive: 90_000 });
    const [message] = await fixture.receiver.receiveMessages(1);
    if (message?.sequenceNumber === undefined) throw new Error("no message");
    await fixture.receiver.deferMessage(message);
    const [deferred] = await fixture.receiver.receiveDeferredMessages(message.sequenceNumber);
    expect(deferred?.timeToLive).toBe(30_000);
  });
});

describe("the times in a message's properties", () => {
  /** Sends and receives one encoded message. */
  async function pass(parts: Partial<Parameters<typeof encodeMessage>[0]>) {
    await using fixture = await openRaw();
    await using client = await fixture.connect();
    const sender = await client.sender("orders");
    await sendOn(sender, encodeMessage({ body: { kind: "value", value: "x" }, ...parts }));
    const [peeked] = await fixture.broker.receiver("orders").peek(1);
    const receiver = await client.receiver("orders", { credit: 1 });
    const [delivery] = await receiver.take(1);
    if (delivery === undefined || peeked === undefined) throw new Error("no message");
    return { peeked, received: scanMessage(delivery.message) };
  }

  it("are ignored on input if the header has a time to live", async () => {
    const { peeked, received } = await pass({
      header: { ttl: 60_000 },
      properties: { subject: "s", creationTime: new Date(0), absoluteExpiryTime: new Date(5) },
    });
    expect(peeked.timeToLiveMs).toBe(60_000);
    expect(received.decodeHeader()?.ttl).toBe(60_000);
    expect(received.decodeProperties()).toMatchObject({
      subject: "s",
      creationTime: peeked.enqueuedTime,
      absoluteExpiryTime: peeked.expiresAt,
    });
  });

  it("extend a time to live at the maximum of the header", async () => {
    const { peeked, received } = await pass({
      header: { ttl: uintMax },
      properties: { creationTime: new Date(1000), absoluteExpiryTime: new Date(1000 + 100 * dayMs) },
    });
    expect(peeked.timeToLiveMs).toBe(100 * dayMs);
    // The header cannot represent more.
    expect(received.decodeHeader()?.ttl).toBeUndefined();
    expect(received.decodeProperties()?.absoluteExpiryTime).toEqual(peeked.expiresAt);
  });

  it.each([
    ["there is only one of them", { absoluteExpiryTime: new Date(2 ** 40) }],
    [
      "they expire before the time to live of the header",
      { creationTime: new Date(0), absoluteExpiryTime: new Date(9) },
    ],
  ])("do not change such a time to live if %s", async (_, properties) => {
    const { peeked } = await pass({ header: { ttl: uintMax }, properties });
    expect(peeked.timeToLiveMs).toBe(uintMax);
  });

  it("have no expiry if the message never expires, and keep the creation time", async () => {
    const { peeked, received } = await pass({
      properties: { to: "t", creationTime: new Date(7), absoluteExpiryTime: new Date(9), groupSequence: 3 },
    });
    expect(peeked.expiresAt).toBeUndefined();
    expect(received.decodeHeader()?.ttl).toBeUndefined();
    const properties = received.decodeProperties();
    expect(properties).toMatchObject({ to: "t", creationTime: new Date(7), groupSequence: 3 });
    expect(properties?.absoluteExpiryTime).toBeUndefined();
    expect(received.decodeBody()).toEqual(["x"]);
  });

  it("follow the time to live that a rule's action sets", async () => {
    await using fixture = await openRaw();
    await fixture.broker.createTopic("news");
    await fixture.broker.createSubscription(
      "news",
      "short",
      {},
      {
        name: "shorten",
        filter: { type: "true" },
        action: {
          expression: "SET sys.TimeToLive = @life",
          parameters: { "@life": { type: "timespan", ticks: 50_000_000n } },
        },
      },
    );
    await using client = await fixture.connect();
    const sender = await client.sender("news");
    const sent = {
      header: { ttl: 60_000 },
      properties: { creationTime: new Date(0), absoluteExpiryTime: new Date(60_000) },
    };
    await sendOn(sender, encodeMessage({ ...sent, body: { kind: "value", value: "x" } }));
    const receiver = await client.receiver("news/Subscriptions/short", { credit: 1 });
    const [delivery] = await receiver.take(1);
    const { creationTime, absoluteExpiryTime } =
      scanMessage(delivery?.message ?? new Uint8Array()).decodeProperties() ?? {};
    expect(Number(absoluteExpiryTime) - Number(creationTime)).toBe(5_000);
  });
});
