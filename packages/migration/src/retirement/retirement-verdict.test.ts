import {
  bodyType,
  createPipeline,
  defineMessage,
  type EncodedMessage,
  type MessageType,
  type Pipeline,
  type PipelineOptions,
  type Serializer,
  type Transport,
  WaybillError,
} from "@waybill/core";
import type { EntityAddress } from "@waybill/core/transport";
import { avro } from "@waybill/serializer-avro";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { queueBeaconStore } from "../capability/queue-beacon-store.js";
import { readerCapability } from "../capability/reader-capability.js";
import type { Census } from "../census/census.js";
import { formatCensus, parseCensus } from "../census/census-text.js";
import { takeCensus } from "../census/take-census.js";
import { openFixture } from "../fixture.test-support.js";
import { queueReadStore } from "../reads/queue-read-store.js";
import type { ReadRecord } from "../reads/read-record.js";
import type { RetirementEvidence, RetirementTarget } from "./retirement-evidence.js";
import { retirementVerdict } from "./retirement-verdict.js";

const order = { type: "record", name: "Order", fields: [{ name: "id", type: "int" }] } as const;
const serializers: Readonly<Record<string, Serializer>> = {
  json: json(),
  avro: avro({ schema: order }),
  msgpack: msgpack(),
};
const names = Object.keys(serializers);

function chain(main: string, policies?: PipelineOptions["contentTypePolicies"], without?: string): Pipeline {
  const [serializer, ...additionalDeserializers] = [main, ...names.filter((name) => name !== main)]
    .filter((name) => name !== without)
    .map((name) => serializers[name] as Serializer);
  return createPipeline({
    serializer: serializer as Serializer,
    additionalDeserializers,
    contentTypePolicies: policies,
  });
}

const pipeline = chain("msgpack");
const written = (format: string): EncodedMessage =>
  pipeline.serialize({ body: { id: 1 }, contentType: serializers[format]?.mediaTypes[0] }) as EncodedMessage;

/** A consumer that has recorded its reads all the time, and has read nothing that needs the target. */
const recorded: ReadRecord = {
  reader: "warehouse",
  instance: "1",
  since: new Date(0),
  recordedAt: new Date("2030-01-01T00:00:00Z"),
  reads: [],
};

function verdictOf(target: RetirementTarget, census: Census, evidence: RetirementEvidence = {}) {
  return retirementVerdict(target, census, { reads: [recorded], ...evidence });
}

