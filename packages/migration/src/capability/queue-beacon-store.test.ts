import { createPipeline, defineMessage, type Transport } from "@waybill/core";
import type { DeliveredMessage } from "@waybill/core/transport";
import { json } from "@waybill/serializer-json";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { openFixture, replaced } from "../fixture.test-support.js";
import { announceReader } from "./announce-reader.js";
import type { BeaconStore, CapabilityBeacon } from "./beacon-store.js";
import { liveBeacons } from "./live-beacons.js";
import { queueBeaconStore } from "./queue-beacon-store.js";
import { readerCapability } from "./reader-capability.js";

const start = Date.parse("2026-11-05T12:00:00Z");
const at = (ms: number) => new Date(start + ms);
const capability = { mediaTypes: ["application/json"], messageTypes: [] };

function beacon(instance: string, members: Partial<CapabilityBeacon> = {}): CapabilityBeacon {
  return {
    reader: "billing",
    instance,
    capability,
    entities: ["orders"],
    announcedAt: at(0),
    expiresAt: at(60_000),
    ...members,
  };
}

async function openQueue(options: object = {}) {
  const fixture = openFixture();
  await fixture.broker.createQueue("capabilities", options);
  return { ...fixture, store: queueBeaconStore(fixture.transport, "capabilities") };
}

/** A transport whose peeked messages are changed. */
function peeking(transport: Transport, change: (message: DeliveredMessage) => object): Transport {
  return replaced(transport, {
    createReceiver(address, mode) {
      const receiver = transport.createReceiver(address, mode);
      return replaced(receiver, {
        peek: async (options) =>
          (await receiver.peek(options)).map((message) => ({ ...message, ...change(message) })),
      });
    },
  });
}

/** A beacon whose JSON has exactly this many bytes. */
function ofBytes(length: number): CapabilityBeacon {
  const empty = beacon("");
  return beacon("x".repeat(length - JSON.stringify(empty).length));
}

describe("beacons in a queue", () => {
  it("live as long as they say, by the broker's clock, and a millisecond at least", async () => {
    await using fixture = await openQueue();
    const { store, transport } = fixture;
    await store.announce(beacon("1", { expiresAt: at(1) }));
    await store.announce(beacon("2", { expiresAt: at(0) }));
    await store.announce(beacon("3", { expiresAt: at(500) }));
    const receiver = transport.createReceiver({ queue: "capabilities" }, "peekLock");
    expect((await receiver.peek({ maxMessages: 9 })).map(({ timeToLive }) => timeToLive)).toEqual([
      1, 1, 500,
    ]);
    expect(store.expiresBeacons).toBe(true);
  });

  it("have times of the broker, or their own where it has none", async () => {
    await using fixture = await openQueue();
    await fixture.store.announce(beacon("1"));
    fixture.clock.advance(7);
    const arrived = { enqueuedTimeUtc: at(5_000) };
    const listed = async (change: (message: DeliveredMessage) => object) => {
      const [first] = await queueBeaconStore(peeking(fixture.transport, change), "capabilities").list();
      return [first?.announcedAt, first?.expiresAt];
    };
    expect(await listed(() => arrived)).toEqual([at(5_000), at(60_000)]);
    expect(await listed(() => ({ ...arrived, expiresAtUtc: undefined }))).toEqual([at(5_000), at(65_000)]);
    const untimed = { ...arrived, expiresAtUtc: undefined, timeToLive: undefined };
    expect(await listed(() => untimed)).toEqual([at(5_000), at(65_000)]);
    expect(await listed(() => ({ ...untimed, timeToLive: 1_000 }))).toEqual([at(5_000), at(6_000)]);
    expect(await listed(() => ({ enqueuedTimeUtc: undefined }))).toEqual([at(0), at(60_000)]);
  });

  it("have expired when another message arrived at their last moment, not when one is scheduled for later", async () => {
    await using fixture = await openQueue();
    const { store, transport } = fixture;
    await store.announce(beacon("1", { expiresAt: at(1_000) }));
    await store.announce(beacon("2", { expiresAt: at(1_001) }));
    await fixture.send("capabilities", { body: new Uint8Array(1) });
    const instances = async (change: (message: DeliveredMessage) => object) =>
      (await queueBeaconStore(peeking(transport, change), "capabilities").list()).map(
        ({ instance }) => instance,
      );
    const later = ({ subject }: DeliveredMessage, members: object) => (subject === undefined ? members : {});
    const arrivesAt = { enqueuedTimeUtc: at(1_000) };
    expect(await instances((message) => later(message, arrivesAt))).toEqual(["2"]);
    expect(await instances((message) => later(message, { ...arrivesAt, state: "scheduled" }))).toEqual([
      "1",
      "2",
    ]);
    expect(await instances((message) => later(message, { enqueuedTimeUtc: undefined }))).toEqual(["1", "2"]);
  });

  it("are only messages with their subject, in valid UTF-8", async () => {
    await using fixture = await openQueue();
    const text = JSON.stringify(beacon("1"));
    const body = new TextEncoder().encode(text);
    await fixture.send("capabilities", { subject: "order-placed", body });
    await fixture.send("capabilities", {
      subject: "waybill-capability",
      body: { section: "value", value: text },
    });
    const broken = new TextEncoder().encode(text.replace("billing", "b?lling"));
    await fixture.send("capabilities", {
      subject: "waybill-capability",
      body: broken.map((byte) => (byte === 0x3f ? 0xff : byte)),
    });
    expect(await fixture.store.list()).toEqual([]);
  });

  it("are listed from a queue of maxMessages messages, and refused from a longer one", async () => {
    await using fixture = await openQueue();
    const { store, transport } = fixture;
    const short = queueBeaconStore(transport, "capabilities", { maxMessages: 2 });
    for (const instance of ["1", "2"]) await store.announce(beacon(instance));
    expect(await short.list()).toHaveLength(2);
    await store.announce(beacon("3"));
    await expect(short.list()).rejects.toMatchObject({
      code: "operation-invalid",
      entityPath: "capabilities",
      text: 'The beacons in "capabilities" cannot be listed: it holds more than 2 messages; give beacons a queue of their own.',
    });
    expect(() => queueBeaconStore(transport, "capabilities", { maxMessages: 0.5 })).toThrow(
      new TypeError("maxMessages must be a number from 1."),
    );
    expect(await queueBeaconStore(transport, "empty", { maxMessages: 1 })).toBeDefined();
  });

  it("have 16 MB at most", async () => {
    await using fixture = await openQueue({ maxMessageSizeInKilobytes: 102_400 });
    const { store } = fixture;
    const maximum = 16 * 1024 * 1024;
    await store.announce(ofBytes(maximum));
    expect(await store.list()).toHaveLength(1);
    await expect(store.announce(ofBytes(maximum + 1))).rejects.toMatchObject({
      code: "message-too-large",
      text: `the beacon of "billing" has ${maximum + 1} bytes, more than the maximum of ${maximum}.`,
    });
    const subject = "waybill-capability";
    await fixture.send("capabilities", { subject, body: new Uint8Array(maximum + 1) });
    await expect(store.list()).rejects.toMatchObject({
      text: `The beacons in "capabilities" cannot be listed: message 2 has ${maximum + 1} bytes, more than the maximum of ${maximum}; remove it.`,
    });
  });

  it("need no connection once their store is disposed of", async () => {
    await using fixture = openFixture();
    const store = queueBeaconStore(fixture.transport, "capabilities");
    expect(fixture.leftOpen()).toEqual(["sender of capabilities", "receiver of capabilities"]);
    await store[Symbol.asyncDispose]();
    expect(fixture.leftOpen()).toEqual([]);
  });
});

