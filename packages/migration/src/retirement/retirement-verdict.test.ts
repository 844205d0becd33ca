import {
  createPipeline,
  type EncodedMessage,
  type EntityAddress,
  type Pipeline,
  type PipelineOptions,
  type Serializer,
} from "@waybill/core";
import { avro } from "@waybill/serializer-avro";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { takeCensus } from "../census/take-census.js";
import { openWorld } from "../world.test-support.js";
import { type RetirementEvidence, retirementVerdict } from "./retirement-verdict.js";

const order = { type: "record", name: "Order", fields: [{ name: "id", type: "int" }] } as const;
const serializers: Readonly<Record<string, Serializer>> = {
  json: json(),
  avro: avro({ schema: order }),
  msgpack: msgpack(),
};
const names = Object.keys(serializers);

function chain(main: string, policies?: PipelineOptions["contentType"], without?: string): Pipeline {
  const [serializer, ...additionalDeserializers] = [main, ...names.filter((name) => name !== main)]
    .filter((name) => name !== without)
    .map((name) => serializers[name] as Serializer);
  return createPipeline({
    serializer: serializer as Serializer,
    additionalDeserializers,
    contentType: policies,
  });
}

const pipeline = chain("msgpack");
const written = (format: string): EncodedMessage =>
  pipeline.serialize({ body: { id: 1 }, contentType: serializers[format]?.mediaTypes[0] }) as EncodedMessage;