describe("the verdict on retiring a serializer", () => {
  it("is yes when no message needs it and its writers have stopped", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("orders");
    await fixture.send("orders", written("json"));
    await fixture.complete({ queue: "orders" });
    const earlier = [await takeCensus({ ...fixture.source, pipeline })];
    await fixture.send("orders", written("msgpack"));
    const writersStoppedAt = fixture.now();

    const census = await takeCensus({ ...fixture.source, pipeline });

    expect(verdictOf({ serializer: "json" }, census, { writersStoppedAt, earlier })).toEqual({
      target: { serializer: "json" },
      answer: "yes",
      evidence: [
        "At 2026-11-05T12:00:00.000Z, 1 message in 3 places were peeked to their end, and none needs it.",
        "You state that its writers stopped at 2026-11-05T12:00:00.000Z; neither 1 earlier censuses nor the reads of warehouse contradict it.",
      ],
      waiting: 0,
      lastSeenAt: undefined,
      lastReadAt: undefined,
      waitsUntil: undefined,
      reasons: [],
    });
    expect(verdictOf({ serializer: "msgpack" }, census, { writersStoppedAt })).toMatchObject({
      answer: expect.stringMatching(/^no/),
      waiting: 1,
      lastSeenAt: fixture.now(),
    });
  });

  it("reports where messages wait, and until when", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("orders");
    await fixture.send("orders", { ...written("json"), timeToLive: 60_000 });
    await fixture.schedule("orders", { ...written("json"), timeToLive: 60_000 }, 30_000);

    const verdict = verdictOf({ serializer: "json" }, await takeCensus({ ...fixture.source, pipeline }), {
      writersStoppedAt: fixture.now(),
    });

    expect(verdict.waitsUntil).toEqual(new Date(fixture.clock.now() + 90_000));
    expect(verdict.reasons).toEqual([
      {
        obstacle: "waiting",
        kind: "against",
        place: "orders",
        count: 2,
        text: "2 messages in orders need it.",
        todo: "wait until 2026-11-05T12:01:30.000Z, when the last of them expires, or receive them, and repair or remove the dead-lettered ones",
        until: new Date(fixture.clock.now() + 90_000),
        contradicts: undefined,
      },
    ]);
  });

  it("is no while messages wait that declare it, even if another serializer can read them", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("orders");
    await fixture.send("orders", { ...written("json"), contentType: "application/vnd.msgpack" });
    const verdict = verdictOf({ serializer: "msgpack" }, await takeCensus({ ...fixture.source, pipeline }), {
      writersStoppedAt: fixture.now(),
    });
    expect(verdict.reasons.map(({ obstacle }) => obstacle)).toEqual(["waiting"]);
  });

  it("is no while a message is undeserializable or was not read, or an entity was not peeked completely", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("orders");
    for (let n = 0; n < 3; n++) await fixture.send("orders", { body: Uint8Array.of(0xff) });
    const evidence = { writersStoppedAt: fixture.now() };
    const obstacles = async (options: object) =>
      verdictOf(
        { serializer: "json" },
        await takeCensus({ ...fixture.source, pipeline, ...options }),
        evidence,
      ).reasons.map(({ obstacle }) => obstacle);

    expect(await obstacles({})).toEqual(["undeserializable"]);
    expect(await obstacles({ sampleRate: 0 })).toEqual(["not-sampled"]);
    expect(await obstacles({ maxMessagesPerPlace: 2 })).toEqual(["undeserializable", "not-peeked"]);
  });

  it("is no while messages are scheduled at a topic, whatever is stated", async () => {
    await using fixture = openFixture();
    await fixture.broker.createTopic("events");
    await fixture.schedule("events", { ...written("json"), timeToLive: 60_000 }, 60_000);
    const writersStoppedAt = fixture.now();
    fixture.clock.advance(1_000);
    const census = await takeCensus({ ...fixture.source, pipeline });
    expect(verdictOf({ serializer: "json" }, census, { writersStoppedAt })).toMatchObject({
      answer: "no",
      reasons: [
        { obstacle: "waiting", place: "events", count: 1, todo: expect.stringMatching(/^wait until 2026-/) },
      ],
    });
    const stated = { writersStoppedAt, maxScheduleDurationInMs: 0 };
    expect(verdictOf({ serializer: "json" }, census, stated)).toMatchObject({
      answer: "no",
      reasons: [
        { obstacle: "waiting" },
        {
          obstacle: "longer-schedule",
          contradicts: "maxScheduleDurationInMs",
          text: expect.stringContaining(
            "contradicted: a message in events is scheduled for 2026-11-05T12:01:00",
          ),
        },
      ],
    });
  });

  it("is not known while the broker counts scheduled messages that could not be peeked, whatever is stated", async () => {
    await using fixture = openFixture();
    await fixture.broker.createTopic("events");
    await fixture.schedule("events", written("json"), 60_000);
    const writersStoppedAt = fixture.now();
    fixture.clock.advance(1_000);
    const census = await takeCensus({ ...fixture.source, transport: blindTo(fixture.transport), pipeline });
    const stated = { writersStoppedAt, maxScheduleDurationInMs: 0 };
    expect(verdictOf({ serializer: "json" }, census, stated)).toMatchObject({
      answer: "not-known",
      reasons: [{ obstacle: "hidden-schedules", place: "events", count: 1 }],
    });
  });

  it("says when the last message is due at a topic that can be neither peeked nor counted, by what is stated", async () => {
    await using fixture = openFixture();
    await fixture.broker.createTopic("events");
    const catalog = { listEntities: async () => [{ entity: { topic: "events" } }] };
    const writersStoppedAt = fixture.now();
    const verdict = async (evidence: RetirementEvidence = {}) => {
      const transport = blindTo(fixture.transport, new WaybillError("unauthorized", "Not allowed."));
      const census = await takeCensus({ transport, catalog, pipeline });
      return verdictOf({ serializer: "json" }, census, { writersStoppedAt, ...evidence });
    };
    fixture.clock.advance(1_000);
    expect(await verdict()).toMatchObject({
      answer: "not-known",
      reasons: [
        { obstacle: "hidden-schedules", text: expect.stringContaining("peeking failed (unauthorized)") },
      ],
    });
    const until = new Date(writersStoppedAt.getTime() + 60_000);
    expect(await verdict({ maxScheduleDurationInMs: 60_000 })).toMatchObject({
      answer: "not-known",
      reasons: [{ until, todo: "wait until 2026-11-05T12:01:00.000Z, then take the census again" }],
    });
    fixture.clock.advance(60_000);
    expect(await verdict({ maxScheduleDurationInMs: 60_000 })).toMatchObject({ answer: "yes" });
  });

  it("is no with sessions, unless their states are known not to need it", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("orders", { requiresSession: true });
    const census = await takeCensus({ ...fixture.source, pipeline });
    const evidence = { writersStoppedAt: fixture.now() };
    const target = { serializer: "json" };
    const [reason] = verdictOf(target, census, evidence).reasons;
    expect(reason).toMatchObject({
      obstacle: "session-states",
      text: expect.stringMatching(/^orders has sessions, and session states are not read\./),
    });
    const places = census.places.map((place) => ({ ...place, requiresSession: undefined }));
    expect(verdictOf(target, { ...census, places }, evidence).reasons).toMatchObject([
      { text: expect.stringMatching(/^orders may have sessions/) },
    ]);
    const stated = verdictOf(target, census, { ...evidence, sessionStatesAreFree: true });
    expect(stated.answer).toBe("yes");
    const said = "You state that no session state is written with it; states are not read.";
    expect(stated.evidence).toContain(said);
    const without = census.places.map((place) => ({ ...place, requiresSession: false }));
    const needless = verdictOf(
      target,
      { ...census, places: without },
      { ...evidence, sessionStatesAreFree: true },
    );
    expect(needless.evidence).not.toContain(said);
  });

  it("is no without writersStoppedAt, or if a message was sent after it", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("orders");
    const writersStoppedAt = fixture.now();
    fixture.clock.advance(1_000);
    await fixture.send("orders", written("json"));
    const earlier = [await takeCensus({ ...fixture.source, pipeline })];
    await fixture.complete({ queue: "orders" });
    const census = await takeCensus({ ...fixture.source, pipeline });
    const obstacles = (evidence?: RetirementEvidence) =>
      verdictOf({ serializer: "json" }, census, evidence).reasons.map(({ obstacle }) => obstacle);

    expect(obstacles()).toEqual(["writers"]);
    expect(obstacles({ writersStoppedAt: new Date(fixture.clock.now() + 1) })).toEqual(["writers"]);
    expect(obstacles({ writersStoppedAt, earlier })).toEqual(["writers"]);
    expect(obstacles({ writersStoppedAt })).toEqual([]);
    const contradicted = verdictOf({ serializer: "json" }, census, { writersStoppedAt, earlier });
    expect(contradicted).toMatchObject({
      answer: "no",
      reasons: [
        {
          kind: "against",
          contradicts: "writersStoppedAt",
          text: "contradicted: one was enqueued at 2026-11-05T12:00:01.000Z, after its writers were said to have stopped.",
        },
      ],
    });
    const future = new Date(fixture.clock.now() + 5_000);
    expect(verdictOf({ serializer: "json" }, census, { writersStoppedAt: future })).toMatchObject({
      answer: "not-known",
      reasons: [{ todo: "wait until 2026-11-05T12:00:06.000Z, then take the census again", until: future }],
    });
  });

  it("refuses misspelt evidence: it could not contradict", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("orders");
    const census = await takeCensus({ ...fixture.source, pipeline });
    const misspelt = { writersStoppedAt: fixture.now(), earlyer: [census] } as RetirementEvidence;
    expect(() => retirementVerdict({ serializer: "json" }, census, misspelt)).toThrow(
      'retirementVerdict: there is no option "earlyer"; did you mean "earlier"?',
    );
  });

  it("counts of earlier censuses only the entities to which the census was limited", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("orders");
    await fixture.broker.createQueue("invoices");
    const writersStoppedAt = fixture.now();
    fixture.clock.advance(1_000);
    await fixture.send("invoices", written("json"));
    const earlier = [await takeCensus({ ...fixture.source, pipeline })];
    await fixture.complete({ queue: "invoices" });
    const catalog = { listEntities: async () => [{ entity: { queue: "orders" }, requiresSession: false }] };
    const limited = { ...fixture.source, pipeline, catalog, entities: ["orders"] };
    const ofOrders = parseCensus(formatCensus(await takeCensus(limited)));
    if (ofOrders === undefined) throw new Error("It is not a census.");
    const evidence = { writersStoppedAt, earlier };
    expect(verdictOf({ serializer: "json" }, ofOrders, evidence)).toMatchObject({ answer: "yes" });
    const whole = await takeCensus({ ...fixture.source, pipeline });
    expect(verdictOf({ serializer: "json" }, whole, evidence)).toMatchObject({ answer: "no" });
  });

  it("does not count beacons and read records", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("orders");
    const { transport } = fixture;
    const writersStoppedAt = fixture.now();
    fixture.clock.advance(1_000);
    await queueBeaconStore(transport, "orders").announce({
      reader: "warehouse",
      instance: "1",
      capability: readerCapability(pipeline),
      entities: ["orders"],
      announcedAt: fixture.now(),
      expiresAt: new Date(fixture.clock.now() + 60_000),
    });
    await queueReadStore(transport, "orders").record({ ...recorded, recordedAt: fixture.now() });
    const census = await takeCensus({ ...fixture.source, pipeline });
    expect(verdictOf({ serializer: "json" }, census, { writersStoppedAt })).toMatchObject({
      answer: "yes",
      waiting: 0,
    });
    await fixture.send("orders", { ...written("json"), subject: "waybill-capability" });
    const disguised = await takeCensus({ ...fixture.source, pipeline });
    expect(verdictOf({ serializer: "json" }, disguised, { writersStoppedAt })).toMatchObject({ waiting: 1 });
  });

  it("does not confuse a message that was scheduled before its writers stopped with one that was sent later", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("orders");
    await fixture.schedule("orders", written("json"), 60_000);
    const writersStoppedAt = fixture.now();
    const earlier = [await takeCensus({ ...fixture.source, pipeline })];
    fixture.clock.advance(60_000);
    earlier.push(await takeCensus({ ...fixture.source, pipeline }));
    await fixture.complete({ queue: "orders" });

    const census = await takeCensus({ ...fixture.source, pipeline });

    const verdict = verdictOf({ serializer: "json" }, census, { writersStoppedAt, earlier });
    expect(verdict).toMatchObject({ answer: "yes", lastSeenAt: fixture.now() });
  });

  it("ignores entities that no consumer of the chain receives from", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("orders");
    await fixture.broker.createQueue("capabilities", { requiresSession: true });
    await fixture.send("capabilities", { ...written("json"), sessionId: "s-1" });
    const census = await takeCensus({ ...fixture.source, pipeline });
    const verdict = (unrelated?: readonly string[]) =>
      verdictOf({ serializer: "json" }, census, { writersStoppedAt: fixture.now(), unrelated });

    expect(verdict()).toMatchObject({ answer: expect.stringMatching(/^no/), waiting: 1 });
    expect(verdict(["orders"])).toMatchObject({ answer: expect.stringMatching(/^no/), waiting: 1 });
    expect(verdict(["Capabilities"])).toMatchObject({ answer: "yes", waiting: 0 });
  });

  it("is no for a serializer that the chain did not have", async () => {
    await using fixture = openFixture();
    const verdict = verdictOf({ serializer: "xml" }, await takeCensus({ ...fixture.source, pipeline }), {
      writersStoppedAt: fixture.now(),
    });
    expect(verdict.reasons).toMatchObject([{ obstacle: "not-in-chain" }]);
  });
});

