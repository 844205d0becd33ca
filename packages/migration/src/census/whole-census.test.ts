import { createPipeline, defineMessage, type EncodedMessage, WaybillError } from "@waybill/core";
import type { CatalogEntity } from "@waybill/core/transport";
import { json } from "@waybill/serializer-json";
import { describe, expect, it } from "vitest";
import { ordersPipeline } from "../../test/orders.js";
import { openFixture, replaced } from "../fixture.test-support.js";
import type { CensusGroup } from "./census.js";
import { formatCensus, parseCensus } from "./census-text.js";
import { takeCensus } from "./take-census.js";

const pipeline = ordersPipeline();
const untyped = createPipeline({ serializer: json() });
const start = Date.parse("2026-11-05T12:00:00Z");
const at = (ms: number) => new Date(start + ms);

/** Version 1 of an order, in JSON; 24 bytes. */
const orderV1: EncodedMessage = {
  body: new TextEncoder().encode('{"id":1,"total":"12.50"}'),
  contentType: "application/json; charset=utf-8",
  subject: "order-placed",
  applicationProperties: { messageVersion: 1 },
};
const garbage: EncodedMessage = { body: Uint8Array.of(0xff, 0xfe, 0xfd), subject: "s".repeat(129) };
const value: EncodedMessage = { body: { section: "value", value: "text" }, subject: "order-placed" };

/** A group of one message that arrived at the start and never expires, with other members where they are given. */
function group(members: Partial<CensusGroup>): CensusGroup {
  return {
    entityPath: "orders",
    subQueue: undefined,
    state: "active",
    mediaType: "application/json",
    messageType: "order-placed",
    origin: undefined,
    isOwnRecord: false,
    messageVersion: 1,
    upcastPath: [1, 2, 3],
    status: "decoded",
    serializer: "json",
    declared: "json",
    position: 2,
    reason: undefined,
    count: 1,
    bytes: 24,
    oldestEnqueuedAt: at(0),
    newestEnqueuedAt: at(0),
    newestSentAt: at(0),
    latestScheduledAt: undefined,
    latestExpiryAt: undefined,
    examples: [1n],
    ...members,
  };
}

/** Messages of most kinds in a queue with a time to live of a minute. */
async function openOrders() {
  const fixture = openFixture();
  await fixture.broker.createQueue("orders", { defaultMessageTimeToLiveMs: 60_000 });
  for (const _ of ["first", "second", "third", "fourth"]) await fixture.send("orders", orderV1);
  await fixture.send("orders", garbage);
  await fixture.deadLetter({ queue: "orders" });
  await fixture.schedule("orders", orderV1, 10_000);
  await fixture.schedule("orders", { ...orderV1, timeToLive: 5_000 }, 20_000);
  fixture.clock.advance(1_000);
  await fixture.send("orders", { ...orderV1, timeToLive: 2_000 });
  return fixture;
}

