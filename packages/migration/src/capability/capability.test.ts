import { createBroker, createManualClock } from "@waybill/broker";
import { createPipeline, defineMessage, type Transport, WaybillClient } from "@waybill/core";
import type { Scheduler, TransportPeekOptions } from "@waybill/core/transport";
import { avro } from "@waybill/serializer-avro";
import { json } from "@waybill/serializer-json";
import { localTransport } from "@waybill/transport-local";
import { afterEach, describe, expect, it, vi } from "vitest";
import { orderPlaced, ordersPipeline } from "../../test/orders.js";
import { beaconGuard, type ExpectedReader } from "../write-plan/reader-guard.js";
import { WritePlan } from "../write-plan/write-plan.js";
import { announceReader } from "./announce-reader.js";
import type { BeaconStore, CapabilityBeacon } from "./beacon-store.js";
import { liveBeacons } from "./live-beacons.js";
import { OpenCircuits } from "./open-circuits.js";
import { queueBeaconStore } from "./queue-beacon-store.js";
import { type ReaderCapability, readerCapability } from "./reader-capability.js";

afterEach(() => void vi.useRealTimers());

async function createFixture() {
  const clock = createManualClock();
  const broker = createBroker({ clock });
  await broker.createQueue("capabilities", { maxMessageSizeInKilobytes: 102_400 });
  const transport: Transport = localTransport(broker);
  return {
    broker,
    clock,
    transport,
    scheduler: transport.scheduler!,
    store: queueBeaconStore(transport, "capabilities"),
    async [Symbol.asyncDispose]() {
      await transport.close();
      await broker.close();
    },
  };
}

/** A minimal store in memory. */
function tableStore(): BeaconStore {
  const rows = new Map<string, CapabilityBeacon>();
  return {
    announce: async (beacon) => void rows.set(`${beacon.reader}/${beacon.instance}`, beacon),
    list: async () => [...rows.values()],
  };
}

const able = readerCapability(ordersPipeline());
const jsonPipeline = createPipeline({ serializer: json(), messageTypes: [orderPlaced] });
const jsonOnly = readerCapability(jsonPipeline);
const pipeline = ordersPipeline();

/** The objections of a guard that expects one instance of each reader, unless a number is given. */
async function objections(
  store: BeaconStore,
  readers: (string | ExpectedReader)[],
  nowMs = 0,
): Promise<readonly string[]> {
  const guard = beaconGuard({ store, readers: expected(readers), pipeline, scheduler: { now: () => nowMs } });
  return guard.objections(orderPlaced, { serializer: "avro", version: 2 });
}

function expected(readers: readonly (string | ExpectedReader)[]): ExpectedReader[] {
  return readers.map((reader) => (typeof reader === "string" ? { name: reader, instances: 1 } : reader));
}

function beacon(
  reader: string,
  instance: string,
  capability: ReaderCapability,
  announcedAt = 0,
): CapabilityBeacon {
  return {
    reader,
    instance,
    capability,
    entities: ["orders"],
    announcedAt: new Date(announcedAt),
    expiresAt: new Date(announcedAt + 1000),
  };
}

describe("a reader's capability", () => {
  it("follows from its pipeline: media types, message types, versions and digests of their schemas", () => {
    expect(able.mediaTypes).toEqual(expect.arrayContaining(["application/avro", "application/json"]));
    expect(able.messageTypes).toEqual([
      {
        name: "order-placed",
        versions: [
          { version: 1, schemas: { json: expect.stringMatching(/^[0-9a-f]{64}$/) } },
          { version: 2, schemas: { avro: expect.stringMatching(/^[0-9a-f]{64}$/) } },
          { version: 3, schemas: {} },
        ],
      },
    ]);
  });

  it("has the same digest for schemas that differ only in the order of keys", () => {
    const digestOf = (schema: object) =>
      readerCapability(
        createPipeline({
          serializer: json(),
          messageTypes: [defineMessage("a", { version: 1, schemas: { 1: { json: schema } } })],
        }),
      ).messageTypes[0]!.versions[0]!.schemas.json;
    expect(digestOf({ type: "object", required: ["a"] })).toBe(digestOf({ required: ["a"], type: "object" }));
    expect(digestOf({ type: "object", required: ["a"] })).not.toBe(
      digestOf({ type: "object", required: ["b"] }),
    );
  });
});