describe("the verdict on retiring a serializer", () => {
  it("is yes when nothing waits for it and its writers have stopped", async () => {
    await using world = openWorld();
    await world.broker.createQueue("orders");
    await world.send("orders", written("json"));
    await world.complete({ queue: "orders" });
    const earlier = [await takeCensus({ ...world, pipeline })];
    await world.send("orders", written("msgpack"));
    const writersStoppedAt = world.now();

    const census = await takeCensus({ ...world, pipeline });

    expect(retirementVerdict({ serializer: "json" }, census, { writersStoppedAt, earlier })).toEqual({
      target: { serializer: "json" },
      isSafe: true,
      waiting: 0,
      lastSeenAt: undefined,
      waitsUntil: undefined,
      reasons: [],
    });
    expect(retirementVerdict({ serializer: "msgpack" }, census, { writersStoppedAt })).toMatchObject({
      isSafe: false,
      waiting: 1,
      lastSeenAt: world.now(),
    });
  });

  it("says where messages wait, and until when", async () => {
    await using world = openWorld();
    await world.broker.createQueue("orders");
    await world.send("orders", { ...written("json"), timeToLive: 60_000 });
    await world.schedule("orders", { ...written("json"), timeToLive: 60_000 }, 30_000);

    const verdict = retirementVerdict({ serializer: "json" }, await takeCensus({ ...world, pipeline }), {
      writersStoppedAt: world.now(),
    });

    expect(verdict.waitsUntil).toEqual(new Date(world.clock.now() + 90_000));
    expect(verdict.reasons).toEqual([
      { obstacle: "waiting", place: "orders", count: 2, text: "2 messages in orders need it." },
    ]);
  });

  it("is no while messages wait that name it, even if another can read them", async () => {
    await using world = openWorld();
    await world.broker.createQueue("orders");
    await world.send("orders", { ...written("json"), contentType: "application/vnd.msgpack" });
    const verdict = retirementVerdict({ serializer: "msgpack" }, await takeCensus({ ...world, pipeline }), {
      writersStoppedAt: world.now(),
    });
    expect(verdict.reasons.map(({ obstacle }) => obstacle)).toEqual(["waiting"]);
  });

  it("is no while nobody can read something, something was not read, or a place was not looked through", async () => {
    await using world = openWorld();
    await world.broker.createQueue("orders");
    for (let n = 0; n < 3; n++) await world.send("orders", { body: Uint8Array.of(0xff) });
    const evidence = { writersStoppedAt: world.now() };
    const obstacles = async (options: object) =>
      retirementVerdict(
        { serializer: "json" },
        await takeCensus({ ...world, pipeline, ...options }),
        evidence,
      ).reasons.map(({ obstacle }) => obstacle);

    expect(await obstacles({})).toEqual(["unreadable"]);
    expect(await obstacles({ sampleRate: 0 })).toEqual(["not-sampled"]);
    expect(await obstacles({ maxMessagesPerPlace: 2 })).toEqual(["unreadable", "not-peeked"]);
  });

  it("is no while messages may be scheduled at a topic, until the last schedule of its writers is over", async () => {
    await using world = openWorld();
    await world.broker.createTopic("events");
    await world.schedule("events", written("json"), 60_000);
    const writersStoppedAt = world.now();
    const verdict = async (evidence: RetirementEvidence) =>
      retirementVerdict({ serializer: "json" }, await takeCensus({ ...world, pipeline }), evidence);

    expect((await verdict({ writersStoppedAt })).reasons).toMatchObject([
      { obstacle: "hidden-schedules", place: "events", count: 1 },
    ]);
    world.clock.advance(60_001);
    await world.schedule("events", written("msgpack"), 120_000);
    expect((await verdict({ writersStoppedAt })).isSafe).toBe(false);
    expect((await verdict({ writersStoppedAt, longestScheduleMs: 60_000 })).isSafe).toBe(true);
  });

  it("is no where there are sessions, unless their states are known not to need it", async () => {
    await using world = openWorld();
    await world.broker.createQueue("orders", { requiresSession: true });
    const census = await takeCensus({ ...world, pipeline });
    const evidence = { writersStoppedAt: world.now() };
    const target = { serializer: "json" };
    expect(retirementVerdict(target, census, evidence).reasons).toMatchObject([
      { obstacle: "session-states" },
    ]);
    expect(retirementVerdict(target, census, { ...evidence, sessionStatesAreFree: true }).isSafe).toBe(true);
  });

  it("is no when nobody says that writers have stopped, or a message says that they had not", async () => {
    await using world = openWorld();
    await world.broker.createQueue("orders");
    const writersStoppedAt = world.now();
    world.clock.advance(1_000);
    await world.send("orders", written("json"));
    const earlier = [await takeCensus({ ...world, pipeline })];
    await world.complete({ queue: "orders" });
    const census = await takeCensus({ ...world, pipeline });
    const obstacles = (evidence?: RetirementEvidence) =>
      retirementVerdict({ serializer: "json" }, census, evidence).reasons.map(({ obstacle }) => obstacle);

    expect(obstacles()).toEqual(["writers"]);
    expect(obstacles({ writersStoppedAt: new Date(world.clock.now() + 1) })).toEqual(["writers"]);
    expect(obstacles({ writersStoppedAt, earlier })).toEqual(["writers"]);
    expect(obstacles({ writersStoppedAt })).toEqual([]);
  });

  it("does not take a message that was scheduled before its writers stopped for one that was sent after", async () => {
    await using world = openWorld();
    await world.broker.createQueue("orders");
    await world.schedule("orders", written("json"), 60_000);
    const writersStoppedAt = world.now();
    const earlier = [await takeCensus({ ...world, pipeline })];
    world.clock.advance(60_000);
    earlier.push(await takeCensus({ ...world, pipeline }));
    await world.complete({ queue: "orders" });

    const census = await takeCensus({ ...world, pipeline });

    const verdict = retirementVerdict({ serializer: "json" }, census, { writersStoppedAt, earlier });
    expect(verdict).toMatchObject({ isSafe: true, lastSeenAt: world.now() });
  });

  it("passes over entities that no consumer of the chain receives from", async () => {
    await using world = openWorld();
    await world.broker.createQueue("orders");
    await world.broker.createQueue("capabilities", { requiresSession: true });
    await world.send("capabilities", { ...written("json"), sessionId: "s-1" });
    const census = await takeCensus({ ...world, pipeline });
    const verdict = (unrelated?: readonly string[]) =>
      retirementVerdict({ serializer: "json" }, census, { writersStoppedAt: world.now(), unrelated });

    expect(verdict()).toMatchObject({ isSafe: false, waiting: 1 });
    expect(verdict(["orders"])).toMatchObject({ isSafe: false, waiting: 1 });
    expect(verdict(["Capabilities"])).toMatchObject({ isSafe: true, waiting: 0 });
  });

  it("is no for a serializer that the chain did not have", async () => {
    await using world = openWorld();
    const verdict = retirementVerdict({ serializer: "xml" }, await takeCensus({ ...world, pipeline }), {
      writersStoppedAt: world.now(),
    });
    expect(verdict.reasons).toMatchObject([{ obstacle: "not-in-chain" }]);
  });
});

