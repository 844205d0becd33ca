import { createPipeline, type EncodedMessage } from "@waybill/core";
import { namespaces, namespacesCatalog } from "@waybill/core/namespaces";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";
import { describe, expect, it } from "vitest";
import { openFixture } from "../fixture.test-support.js";
import { takeCensus } from "./take-census.js";

const pipeline = createPipeline({ serializer: json(), additionalDeserializers: [msgpack()] });
const written = (body: unknown, contentType?: string): EncodedMessage =>
  pipeline.serialize({ body, contentType, subject: "order-placed" }) as EncodedMessage;
const asJson = written({ id: 1 });
const asMsgpack = written({ id: 2 }, "application/vnd.msgpack");
const garbage: EncodedMessage = { body: Uint8Array.of(0xff, 0xfe, 0xfd), subject: "order-placed" };

describe("a census", () => {
  it("counts active, scheduled, deferred and dead-lettered messages by the serializer that would read them", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("orders");
    await fixture.send("orders", asJson);
    await fixture.defer({ queue: "orders" });
    await fixture.send("orders", asMsgpack);
    await fixture.deadLetter({ queue: "orders" });
    await fixture.send("orders", asJson);
    await fixture.send("orders", asJson);
    await fixture.schedule("orders", asMsgpack, 60_000);
    await fixture.send("orders", garbage);

    const census = await takeCensus({ ...fixture.source, pipeline });

    expect(
      census.groups.map(({ subQueue, state, mediaType, status, serializer, position, count }) => ({
        subQueue,
        state,
        mediaType,
        status,
        serializer,
        position,
        count,
      })),
    ).toEqual([
      {
        state: "deferred",
        mediaType: "application/json",
        status: "decoded",
        serializer: "json",
        position: 0,
        count: 1,
      },
      {
        state: "active",
        mediaType: "application/json",
        status: "decoded",
        serializer: "json",
        position: 0,
        count: 2,
      },
      {
        state: "scheduled",
        mediaType: "application/vnd.msgpack",
        status: "decoded",
        serializer: "msgpack",
        position: 1,
        count: 1,
      },
      { state: "active", mediaType: "(none)", status: "undeserializable", position: -1, count: 1 },
      {
        subQueue: "deadLetter",
        state: "active",
        mediaType: "application/vnd.msgpack",
        status: "decoded",
        serializer: "msgpack",
        position: 1,
        count: 1,
      },
    ]);
    expect(census.places.map(({ peeked, end }) => ({ peeked, end }))).toEqual([
      { peeked: 5, end: "reached" },
      { peeked: 0, end: "reached" },
      { peeked: 1, end: "reached" },
    ]);
    expect(census.hidden).toEqual([]);
  });

  it("reports the oldest and the newest, the latest scheduled time and the last expiry", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("orders");
    const start = fixture.clock.now();
    await fixture.send("orders", { ...asJson, timeToLive: 60_000 });
    fixture.clock.advance(1_000);
    await fixture.send("orders", { ...asJson, timeToLive: 10_000 });
    await fixture.schedule("orders", asMsgpack, 30_000);

    const { groups } = await takeCensus({ ...fixture.source, pipeline });

    expect(groups).toMatchObject([
      {
        oldestEnqueuedAt: new Date(start),
        newestEnqueuedAt: new Date(start + 1_000),
        latestScheduledAt: undefined,
        latestExpiryAt: new Date(start + 60_000),
        examples: [1n, 2n],
      },
      { latestScheduledAt: new Date(start + 31_000), latestExpiryAt: undefined },
    ]);
  });

  it("peeks sessions, subscriptions and forwarding entities, sources before targets", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("archive");
    await fixture.broker.createTopic("events");
    await fixture.broker.createSubscription("events", "billing", { requiresSession: true });
    await fixture.broker.createSubscription("events", "audit", { forwardTo: "archive" });
    await fixture.send("events", { ...asJson, sessionId: "s-1" });

    const census = await takeCensus({ ...fixture.source, pipeline });

    expect(census.groups.map(({ entityPath, count }) => [entityPath, count])).toEqual([
      ["events/Subscriptions/billing", 1],
      ["archive", 1],
    ]);
    const order = census.places
      .filter(({ subQueue }) => subQueue === undefined)
      .map(({ entityPath }) => entityPath);
    expect(order.indexOf("events/Subscriptions/audit")).toBeLessThan(order.indexOf("archive"));
    expect(
      census.places.find(({ entityPath }) => entityPath === "events/Subscriptions/billing"),
    ).toMatchObject({
      requiresSession: true,
    });
  });

  it("reads the messages that are scheduled at a topic, before its subscriptions", async () => {
    await using fixture = openFixture();
    await fixture.broker.createTopic("events");
    await fixture.broker.createSubscription("events", "billing");
    await fixture.send("events", asJson);
    await fixture.schedule("events", asJson, 60_000);
    const { places, groups, hidden } = await takeCensus({ ...fixture.source, pipeline });
    expect(hidden).toEqual([]);
    expect(places[0]).toMatchObject({ entityPath: "events", peeked: 1, end: "reached" });
    expect(groups).toMatchObject([
      { entityPath: "events", state: "scheduled", serializer: "json", count: 1 },
      { entityPath: "events/Subscriptions/billing", state: "active", serializer: "json", count: 1 },
    ]);
  });

  it("reports messages in transfer, which the broker only counts", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("orders");
    const none = { active: 0, scheduled: 0, deadLetter: 0, transfer: 0, transferDeadLetter: 0 };
    const counting = (counts: typeof none) => ({
      listEntities: async () => [{ entity: { queue: "orders" }, counts }],
    });
    const hidden = async (counts: typeof none) =>
      (await takeCensus({ ...fixture.source, pipeline, catalog: counting(counts) })).hidden;
    expect(await hidden({ ...none, transfer: 2 })).toEqual([
      { entityPath: "orders", kind: "in-transfer", count: 2 },
    ]);
    expect(await hidden(none)).toEqual([]);
  });

  it("reports where it stopped at the limit, and which entity it could not peek", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("orders");
    for (let count = 0; count < 5; count++) await fixture.send("orders", asJson);
    const catalog = {
      listEntities: async () => [{ entity: { queue: "orders" } }, { entity: { queue: "gone" } }],
    };

    const census = await takeCensus({
      ...fixture.source,
      pipeline,
      catalog,
      maxMessagesPerPlace: 3,
      pageSize: 2,
    });

    expect(census.places.filter(({ end }) => end !== "reached")).toMatchObject([
      ...["", "", ""].map(() => ({ entityPath: "gone", end: "failed", error: { code: "entity-not-found" } })),
      { entityPath: "orders", peeked: 3, end: "limit" },
    ]);
  });

  it("reads a share of the messages if configured, and counts all of them", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("orders");
    for (let count = 0; count < 200; count++) await fixture.send("orders", asJson);

    const { groups } = await takeCensus({ ...fixture.source, pipeline, sampleRate: 0.25 });

    const count = (status: string) => groups.find((group) => group.status === status)?.count ?? 0;
    expect(count("decoded") + count("not-sampled")).toBe(200);
    expect(count("decoded")).toBeGreaterThan(30);
    expect(count("decoded")).toBeLessThan(70);
  });

  it("uses bounded memory for arbitrary subjects and content types", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("orders");
    for (let n = 0; n < 50; n++)
      await fixture.send("orders", { ...asJson, subject: `type-${n}`, contentType: `a/${n}` });

    const { groups } = await takeCensus({ ...fixture.source, pipeline, maxGroups: 10 });

    expect(groups).toHaveLength(11);
    expect(groups.at(-1)).toMatchObject({
      messageType: "(other)",
      mediaType: "(other)",
      count: 40,
      serializer: "json",
    });
  });

  it("groups by the probable origin of bodies, with originOf", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("orders");
    for (const message of [asJson, garbage, asJson, asMsgpack]) await fixture.send("orders", message);
    const originOf = ({ body }: { readonly body: unknown }) =>
      body instanceof Uint8Array && body[0] === 0xff ? "a strange device" : undefined;

    const { groups } = await takeCensus({ ...fixture.source, pipeline, originOf });

    expect(groups.map(({ origin, status, count }) => ({ origin, status, count }))).toEqual([
      { status: "decoded", count: 2 },
      { origin: "a strange device", status: "undeserializable", count: 1 },
      { status: "decoded", count: 1 },
    ]);
    const unread = await takeCensus({ ...fixture.source, pipeline, originOf, sampleRate: 0 });
    expect(unread.groups.map(({ origin }) => origin)).not.toContain("a strange device");
    let calls = 0;
    const invented = () => `origin ${++calls} ${"x".repeat(1000)}`;
    const { groups: folded } = await takeCensus({
      ...fixture.source,
      pipeline,
      originOf: invented,
      maxGroups: 2,
    });
    expect(folded.map(({ origin }) => origin?.slice(0, 8))).toEqual([
      "origin 1",
      "origin 2",
      "(other)",
      "(other)",
    ]);
    expect(folded[0]?.origin).toHaveLength(128);
  });

  it("reports progress against what the broker counts, and can be aborted", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("orders");
    for (let count = 0; count < 5; count++) await fixture.send("orders", asJson);
    const controller = new AbortController();
    const seen: unknown[] = [];
    const onProgress = (progress: unknown) => {
      seen.push(progress);
      if (seen.length === 2) controller.abort();
    };
    const taken = takeCensus({
      ...fixture.source,
      pipeline,
      pageSize: 2,
      onProgress,
      abortSignal: controller.signal,
    });
    await expect(taken).rejects.toMatchObject({ code: "aborted" });
    expect(seen).toEqual([
      { entityPath: "orders", peeked: 2, expected: 5 },
      { entityPath: "orders", peeked: 4, expected: 5 },
    ]);
  });

  it("is about several namespaces, with one transport and one catalog", async () => {
    await using shop = openFixture();
    await using billing = openFixture();
    await shop.broker.createQueue("orders");
    // A leftover: the transport sends to the one in the shop.
    await billing.broker.createQueue("orders");
    await billing.broker.createQueue("billing-invoices");
    const namespaceOf = (name: string) => (name.startsWith("billing-") ? "billing" : "shop");
    const transport = namespaces({ shop: shop.transport, billing: billing.transport }, namespaceOf);
    const catalog = namespacesCatalog({ shop: shop.catalog, billing: billing.catalog }, namespaceOf);
    await transport.createSender("orders").send([asJson]);
    await transport.createSender("billing-invoices").send([asMsgpack, asMsgpack]);
    await billing.send("orders", garbage);
    const { groups, places } = await takeCensus({ transport, catalog, pipeline });
    expect(groups.map(({ entityPath, serializer, count }) => [entityPath, serializer, count])).toEqual([
      ["billing-invoices", "msgpack", 2],
      ["orders", "json", 1],
    ]);
    expect(places).toHaveLength(6);
  });

  it("refuses invalid options", async () => {
    await using fixture = openFixture();
    await expect(takeCensus({ ...fixture.source, pipeline, sampleRate: 2 })).rejects.toThrow(
      "sampleRate must be a number from 0 to 1",
    );
    await expect(takeCensus({ ...fixture.source, pipeline, pageSize: 0 })).rejects.toThrow(
      "pageSize must be at least 1",
    );
  });
});