describe("the guard", () => {
  it("has no objection if every instance of every reader can read the target", async () => {
    const store = tableStore();
    await store.announce(beacon("billing", "1", able));
    await store.announce(beacon("billing", "2", able));
    await store.announce(beacon("shipping", "1", able));
    expect(await objections(store, ["billing", "shipping"])).toEqual([]);
  });

  it("objects to a reader without a beacon, or with an expired one", async () => {
    const store = tableStore();
    await store.announce(beacon("billing", "1", able));
    expect(await objections(store, ["billing", "shipping"])).toEqual([
      '"shipping" has not said what it can read; it does with announceReader',
    ]);
    expect(await objections(store, ["billing"], 1000)).toEqual([
      '"billing" has not said what it can read; it does with announceReader',
    ]);
  });

  it("objects to one instance that cannot read the target among others that can, also of an unnamed reader", async () => {
    const store = tableStore();
    await store.announce(beacon("billing", "1", able));
    await store.announce(beacon("billing", "2", jsonOnly));
    await store.announce(beacon("audit", "1", jsonOnly));
    expect(await objections(store, ["billing"])).toEqual([
      '"billing" (2) does not read application/avro',
      '"audit" (1) does not read application/avro',
    ]);
  });

  it("ignores unnamed readers without the type, and objects to named ones", async () => {
    const store = tableStore();
    const other = readerCapability(createPipeline({ serializer: json() }));
    await store.announce(beacon("audit", "1", other));
    await store.announce(beacon("billing", "1", other));
    expect(await objections(store, ["billing"])).toEqual(['"billing" (1) does not know the message type']);
  });

  it("objects to a reader that lacks the version, or has another schema for it", async () => {
    const v1 = defineMessage("order-placed", { version: 1, schemas: { 1: {} } });
    const otherV2 = defineMessage("order-placed", {
      version: 2,
      schemas: { 2: { avro: "string" } },
      removed: [1],
    });
    const store = tableStore();
    for (const [instance, type] of [
      ["old", v1],
      ["other", otherV2],
    ] as const) {
      const capability = readerCapability(createPipeline({ serializer: avro(), messageTypes: [type] }));
      await store.announce(beacon("billing", instance, capability));
    }
    expect(await objections(store, ["billing"])).toEqual([
      '"billing" (old) does not read version 2',
      '"billing" (other) knows another avro schema of version 2',
    ]);
  });

  it("uses the newest beacon of an instance", async () => {
    const beacons = [beacon("billing", "1", able, 10), beacon("billing", "1", jsonOnly, 5)];
    const store: BeaconStore = { announce: async () => {}, list: async () => beacons };
    expect(await objections(store, ["billing"], 20)).toEqual([]);
  });

  it("tolerates different clocks: the beacon of a reader whose clock is slow does not count as expired", async () => {
    const store = tableStore();
    await store.announce(beacon("billing", "1", able, 500_000));
    await store.announce(beacon("audit", "1", jsonOnly, 500_000 - 5 * 60_000));
    expect(await objections(store, ["billing"], 500_000)).toEqual([
      '"audit" (1) does not read application/avro',
    ]);
    expect(await objections(store, ["audit"], 500_000)).toEqual([
      '"audit" has not said what it can read; it does with announceReader',
      '"audit" (1) does not read application/avro',
    ]);
    const guard = beaconGuard({
      store,
      readers: expected(["billing"]),
      pipeline,
      clockToleranceInMs: 60_000,
      scheduler: { now: () => 500_000 },
    });
    expect(await guard.objections(orderPlaced, { serializer: "avro", version: 2 })).toEqual([]);
    expect(() =>
      beaconGuard({ store, readers: expected(["a"]), pipeline, clockToleranceInMs: Number.NaN }),
    ).toThrow("clockToleranceInMs must be");
  });

  it("does not know what instances read that have not announced themselves", async () => {
    const store = tableStore();
    const three = { name: "billing", instances: 3 };
    expect(await objections(store, [three])).toEqual([
      '"billing" has not said what it can read; it does with announceReader',
    ]);
    await store.announce(beacon("billing", "1", able));
    expect(await objections(store, [three])).toEqual([
      'it is not known what 2 of the 3 instances of "billing" can read: only 1 announced themselves',
    ]);
    await store.announce(beacon("billing", "2", able));
    await store.announce(beacon("billing", "3", able));
    expect(await objections(store, [three])).toEqual([]);
  });

  it("counts a killed instance until its beacon expires: so long it can stand for one that announces nothing", async () => {
    const store = tableStore();
    await store.announce(beacon("billing", "killed", able));
    await store.announce(beacon("billing", "1", able, 500));
    const two = { name: "billing", instances: 2 };
    expect(await objections(store, [two], 999)).toEqual([]);
    expect(await objections(store, [two], 1000)).toEqual([
      'it is not known what 1 of the 2 instances of "billing" can read: only 1 announced themselves',
    ]);
  });

  it("counts the instances with a function, each time it is asked", async () => {
    const store = tableStore();
    await store.announce(beacon("billing", "1", able));
    let running = 1;
    const counted = { name: "billing", instances: async () => running };
    expect(await objections(store, [counted])).toEqual([]);
    // An instance of the previous deployment that announces nothing.
    running = 2;
    expect(await objections(store, [counted])).toEqual([
      'it is not known what 1 of the 2 instances of "billing" can read: only 1 announced themselves',
    ]);
    running = Number.NaN;
    await expect(objections(store, [counted])).rejects.toThrow('The counted instances of "billing" must be');
    const failing = { name: "billing", instances: () => Promise.reject(new Error("no answer")) };
    await expect(objections(store, [failing])).rejects.toThrow("no answer");
  });

  it("ignores an instance that has stopped", async () => {
    const store = tableStore();
    await store.announce(beacon("billing", "1", able));
    await store.announce(beacon("billing", "2", jsonOnly));
    expect(await objections(store, ["billing"])).toEqual(['"billing" (2) does not read application/avro']);
    await store.announce({ ...beacon("billing", "2", jsonOnly), isWithdrawn: true });
    expect(await objections(store, ["billing"])).toEqual([]);
  });

  it("needs at least one reader, each with a name and how many instances it has", () => {
    const guardOf = (readers: unknown) =>
      beaconGuard({ store: tableStore(), readers: readers as ExpectedReader[], pipeline });
    expect(() => guardOf([])).toThrow(TypeError);
    expect(() => guardOf(["billing"])).toThrow("a reader has no name");
    expect(() => guardOf([{ name: "billing" }])).toThrow(
      'The instances of "billing" must be a positive integer',
    );
    expect(() => guardOf([{ name: "billing", instances: 0 }])).toThrow("must be a positive integer");
  });
});

