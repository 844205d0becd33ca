import { createPipeline, type DeserializationOutcome, type EncodedMessage } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { describe, expect, it } from "vitest";
import type { CapabilityBeacon } from "../capability/beacon-store.js";
import { queueBeaconStore } from "../capability/queue-beacon-store.js";
import { readerCapability } from "../capability/reader-capability.js";
import { openFixture } from "../fixture.test-support.js";
import { queueReadStore } from "./queue-read-store.js";
import type { ReadRecord } from "./read-record.js";
import { recordReads } from "./record-reads.js";

const at = new Date("2026-11-05T12:00:00Z");
const record: ReadRecord = {
  reader: "billing",
  instance: "host-1",
  since: at,
  recordedAt: at,
  reads: [
    {
      ...{ serializer: "json", declared: undefined, messageType: "order-placed", messageVersion: 1 },
      ...{ upcastPath: [1, 2], count: 3, lastReadAt: at, newestSentAt: undefined },
    },
  ],
};

async function openStore(options?: Parameters<typeof queueReadStore>[2]) {
  const fixture = openFixture();
  await fixture.broker.createQueue("waybill", { maxMessageSizeInKilobytes: 2_048 });
  return { ...fixture, store: queueReadStore(fixture.transport, "waybill", options) };
}

/** A record whose JSON has exactly this many bytes. */
function ofBytes(length: number): ReadRecord {
  return { ...record, instance: "x".repeat(length - JSON.stringify({ ...record, instance: "" }).length) };
}

describe("read records in a queue", () => {
  it("are read as they were written, the newest of each run of an instance", async () => {
    await using fixture = await openStore();
    const newer = { ...record, recordedAt: new Date(at.getTime() + 1_000) };
    const restarted = { ...record, since: new Date(at.getTime() + 2_000) };
    for (const each of [record, newer, restarted]) await fixture.store.record(each);
    await fixture.send("waybill", { subject: "order-placed", body: new Uint8Array(1) });
    expect(await fixture.store.list()).toEqual([newer, restarted]);
  });

  it("may lie between beacons, which are listed without them", async () => {
    await using fixture = await openStore();
    const beacons = queueBeaconStore(fixture.transport, "waybill");
    const beacon: CapabilityBeacon = {
      reader: "billing",
      instance: "host-1",
      capability: readerCapability(createPipeline({ serializer: json() })),
      entities: ["orders"],
      announcedAt: at,
      expiresAt: new Date(at.getTime() + 60_000),
    };
    await beacons.announce(beacon);
    await fixture.store.record(record);
    expect(await beacons.list()).toMatchObject([{ reader: "billing", instance: "host-1" }]);
    expect(await fixture.store.list()).toEqual([record]);
  });

  it.each([
    [undefined, 604_800_000],
    [{ lifetimeInMs: 1 }, 1],
  ])("are kept a week, or as long as is set: %o", async (options, timeToLive) => {
    await using fixture = await openStore(options);
    await fixture.store.record(record);
    const receiver = fixture.transport.createReceiver({ queue: "waybill" }, "peekLock");
    expect(await receiver.peek({ maxMessages: 9 })).toMatchObject([
      { timeToLive, contentType: "application/json" },
    ]);
  });

  it("have a megabyte at most, in valid UTF-8", async () => {
    await using fixture = await openStore();
    const maximum = 1024 * 1024;
    await fixture.store.record(ofBytes(maximum));
    expect(await fixture.store.list()).toHaveLength(1);
    await fixture.store.record(ofBytes(maximum + 1));
    const refusal = { code: "operation-invalid", entityPath: "waybill" };
    const text = (number: number) => `Message ${number} is not a read record; remove it.`;
    await expect(fixture.store.list()).rejects.toMatchObject({ ...refusal, text: text(2) });

    for (const _ of ["first", "second"]) await fixture.complete({ queue: "waybill" });
    const broken = new TextEncoder().encode(JSON.stringify(record).replace("billing", "b?lling"));
    const subject = "waybill-reads";
    await fixture.send("waybill", { subject, body: broken.map((byte) => (byte === 0x3f ? 0xff : byte)) });
    await expect(fixture.store.list()).rejects.toMatchObject({ ...refusal, text: text(3) });

    await fixture.complete({ queue: "waybill" });
    await fixture.send("waybill", { subject, body: { section: "value", value: JSON.stringify(record) } });
    await expect(fixture.store.list()).rejects.toMatchObject({ ...refusal, text: text(4) });
  });

  it("need a lifetime, and no connection once their store is disposed of", async () => {
    await using fixture = await openStore();
    expect(() => queueReadStore(fixture.transport, "waybill", { lifetimeInMs: 0 })).toThrow("lifetimeInMs");
    await fixture.store[Symbol.asyncDispose]();
    expect(fixture.leftOpen().filter((name) => name.endsWith("of waybill"))).toHaveLength(0);
  });
});

describe("what is recorded", () => {
  const pipeline = createPipeline({ serializer: json() });
  const message = pipeline.serialize({ body: { id: 1 } }) as EncodedMessage;

  async function recorded(
    deserialize: typeof pipeline.deserialize,
    read: (recording: typeof pipeline) => unknown,
  ) {
    const records: ReadRecord[] = [];
    const store = { record: async (each: ReadRecord) => void records.push(each) };
    const options = { reader: "billing", instance: "host-1" };
    const recording = await recordReads({ ...pipeline, deserialize }, store, options);
    await read(recording.pipeline as typeof pipeline);
    await recording.close();
    return records.at(-1)?.reads.map(({ serializer, count }) => `${serializer} ${count}`);
  }

  it("is every message that was read, at once or later", async () => {
    expect(await recorded(pipeline.deserialize, (client) => client.deserialize(message))).toEqual(["json 1"]);
    const later = async (...how: Parameters<typeof pipeline.deserialize>) => pipeline.deserialize(...how);
    let outcome: DeserializationOutcome | undefined;
    expect(
      await recorded(later as typeof pipeline.deserialize, async (client) => {
        outcome = await client.deserialize(message);
      }),
    ).toEqual(["json 1"]);
    expect(outcome).toMatchObject({ status: "decoded", body: { id: 1 } });
  });

  it("is no message that could not be read, and none that a tool reads in a format of its choice", async () => {
    const garbage = { body: Uint8Array.of(0xff) };
    expect(await recorded(pipeline.deserialize, (client) => client.deserialize(garbage))).toEqual([]);
    let outcome: unknown;
    const readAs = { serializer: "json", isDeclared: true };
    expect(
      await recorded(pipeline.deserialize, (client) => {
        outcome = client.deserialize(message, { readAs });
      }),
    ).toEqual([]);
    expect(outcome).toMatchObject({ status: "decoded" });
  });

  it("is written every ten minutes, which has to be a duration", async () => {
    await using fixture = openFixture();
    const { clock } = fixture;
    const { scheduler } = fixture.transport;
    const written: number[] = [];
    const store = { record: async () => void written.push(clock.now() - at.getTime()) };
    const options = { reader: "billing", instance: "host-1", scheduler };
    await expect(recordReads(pipeline, store, { ...options, intervalInMs: 0 })).rejects.toThrow(
      "intervalInMs",
    );
    await using _ = await recordReads(pipeline, store, options);
    clock.advance(599_999);
    clock.advance(1);
    await using often = await recordReads(pipeline, store, { ...options, intervalInMs: 1 });
    clock.advance(1);
    expect(written).toEqual([0, 600_000, 600_000, 600_001]);
    await often.close();
  });
});
