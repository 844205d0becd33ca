import { encodeMessage, scanMessage } from "@waybill/amqp";
import { describe, expect, it } from "vitest";
import { openFixture } from "./fixture.test-support.js";
import { sendOn } from "./raw-client.test-support.js";
import { openRaw } from "./raw-fixture.test-support.js";

const DAY_MS = 24 * 60 * 60 * 1000;
const UINT_MAX = 2 ** 32 - 1;

/** When a message ends according to the official client, counted from its enqueuing. */
const lifeOf = (message: { expiresAtUtc?: Date; enqueuedTimeUtc?: Date }): number =>
  Number(message.expiresAtUtc) - Number(message.enqueuedTimeUtc);

describe("the time to live that the official client shows", () => {
  it.each([
    ["what was sent", {}, 90_000, 90_000],
    ["the entity's, which caps what was sent", { defaultMessageTimeToLiveMs: 30_000 }, 90_000, 30_000],
    ["what was sent below the entity's", { defaultMessageTimeToLiveMs: 90_000 }, 30_000, 30_000],
    ["the entity's default", { defaultMessageTimeToLiveMs: 30_000 }, undefined, 30_000],
    ["an entity's default of a year", { defaultMessageTimeToLiveMs: 365 * DAY_MS }, undefined, 365 * DAY_MS],
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

  it("is that of a message that lives for years, longer than a header can say", async () => {
    await using fixture = await openFixture();
    await fixture.sender.sendMessages({
      body: "x",
      bodyType: "value",
      header: { timeToLive: 365 * DAY_MS },
    } as Parameters<typeof fixture.sender.sendMessages>[0]);
    const [message] = await fixture.receiver.receiveMessages(1);
    expect(message?.timeToLive).toBe(365 * DAY_MS);
    expect(lifeOf(message ?? {})).toBe(365 * DAY_MS);
    expect((await fixture.broker.receiver("orders").peek(1))[0]?.timeToLiveMs).toBe(365 * DAY_MS);
  });

  it("is none for a message that never expires", async () => {
    await using fixture = await openFixture();
    await fixture.sender.sendMessages({ body: "x" });
    const [message] = await fixture.receiver.receiveMessages(1);
    expect(message?.timeToLive).toBeUndefined();
    expect(message?._rawAmqpMessage.properties).not.toHaveProperty("absoluteExpiryTime");
  });

  it("counts from the enqueuing where the message was sent in the same process", async () => {
    await using fixture = await openFixture({ defaultMessageTimeToLiveMs: 100 * DAY_MS });
    await fixture.broker.sender("orders").send({ body: { section: "data", bytes: new Uint8Array([1]) } });
    const [message] = await fixture.receiver.receiveMessages(1);
    expect(message?.timeToLive).toBe(100 * DAY_MS);
    expect(lifeOf(message ?? {})).toBe(100 * DAY_MS);
  });

  it("is the shortest of a topic's and a subscription's", async () => {
    await using fixture = await openFixture();
    await fixture.broker.createTopic("news", { defaultMessageTimeToLiveMs: 60_000 });
    await fixture.broker.createSubscription("news", "all", { defaultMessageTimeToLiveMs: 40_000 });
    await fixture.client.createSender("news").sendMessages({ body: "x", timeToLive: 90_000 });
    const [message] = await fixture.client.createReceiver("news", "all").receiveMessages(1);
    expect(message?.timeToLive).toBe(40_000);
  });

  it("is that of a scheduled message while it is peeked, and of a deferred one", async () => {
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
  /** Sends one message in its encoded form and receives it so. */
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

  it("are ignored on input beside a time to live that the header holds", async () => {
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

  it("lengthen a time to live at which the header ends", async () => {
    const { peeked, received } = await pass({
      header: { ttl: UINT_MAX },
      properties: { creationTime: new Date(1000), absoluteExpiryTime: new Date(1000 + 100 * DAY_MS) },
    });
    expect(peeked.timeToLiveMs).toBe(100 * DAY_MS);
    // The header could only say less.
    expect(received.decodeHeader()?.ttl).toBeUndefined();
    expect(received.decodeProperties()?.absoluteExpiryTime).toEqual(peeked.expiresAt);
  });

  it.each([
    ["only one of them is there", { absoluteExpiryTime: new Date(2 ** 40) }],
    ["they are nearer than the header says", { creationTime: new Date(0), absoluteExpiryTime: new Date(9) }],
  ])("leave such a time to live as it is where %s", async (_, properties) => {
    const { peeked } = await pass({ header: { ttl: UINT_MAX }, properties });
    expect(peeked.timeToLiveMs).toBe(UINT_MAX);
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

  it("follow what a rule's action makes of the time to live", async () => {
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