describe("any waiting messages", () => {
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
  const fixture = fc.record({
    messages: fc.array(message, { maxLength: 6 }),
    main: fc.constantFrom(...names),
    policies: fc.record({ missing: policy, unknown: policy, mismatch: policy }),
    target: fc.constantFrom(...names),
    sampleRate: fc.constantFrom(1, 1, 1, 0.5),
    limit: fc.constantFrom(undefined, undefined, 2),
    maxScheduleDurationInMs: fc.constantFrom(undefined, 60_000),
    waitMs: fc.constantFrom(1, 30_000, 61_000),
  });

  it("never make a verdict safe while a consumer without the serializer would fail", async () => {
    let safe = 0;
    await fc.assert(
      fc.asyncProperty(fixture, async (given) => {
        await using opened = openFixture();
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
          maxScheduleDurationInMs: given.maxScheduleDurationInMs,
          sessionStatesAreFree: true,
        };
        opened.clock.advance(given.waitMs);
        const present = chain(given.main, given.policies);
        const census = await takeCensus({
          ...opened.source,
          pipeline: present,
          sampleRate: given.sampleRate,
          maxMessagesPerPlace: given.limit,
        });

        if (verdictOf({ serializer: given.target }, census, evidence).answer !== "yes") return;
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

describe("the verdict on retiring a version of a message type", () => {
  const typed = orderPipeline();

  /** Five messages of version 1 wait, and their writers have stopped. */
  async function openOrders() {
    const fixture = openFixture();
    await fixture.broker.createQueue("orders");
    for (let n = 0; n < 5; n++) await fixture.send("orders", orderOf(typed, { id: n }, 1));
    const evidence: RetirementEvidence = { writersStoppedAt: fixture.now() };
    return { ...fixture, evidence };
  }

  it("is no while they wait, with any upcasters", async () => {
    await using fixture = await openOrders();
    const census = await takeCensus({ ...fixture.source, pipeline: typed });
    for (const version of [1, 2]) {
      expect(verdictOf({ messageType: "order", version }, census, fixture.evidence).reasons).toMatchObject([
        { obstacle: "waiting", place: "orders", count: 5 },
      ]);
    }
    await fixture.broker.purge("orders");
    const empty = await takeCensus({ ...fixture.source, pipeline: typed });
    expect(verdictOf({ messageType: "order", version: 1 }, empty, fixture.evidence)).toMatchObject({
      answer: "yes",
      reasons: [],
    });
  });

  it.each<[string, string, unknown, string]>([
    [
      "a typo",
      "ordr",
      1,
      'the chain has no message type "ordr", only "order", "invoice"; take the census with the message types that consumers have now.',
    ],
    ["another letter case", "Order", 1, 'the chain has no message type "Order"; name it "order", as its'],
    ["an alias", "OrderPlaced", 1, 'no message type "OrderPlaced"; name it "order", as its definition does;'],
    [
      "a version as a text",
      "order",
      "1",
      'version "1" of "order" is not in the chain, which has 1, 2, 3. The version has to be a number.',
    ],
    ["a version that does not exist", "order", 7, 'version 7 of "order" is not in the chain'],
    ["a version that is not a number", "order", Number.NaN, "version NaN of"],
    ["no type", undefined as unknown as string, 1, "the chain has no message type undefined"],
  ])("is no for %s, and suggests the solution", async (_, messageType, version, text) => {
    await using fixture = await openOrders();
    const census = await takeCensus({ ...fixture.source, pipeline: typed });
    const verdict = verdictOf({ messageType, version: version as number }, census, fixture.evidence);
    expect(verdict).toMatchObject({
      answer: expect.stringMatching(/^no/),
      reasons: [{ obstacle: "not-in-chain" }],
    });
    expect(verdict.reasons[0]?.text).toContain(text);
  });

  it("is no for a chain without message types: it cannot distinguish versions", async () => {
    await using fixture = await openOrders();
    const census = await takeCensus({ ...fixture.source, pipeline });
    const target = { messageType: "order", version: 1 };
    expect(verdictOf(target, census, fixture.evidence).reasons).toMatchObject([
      { obstacle: "not-in-chain", text: expect.stringContaining("take the census with the message types") },
    ]);
  });

  it("finds a type among any number of arbitrary subjects", async () => {
    await using fixture = await openOrders();
    const passing = orderPipeline({ messageTypePolicies: { unknown: "pass" } });
    await fixture.broker.createQueue("others");
    for (let n = 0; n < 20; n++)
      await fixture.send("others", { ...written("msgpack"), subject: `subject-${n}` });
    const census = await takeCensus({ ...fixture.source, pipeline: passing, maxGroups: 2 });
    expect(census.groups.length).toBeLessThan(8);
    expect(verdictOf({ messageType: "order", version: 1 }, census, fixture.evidence).reasons).toMatchObject([
      { obstacle: "waiting", place: "orders", count: 5 },
    ]);
  });
});

describe("evidence in addition to the census", () => {
  it.each<[string, RetirementEvidence, string]>([
    ["an invalid date", { writersStoppedAt: new Date(Number.NaN) }, "writersStoppedAt is not a valid date"],
    [
      "a string for a date",
      { writersStoppedAt: "yesterday" as unknown as Date },
      "writersStoppedAt is not a valid",
    ],
    [
      "a number for a date",
      { writersStoppedAt: 1 as unknown as Date },
      "writersStoppedAt is not a valid date",
    ],
    [
      "an invalid schedule",
      { maxScheduleDurationInMs: Number.NaN },
      "maxScheduleDurationInMs is not a duration",
    ],
    [
      "a schedule into the past",
      { maxScheduleDurationInMs: -60_000 },
      "maxScheduleDurationInMs is not a duration",
    ],
  ])("makes no verdict safe with %s", async (_, evidence, text) => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("orders");
    const census = await takeCensus({ ...fixture.source, pipeline });
    const given = { writersStoppedAt: fixture.now(), ...evidence };
    expect(verdictOf({ serializer: "json" }, census, given).reasons).toMatchObject([
      { obstacle: "invalid-evidence", text: expect.stringContaining(text) },
    ]);
  });

  it("does not make a verdict safe with a census with invalid dates", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("orders");
    await fixture.send("orders", written("msgpack"));
    const census = await takeCensus({ ...fixture.source, pipeline });
    const evidence = { writersStoppedAt: fixture.now() };
    const broken = new Date(Number.NaN);
    const groups = census.groups.map((group) => ({ ...group, newestSentAt: broken }));
    for (const changed of [
      { ...census, startedAt: broken },
      { ...census, groups },
    ]) {
      for (const given of [
        { census: changed, evidence },
        { census, evidence: { ...evidence, earlier: [changed] } },
      ])
        expect(verdictOf({ serializer: "json" }, given.census, given.evidence).reasons).toMatchObject([
          { obstacle: "invalid-evidence" },
        ]);
    }
  });
});

describe("any waiting messages of any version", () => {
  const mistakes = ["none", "typo", "case", "alias", "text", "no types", "folded", "no date"] as const;
  const message = fc.record({
    version: fc.constantFrom(1, 2, 3, undefined),
    subject: fc.constantFrom("order", "OrderPlaced", "invoice", "stranger", "stranger 2", undefined),
    end: fc.constantFrom("stay", "schedule", "defer", "deadLetter"),
  });
  const fixture = fc.record({
    messages: fc.array(message, { maxLength: 5 }),
    version: fc.constantFrom(1, 2, 3),
    unknown: fc.constantFrom("pass" as const, "reject" as const),
    waitMs: fc.constantFrom(1, 61_000),
  });
  const mistaken = (mistake: (typeof mistakes)[number], version: number): RetirementTarget => ({
    messageType: { typo: "ordr", case: "Order", alias: "OrderPlaced" }[String(mistake)] ?? "order",
    version: mistake === "text" ? (String(version) as unknown as number) : version,
  });

  it.each(mistakes)(
    "never make a verdict safe while a consumer without the version would fail: %s",
    async (mistake) => {
      let safe = 0;
      await fc.assert(
        fc.asyncProperty(fixture, async ({ messages, version, unknown, waitMs }) => {
          await using opened = openFixture();
          await opened.broker.createQueue("orders");
          const options = { messageTypePolicies: { unknown } };
          const present = orderPipeline(options);
          for (const { version: sentAs, subject, end } of messages) {
            const sent = { ...orderOf(present, { id: 1 }, sentAs ?? 1), subject };
            const properties = sentAs === undefined ? {} : { messageVersion: sentAs };
            const all = { ...sent, applicationProperties: properties };
            if (end === "schedule") await opened.schedule("orders", all, 60_000);
            else await opened.send("orders", all);
            if (end === "defer") await opened.defer({ queue: "orders" });
            if (end === "deadLetter") await opened.deadLetter({ queue: "orders" });
          }
          const writersStoppedAt = mistake === "no date" ? new Date(Number.NaN) : opened.now();
          opened.clock.advance(waitMs);
          const census = await takeCensus({
            ...opened.source,
            pipeline: mistake === "no types" ? pipeline : present,
            maxGroups: mistake === "folded" ? 1 : undefined,
          });

          if (verdictOf(mistaken(mistake, version), census, { writersStoppedAt }).answer !== "yes") return;
          safe++;
          expect(["none", "folded"]).toContain(mistake);
          const future = orderPipeline(options, version);
          for (const each of opened.everything())
            expect(future.deserialize(each)).toMatchObject({ status: "decoded" });
        }),
        { numRuns: 100 },
      );
      if (mistake === "none") expect(safe).toBeGreaterThan(5);
    },
  );
});

/** A chain with two types of three versions each; `without` removes one version of the first type. */
function orderPipeline(options: Partial<PipelineOptions> = {}, without?: number): Pipeline {
  // The first version is upcast via the second.
  const left = { 1: [2, 3], 2: [3], 3: [1, 2] }[Number(without)] ?? [1, 2, 3];
  return createPipeline({
    serializer: serializers.json as Serializer,
    additionalDeserializers: [serializers.msgpack as Serializer],
    messageTypes: [typeOf("order", left, ["OrderPlaced"]), typeOf("invoice", [1, 2, 3])],
    ...options,
  });
}

function typeOf(name: string, versions: readonly number[], aliases: readonly string[] = []): MessageType {
  const same = (body: unknown) => body;
  const current = Math.max(...versions);
  const others = versions.filter((version) => version !== current);
  const definition = {
    version: current,
    schemas: Object.fromEntries(versions.map((version) => [version, bodyType<unknown>()])),
    upcasters: Object.fromEntries(others.map((version) => [version, same])),
    downcasters: Object.fromEntries(others.map((version) => [version + 1, same])),
    unused: [1, 2].filter((version) => version < current && !versions.includes(version)),
    unversioned: Math.min(...versions),
    aliases,
  };
  return defineMessage(name, definition as never) as MessageType;
}

function orderOf(chain: Pipeline, body: unknown, version: number, subject = "order"): EncodedMessage {
  return chain.serialize({ body, subject }, { writeAs: { version } }) as EncodedMessage;
}

/** A transport that peeks nothing at topics: the answer is empty, or an error. */
function blindTo(transport: Transport, error?: WaybillError): Transport {
  return new Proxy(transport, {
    get(target, name) {
      if (name !== "createReceiver") return Reflect.get(target, name, target);
      return (...args: Parameters<Transport["createReceiver"]>) => {
        const receiver = transport.createReceiver(...args);
        const [address] = args;
        if ("queue" in address && address.queue === "events") {
          receiver.peek = async () => {
            if (error !== undefined) throw error;
            return [];
          };
        }
        return receiver;
      };
    },
  });
}

function sameBytes(one: unknown, two: Uint8Array): boolean {
  return Buffer.compare(one as Uint8Array, two) === 0;
}