describe("a census", () => {
  it("says of each group what it is, how much it is, and when its messages came and will have gone", async () => {
    await using fixture = await openOrders();
    const before = fixture.leftOpen();
    const census = await takeCensus({ ...fixture.source, pipeline });
    expect(fixture.leftOpen()).toEqual(before);
    const counts = {
      ...{
        active: 5,
        deferred: 0,
        scheduled: 2,
        deadLetter: 1,
        transfer: 0,
        transferDeadLetter: 0,
        arrived: 6,
      },
    };
    const place = { entityPath: "orders", end: "reached", requiresSession: false, counts };
    expect(census).toEqual({
      startedAt: at(1_000),
      finishedAt: at(1_000),
      serializers: ["msgpack", "avro", "json"],
      messageTypes: [{ name: "order-placed", aliases: [], versions: [1, 2, 3] }],
      sampleRate: 1,
      entities: undefined,
      places: [
        { ...place, subQueue: undefined, peeked: 7 },
        { ...place, subQueue: "transferDeadLetter", peeked: 0 },
        { ...place, subQueue: "deadLetter", peeked: 1 },
      ],
      groups: [
        group({
          ...{ count: 4, bytes: 96, examples: [2n, 3n, 4n] },
          ...{ newestEnqueuedAt: at(1_000), newestSentAt: at(1_000), latestExpiryAt: at(60_000) },
        }),
        group({
          mediaType: "(none)",
          messageType: "s".repeat(128),
          ...{ messageVersion: undefined, upcastPath: [], status: "undeserializable", serializer: undefined },
          ...{ declared: undefined, position: -1, reason: "UnknownMessageType", bytes: 3, examples: [5n] },
          latestExpiryAt: at(60_000),
        }),
        group({
          ...{ state: "scheduled", count: 2, bytes: 48, examples: [6n, 7n] },
          ...{ latestScheduledAt: at(20_000), latestExpiryAt: at(70_000) },
        }),
        group({ subQueue: "deadLetter" }),
      ],
      hidden: [],
    });
  });

  it("is the same when it was written as JSON and read again", async () => {
    await using fixture = await openOrders();
    const census = await takeCensus({ ...fixture.source, pipeline, entities: ["orders"] });
    const counted = { ...census, hidden: [{ entityPath: "orders", kind: "in-transfer", count: 1 } as const] };
    expect(parseCensus(formatCensus(counted))).toEqual(counted);
  });

  it("does not know when a scheduled message was sent once its time has come", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("orders");
    await fixture.schedule("orders", orderV1, 10_000);
    fixture.clock.advance(10_000);
    await fixture.send("orders", { ...orderV1, timeToLive: 5_000 });
    const { groups } = await takeCensus({ ...fixture.source, pipeline });
    expect(groups).toEqual([
      group({
        ...{ count: 2, bytes: 48, examples: [2n, 3n] },
        ...{ oldestEnqueuedAt: at(10_000), newestEnqueuedAt: at(10_000), newestSentAt: at(10_000) },
      }),
    ]);
  });

  it("counts no bytes of AMQP values, and knows no expiry if one message never expires", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("orders");
    await fixture.send("orders", { ...value, timeToLive: 5_000 });
    await fixture.send("orders", value);
    await fixture.send("orders", { ...value, timeToLive: 6_000 });
    const { groups } = await takeCensus({ ...fixture.source, pipeline: untyped });
    expect(groups).toMatchObject([{ count: 3, bytes: 0, latestExpiryAt: undefined }]);
  });

  it("says nothing of messages that it did not read, but how many they are", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("orders");
    await fixture.send("orders", orderV1);
    const { groups } = await takeCensus({ ...fixture.source, pipeline, sampleRate: 0, originOf: () => "?" });
    expect(groups).toEqual([
      group({
        ...{ messageVersion: undefined, upcastPath: [], status: "not-sampled", serializer: undefined },
        ...{ declared: undefined, position: -1 },
      }),
    ]);
  });

  it("tells the versions of typed messages apart beyond its maximum of groups, and folds what producers invent", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("orders");
    for (let n = 0; n < 5; n++)
      await fixture.send("orders", { ...orderV1, contentType: `application/vnd.n${n}+json` });
    const { groups } = await takeCensus({ ...fixture.source, pipeline, maxGroups: 2 });
    expect(
      groups.map(({ mediaType, messageType, origin, count }) => [mediaType, messageType, origin, count]),
    ).toEqual([
      ["application/vnd.n0+json", "order-placed", undefined, 1],
      ["application/vnd.n1+json", "order-placed", undefined, 1],
      ["(other)", "order-placed", undefined, 3],
    ]);
  });

  it("knows a typed message by the name of its type, not by an alias", async () => {
    const renamed = createPipeline({
      serializer: json(),
      messageTypes: [defineMessage("order", { version: 1, aliases: ["order-placed"] })],
    });
    await using fixture = openFixture();
    await fixture.broker.createQueue("orders");
    await fixture.send("orders", orderV1);
    const { groups, messageTypes } = await takeCensus({ ...fixture.source, pipeline: renamed });
    expect(groups).toMatchObject([{ messageType: "order" }]);
    expect(messageTypes).toEqual([{ name: "order", aliases: ["order-placed"], versions: [1] }]);
  });

  it("cuts media types that are longer than 128 characters", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("orders");
    await fixture.send("orders", { ...orderV1, contentType: `application/${"x".repeat(120)}` });
    const { groups } = await takeCensus({ ...fixture.source, pipeline });
    expect(groups).toMatchObject([{ mediaType: `application/${"x".repeat(116)}` }]);
  });
});