describe("whatever waits anywhere", () => {
  const queues = ["plain", "sessions", "archive"] as const;
  const place = fc.constantFrom(...queues, "events" as const);
  const body = fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...names).map((name) => written(name).body as Uint8Array) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 12 }) },
  );
  const label = fc.oneof(
    { weight: 8, arbitrary: fc.constant("own" as const) },
    fc.constantFrom(
      undefined,
      "application/xml",
      "nonsense",
      "application/vnd.msgpack",
      "application/json",
      "avro/binary",
    ),
  );
  const message = fc.record({
    place,
    body,
    label,
    end: fc.constantFrom("stay", "stay", "schedule", "defer", "deadLetter"),
  });
  const policy = fc.constantFrom("try-all" as const, "reject" as const);
  const world = fc.record({
    messages: fc.array(message, { maxLength: 6 }),
    main: fc.constantFrom(...names),
    policies: fc.record({ missing: policy, unknown: policy, mismatch: policy }),
    target: fc.constantFrom(...names),
    sampleRate: fc.constantFrom(1, 1, 1, 0.5),
    limit: fc.constantFrom(undefined, undefined, 2),
    longestScheduleMs: fc.constantFrom(undefined, 60_000),
    waitMs: fc.constantFrom(1, 30_000, 61_000),
  });

  it("is never declared safe while a consumer without the serializer would fail on it", async () => {
    let safe = 0;
    await fc.assert(
      fc.asyncProperty(world, async (given) => {
        await using opened = openWorld();
        const { broker } = opened;
        await broker.createQueue("plain");
        await broker.createQueue("sessions", { requiresSession: true });
        await broker.createQueue("archive", { forwardDeadLetteredMessagesTo: "plain" });
        await broker.createTopic("events");
        await broker.createSubscription("events", "kept");
        await broker.createSubscription("events", "forwarded", { forwardTo: "archive" });
        for (const { place: to, body: bytes, label: contentType, end } of given.messages) {
          const sent = {
            body: bytes,
            contentType:
              contentType === "own"
                ? names.map(written).find((own) => sameBytes(own.body, bytes))?.contentType
                : contentType,
            sessionId: to === "sessions" ? "s-1" : undefined,
          };
          if (end === "schedule") await opened.schedule(to, sent, 60_000);
          else await opened.send(to, sent);
          const address: EntityAddress =
            to === "events" ? { topic: "events", subscription: "kept" } : { queue: to };
          if (to !== "sessions" && end === "defer") await opened.defer(address);
          if (to !== "sessions" && end === "deadLetter") await opened.deadLetter(address);
        }
        const evidence: RetirementEvidence = {
          writersStoppedAt: opened.now(),
          longestScheduleMs: given.longestScheduleMs,
          sessionStatesAreFree: true,
        };
        opened.clock.advance(given.waitMs);
        const present = chain(given.main, given.policies);
        const census = await takeCensus({
          ...opened,
          pipeline: present,
          sampleRate: given.sampleRate,
          maxMessagesPerPlace: given.limit,
        });

        if (!retirementVerdict({ serializer: given.target }, census, evidence).isSafe) return;
        safe++;
        const future = chain(given.main, given.policies, given.target);
        for (const each of opened.everything())
          expect(future.deserialize(each)).toMatchObject({ status: "decoded" });
      }),
      { numRuns: 400 },
    );
    expect(safe).toBeGreaterThan(20);
  });
});

function sameBytes(one: unknown, two: Uint8Array): boolean {
  return Buffer.compare(one as Uint8Array, two) === 0;
}