describe("an announced reader", () => {
  it("is the directory of the running readers of an entity, for clients", async () => {
    await using fixture = await createFixture();
    const { store, scheduler, clock } = fixture;
    const options = { reader: "billing", lifetimeInMs: 60_000, scheduler };
    const old = await announceReader(store, jsonPipeline, { ...options, entities: ["orders"] });
    expect(await old.readersOf("orders")).toEqual([jsonOnly]);
    const other = await announceReader(store, pipeline, { ...options, entities: ["Orders", "invoices"] });
    expect(await old.readersOf("orders")).toEqual([jsonOnly, able]);
    expect(await old.readersOf("invoices")).toEqual([able]);
    expect(await old.readersOf("other")).toEqual([]);
    await other.close();
    expect(await old.readersOf("orders")).toEqual([jsonOnly]);
    await old.close();
    clock.advance(60_001);
    expect(await old.readersOf("orders")).toEqual([]);
  });

  it("leaves what only another one reads to that one, and dead-letters it once that one has stopped", async () => {
    await using fixture = await createFixture();
    const { store, scheduler, clock, transport, broker } = fixture;
    await broker.createQueue("orders");
    const options = { reader: "billing", entities: ["orders"], scheduler };
    const old = await announceReader(store, jsonPipeline, options);
    const other = await announceReader(store, pipeline, options);
    await transport
      .createSender("orders")
      .send([{ body: Uint8Array.of(0xc3, 0x01, 0), contentType: "application/avro" }]);
    const events: string[] = [];
    const client = new WaybillClient(transport, {
      serializer: json(),
      readerDirectory: old,
      circuitBreaker: false,
      onUndeserializable: ({ disposition }) => events.push(disposition),
    });
    client.createReceiver("orders").subscribe({ processMessage: () => {}, processError: () => {} });
    await settled(async () => events.length === 1);
    expect(events).toEqual(["abandoned"]);
    await other.close();
    // Abandoned a few times, then held: both with random delays, so the bound is far above their sum.
    for (let passed = 0; passed < 900 && !events.includes("deadLettered"); passed++) {
      clock.advance(1_000);
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(events.at(-1)).toBe("deadLettered");
    await client.close();
    await old.close();
  });

  it("announces the circuits of its client, but only if they are followed", async () => {
    await using fixture = await createFixture();
    const { store, scheduler, clock } = fixture;
    const options = { reader: "billing", entities: ["orders"], scheduler };
    await using announced = await announceReader(store, pipeline, options);
    const circuits = async () => (await liveBeacons(store, { nowMs: clock.now() })).present[0]?.circuits;
    expect(await circuits()).toBeUndefined();
    const note = announced.followCircuits?.() ?? (() => {});
    const told = async () => {
      clock.advance(1_000);
      await settled(async () => (await circuits()) !== undefined);
      return await circuits();
    };
    expect(await told()).toEqual([]);
    const change = { entityPath: "orders", messageType: "order-placed", format: "avro" };
    const since = new Date(clock.now()).toISOString();
    note({ ...change, state: "open" });
    note({ ...change, state: "halfOpen" });
    clock.advance(1_000);
    const open = [{ entity: "orders", messageType: "order-placed", format: "avro", since }];
    await settled(async () => (await circuits())?.length === 1);
    expect(await circuits()).toEqual(open);
    // It stays announced when the beacon is renewed.
    clock.advance(200_000);
    await settled(async () => (await store.list()).length === 4);
    expect(await circuits()).toEqual(open);
    note({ ...change, state: "closed" });
    clock.advance(1_000);
    await settled(async () => (await circuits())?.length === 0);
  });

  it("announces at most 100 circuits, several changes at once", () => {
    const circuits = new OpenCircuits();
    const changes = Array.from({ length: 101 }, (_, id) =>
      circuits.note({ entityPath: "orders", format: `format-${id}`, state: "open" }, 0),
    );
    expect(changes.filter(Boolean)).toHaveLength(100);
    expect(circuits.list()).toHaveLength(100);
    expect(circuits.note({ entityPath: "orders", format: "other", state: "closed" }, 0)).toBe(false);
  });

  it("needs the entities that it receives from", async () => {
    const announced = announceReader(tableStore(), pipeline, { reader: "billing", entities: [] });
    await expect(announced).rejects.toThrow("entities must list");
  });
});

describe("beacons in a queue", () => {
  it("contain the announced capability, and stay in the queue until they expire", async () => {
    await using fixture = await createFixture();
    const { store, scheduler, clock } = fixture;
    await using announcement = await announceReader(store, pipeline, {
      reader: "billing",
      entities: ["orders"],
      instance: "1",
      lifetimeInMs: 60_000,
      scheduler,
    });
    const [listed] = await store.list();
    expect(listed).toEqual({
      reader: "billing",
      entities: ["orders"],
      instance: "1",
      capability: able,
      announcedAt: new Date(clock.now()),
      expiresAt: new Date(clock.now() + 60_000),
    });
    await announcement.close();
    expect((await store.list()).at(-1)).toMatchObject({ instance: "1", isWithdrawn: true });
    clock.advance(60_001);
    expect(await store.list()).toEqual([]);
  });

  it("are not renewed in a loop when their lifetime exceeds the maximum of a timer", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    let announced = 0;
    const store = { announce: async () => void announced++, list: async () => [] };
    await using _ = await announceReader(store, pipeline, {
      reader: "billing",
      entities: ["orders"],
      instance: "1",
      lifetimeInMs: 365 * 86_400_000,
    });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(announced).toBe(1);
  });

  it("are renewed three times within their lifetime", async () => {
    await using fixture = await createFixture();
    const { store, scheduler, clock } = fixture;
    await using _ = await announceReader(store, pipeline, {
      reader: "billing",
      entities: ["orders"],
      instance: "1",
      lifetimeInMs: 60_000,
      scheduler,
    });
    for (let renewal = 1; renewal <= 10; renewal++) {
      clock.advance(20_000);
      await settled(async () =>
        (await store.list()).some(({ announcedAt }) => announcedAt.getTime() === clock.now()),
      );
    }
  });

  it("report if renewing failed, and are renewed again later", async () => {
    await using fixture = await createFixture();
    const { scheduler, clock } = fixture;
    const errors: unknown[] = [];
    let announced = 0;
    const store: BeaconStore = {
      announce: async () => {
        announced++;
        if (announced === 2) throw new Error("down");
      },
      list: async () => [],
    };
    await using _ = await announceReader(store, pipeline, {
      reader: "b",
      entities: ["orders"],
      instance: "1",
      lifetimeInMs: 300,
      scheduler,
      onError: (error) => errors.push(error),
    });
    clock.advance(100);
    await settled(async () => errors.length === 1);
    clock.advance(100);
    await settled(async () => announced === 3);
  });

  it("are read page by page, and other messages are ignored", async () => {
    await using fixture = await createFixture();
    const { store, transport } = fixture;
    const sender = transport.createSender("capabilities");
    const texts = ["not json", "[]", '{"reader":"x"}', "null", '{"reader":1,"instance":"1","capability":{}}'];
    await sender.send(
      texts.map((text) => ({ subject: "waybill-capability", body: new TextEncoder().encode(text) })),
    );
    await sender.send([{ body: new TextEncoder().encode("{}") }]);
    for (let instance = 0; instance < 120; instance++)
      await store.announce(beacon("billing", `${instance}`, able, fixture.clock.now()));
    expect(await store.list()).toHaveLength(120);
  });

  it.each([-30, -3, 3, 30])(
    "use the broker's time for a reader whose clock is wrong by %i minutes",
    async (minutes) => {
      await using fixture = await createFixture();
      const { store, scheduler, clock } = fixture;
      const off: Scheduler = Object.assign(Object.create(scheduler), {
        now: () => clock.now() + minutes * 60_000,
        schedule: (delayMs: number, run: () => void) => scheduler.schedule(delayMs, run),
      });
      const options = { entities: ["orders"], instance: "1", lifetimeInMs: 60_000, scheduler: off };
      await using _able = await announceReader(store, pipeline, { ...options, reader: "billing" });
      await using _unable = await announceReader(store, jsonPipeline, { ...options, reader: "audit" });
      const guard = (readers: string[]) =>
        beaconGuard({ store, readers: expected(readers), pipeline, scheduler }).objections(orderPlaced, {
          serializer: "avro",
          version: 2,
        });
      expect(await guard(["billing"])).toEqual(['"audit" (1) does not read application/avro']);
      const [first] = await store.list();
      expect(first).toMatchObject({
        announcedAt: new Date(clock.now()),
        expiresAt: new Date(clock.now() + 60_000),
      });
    },
  );

  it("omit expired beacons that the broker has not removed yet", async () => {
    await using fixture = await createFixture();
    const { clock, transport } = fixture;
    await fixture.store.announce(beacon("old", "1", able, 0));
    const peeked = await transport
      .createReceiver({ queue: "capabilities" }, "peekLock")
      .peek({ maxMessages: 9 });
    clock.advance(5_000);
    await fixture.store.announce(beacon("new", "1", able, clock.now()));
    // A broker that removes expired messages late.
    const slow: Transport = {
      ...transport,
      createSender: (entity) => transport.createSender(entity),
      createReceiver: (address, mode) => {
        const receiver = transport.createReceiver(address, mode);
        const peek = async (options: TransportPeekOptions) =>
          (options.fromSequenceNumber ?? 0n) > 1n
            ? receiver.peek(options)
            : [...peeked, ...(await receiver.peek(options))];
        return Object.assign(Object.create(receiver), { peek, close: () => receiver.close() });
      },
    };
    const listed = await queueBeaconStore(slow, "capabilities").list();
    expect(listed.map(({ reader }) => reader)).toEqual(["new"]);
  });

  it("are found after more than 10,000 messages; listing is refused beyond maxMessages", async () => {
    await using fixture = await createFixture();
    const { store, transport } = fixture;
    const sender = transport.createSender("capabilities");
    const noise = Array.from({ length: 2_100 }, () => ({ body: new Uint8Array(1) }));
    for (let batch = 0; batch < 5; batch++) await sender.send(noise);
    await store.announce(beacon("audit", "1", jsonOnly, fixture.clock.now()));
    expect(await store.list()).toHaveLength(1);
    const short = queueBeaconStore(transport, "capabilities", { maxMessages: 10_000 });
    await expect(objections(short, ["audit"])).rejects.toThrow(
      'The beacons in "capabilities" cannot be listed: it holds more than 10000 messages',
    );
  });

  it("are read up to the maximum size, and refused if larger", async () => {
    await using fixture = await createFixture();
    const { store, transport, clock } = fixture;
    const large = { ...jsonOnly, mediaTypes: Array.from({ length: 30_000 }, (_, n) => `application/x-${n}`) };
    const body = new TextEncoder().encode(JSON.stringify(beacon("audit", "1", large, clock.now())));
    expect(body.length).toBeGreaterThan(256 * 1024);
    await store.announce(beacon("audit", "1", large, clock.now()));
    expect(await objections(store, ["audit"], clock.now())).toEqual([
      '"audit" (1) does not read application/avro',
    ]);
    const larger = { ...jsonOnly, mediaTypes: ["x".repeat(17 * 1024 * 1024)] };
    await expect(store.announce(beacon("audit", "1", larger, clock.now()))).rejects.toMatchObject({
      code: "message-too-large",
    });
    await transport
      .createSender("capabilities")
      .send([{ subject: "waybill-capability", body: new Uint8Array(17 * 1024 * 1024) }]);
    await expect(store.list()).rejects.toThrow("remove it");
  });

  it("allow a plan to be raised, end to end", async () => {
    await using fixture = await createFixture();
    const { store, scheduler } = fixture;
    const guard = beaconGuard({ store, readers: expected(["billing"]), pipeline, scheduler });
    const plan = new WritePlan(orderPlaced, {
      from: { serializer: "json", version: 1 },
      to: { serializer: "avro", version: 2 },
      guard,
    });
    await expect(plan.setPercent(5)).rejects.toThrow(
      '"billing" has not said what it can read; it does with announceReader',
    );
    await using _ = await announceReader(store, pipeline, {
      reader: "billing",
      entities: ["orders"],
      scheduler,
    });
    await plan.setPercent(5);
    expect(plan.percent).toBe(5);
  });
});

/** Runs the event loop until a condition is true. */
async function settled(holds: () => Promise<boolean>): Promise<void> {
  for (let turn = 0; turn < 1000; turn++) {
    if (await holds()) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error(`Timed out waiting until ${holds}`);
}