describe("live beacons", () => {
  const listing = (beacons: readonly CapabilityBeacon[], expiresBeacons?: boolean): BeaconStore => ({
    announce: async () => {},
    list: async () => beacons,
    ...(expiresBeacons !== undefined && { expiresBeacons }),
  });
  const names = (beacons: readonly CapabilityBeacon[]) => beacons.map(({ instance }) => instance);
  const beacons = [
    beacon("long expired", { expiresAt: at(-600_000) }),
    beacon("expired", { expiresAt: at(-599_999) }),
    beacon("just expired", { expiresAt: at(0) }),
    beacon("present", { expiresAt: at(1) }),
    beacon("withdrawn"),
    beacon("withdrawn", { isWithdrawn: true }),
  ];

  it("count ten minutes longer than they last, and are present only until they expire", async () => {
    const { counting, present } = await liveBeacons(listing(beacons), { nowMs: start });
    expect(names(counting)).toEqual(["expired", "just expired", "present"]);
    expect(names(present)).toEqual(["present"]);
  });

  it("are all that a store lists that removes the expired ones, and present if this clock is not far off", async () => {
    const { counting, present } = await liveBeacons(listing(beacons, true), { nowMs: start });
    expect(names(counting)).toEqual(["long expired", "expired", "just expired", "present"]);
    expect(names(present)).toEqual(["expired", "just expired", "present"]);
  });

  it("depend on the tolerance", async () => {
    const { counting } = await liveBeacons(listing(beacons), { nowMs: start, clockToleranceInMs: 0 });
    expect(names(counting)).toEqual(["present"]);
  });
});

describe("an announced reader", () => {
  it("is valid for ten minutes, under a name that no other instance has", async () => {
    const announced: CapabilityBeacon[] = [];
    const store = {
      announce: async (each: CapabilityBeacon) => void announced.push(each),
      list: async () => [],
    };
    const pipeline = createPipeline({ serializer: json() });
    for (const _ of ["one", "two"]) {
      await using _reader = await announceReader(store, pipeline, {
        reader: "billing",
        entities: ["orders"],
      });
    }
    expect(announced.map(({ isWithdrawn }) => isWithdrawn)).toEqual([undefined, true, undefined, true]);
    const [one, , two] = announced;
    expect(Number(one?.expiresAt) - Number(one?.announcedAt)).toBe(600_000);
    expect(one?.instance).toMatch(new RegExp(`-${process.pid}-[0-9a-f]{8}$`));
    expect(one?.instance).not.toBe(two?.instance);
  });

  it("needs a lifetime", async () => {
    await using fixture = await openQueue();
    const pipeline = createPipeline({ serializer: json() });
    const announce = (lifetimeInMs: number) =>
      announceReader(fixture.store, pipeline, {
        ...{ reader: "billing", entities: ["orders"], lifetimeInMs },
        scheduler: fixture.transport.scheduler,
      });
    await expect(announce(0)).rejects.toThrow("lifetimeInMs");
    await using _ = await announce(1);
    expect(await fixture.store.list()).toHaveLength(1);
  });
});

describe("a reader's capability", () => {
  it("has no digest of a schema that is code, and one for none", () => {
    const noted = defineMessage("noted", {
      version: 1,
      schemas: { 1: { json: z.object({}), avro: null, msgpack: (body: unknown) => body } },
    });
    const { messageTypes } = readerCapability(createPipeline({ serializer: json(), messageTypes: [noted] }));
    const digests = messageTypes[0]?.versions[0]?.schemas;
    expect(digests).toEqual({ avro: expect.stringMatching(/^[0-9a-f]{64}$/) });
  });
});