describe("what a census could not peek", () => {
  const counts = { active: 1, scheduled: 20, deadLetter: 300, transfer: 4_000, transferDeadLetter: 50_000 };
  const catalog = (...entities: CatalogEntity[]) => ({ listEntities: async () => entities });

  it("is what the broker counts and what was not there when it peeked", async () => {
    await using fixture = openFixture();
    await fixture.broker.createTopic("events");
    await fixture.broker.createSubscription("events", "billing");
    await fixture.schedule("events", orderV1, 10_000);
    const entities = [
      { entity: { topic: "events" }, counts },
      { entity: { topic: "events", subscription: "billing" }, counts: { ...counts, transfer: 1 } },
    ];
    const progress: unknown[] = [];
    const { hidden } = await takeCensus({
      ...fixture.source,
      pipeline,
      catalog: catalog(...entities),
      onProgress: (each) => progress.push(each),
    });
    expect(hidden).toEqual([
      { entityPath: "events", kind: "scheduled-at-topic", count: 19 },
      { entityPath: "events", kind: "in-transfer", count: 4_000 },
      { entityPath: "events/Subscriptions/billing", kind: "in-transfer", count: 1 },
    ]);
    expect(progress).toEqual([{ entityPath: "events", peeked: 1, expected: 100_642 }]);
  });

  it("has no number in all if the broker does not count an entity", async () => {
    await using fixture = await openOrders();
    const progress: unknown[] = [];
    await takeCensus({
      ...fixture.source,
      pipeline,
      catalog: catalog({ entity: { queue: "orders" } }),
      onProgress: (each) => progress.push(each),
    });
    expect(progress).toEqual([
      { entityPath: "orders", peeked: 7, expected: undefined },
      { entityPath: "orders", peeked: 8, expected: undefined },
    ]);
  });

  it("is nothing in a sub-queue that the transport does not have, and unknown in an entity", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("orders");
    const refused = new WaybillError("not-supported", "This transport cannot peek there.");
    const peek = () => Promise.reject(refused);
    const transport = replaced(fixture.transport, {
      createReceiver: (address, mode) => replaced(fixture.transport.createReceiver(address, mode), { peek }),
    });
    const { places } = await takeCensus({ ...fixture.source, transport, pipeline });
    expect(places.map(({ subQueue, end, error, peeked }) => ({ subQueue, end, error, peeked }))).toEqual([
      {
        ...{ subQueue: undefined, end: "failed", peeked: 0 },
        error: { code: "not-supported", text: "This transport cannot peek there." },
      },
      { subQueue: "transferDeadLetter", end: "reached", error: undefined, peeked: 0 },
      { subQueue: "deadLetter", end: "reached", error: undefined, peeked: 0 },
    ]);
    expect(fixture.leftOpen()).toEqual([]);
  });

  it.each(["maxMessagesPerPlace", "pageSize", "maxGroups"])("is not given by %s below 1", async (name) => {
    await using fixture = openFixture();
    const options = { ...fixture.source, pipeline };
    await expect(takeCensus({ ...options, [name]: 0.5 })).rejects.toThrow(
      new TypeError(`${name} must be at least 1, not 0.5.`),
    );
    await expect(takeCensus({ ...options, [name]: 1 })).resolves.toMatchObject({ groups: [] });
  });
});
