import { createPipeline, type EncodedMessage, type Pipeline, type Serializer } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { openDeadLetters } from "./dead-letters.test-support.js";
import { rehearseRepair } from "./rehearse-repair.js";

const from = { queue: "orders" };
const event = { id: 1, at: new Date("2026-11-05T12:00:00Z") };

/** A chain that reads MessagePack and writes JSON, which has no dates. */
function towardsJson(options: Partial<Parameters<typeof createPipeline>[0]> = {}): Pipeline {
  return createPipeline({ serializer: json(), additionalDeserializers: [msgpack()], ...options });
}

function written(body: unknown): EncodedMessage {
  return {
    ...(createPipeline({ serializer: msgpack() }).serialize({ body }) as EncodedMessage),
    messageId: "dated",
  };
}

describe("a repair that writes bodies again", () => {
  it("leaves a readable message where it is, if it could not be read as it would be sent", async () => {
    const pipeline = towardsJson({ schema: z.object({ id: z.number(), at: z.date() }) });
    await using fixture = await openDeadLetters([written(event)]);
    const options = { transport: fixture.transport, pipeline, from, body: "transcode" } as const;
    expect(await rehearseRepair(options)).toMatchObject({ skipped: { "would-be-unreadable": 1 } });
    expect(await fixture.repair(options)).toMatchObject({
      resubmitted: 0,
      skipped: { "would-be-unreadable": 1 },
    });
    expect(await fixture.dead()).toMatchObject([{ contentType: "application/vnd.msgpack" }]);
    expect(await fixture.waiting()).toEqual([]);
  });

  it("leaves it also if its readers would get another value", async () => {
    await using fixture = await openDeadLetters([written(event), written({ id: 2 })]);
    const options = {
      transport: fixture.transport,
      pipeline: towardsJson(),
      from,
      body: "transcode",
    } as const;
    expect(await rehearseRepair(options)).toMatchObject({ resubmittable: 1, skipped: { "would-differ": 1 } });
    expect(await fixture.repair(options)).toMatchObject({ resubmitted: 1, skipped: { "would-differ": 1 } });
    expect(await fixture.dead()).toHaveLength(1);
  });

  it("sends what only leaves out an undefined field", async () => {
    await using fixture = await openDeadLetters([written({ id: 3, note: undefined })]);
    const options = { pipeline: towardsJson(), body: "transcode" } as const;
    expect(await fixture.repair(options)).toMatchObject({ resubmitted: 1, skipped: {} });
  });

  it("stores no claim check for its dry run", async () => {
    const stored = new Map<string, Uint8Array>();
    const store = {
      put: async (key: string, bytes: Uint8Array) => void stored.set(key, bytes),
      get: async (key: string) => stored.get(key),
      delete: async (key: string) => void stored.delete(key),
    };
    const pipeline = towardsJson({ claimCheck: { store, minBytes: 1 } });
    await using fixture = await openDeadLetters([written({ id: 4 })]);
    const options = { transport: fixture.transport, pipeline, from, body: "transcode" } as const;
    expect(await rehearseRepair(options)).toMatchObject({ resubmittable: 1 });
    expect(stored.size).toBe(0);
    expect(await fixture.repair(options)).toMatchObject({ resubmitted: 1 });
    expect(stored.size).toBe(1);
  });
});

describe("a repair that sends the original bytes", () => {
  it("leaves a readable message where it is, if a property that the repair changes belongs to how it is read", async () => {
    const byProperty: Serializer = {
      ...json(),
      name: "by-property",
      mediaTypes: ["application/x-by-property"],
      detection: "label",
      leadingBytes: [],
      identifies: (properties) => properties["waybill-resubmits"] !== undefined,
    };
    const reader = towardsJson({
      additionalDeserializers: [msgpack(), byProperty],
      contentTypePolicies: { mismatch: "reject" },
    });
    await using fixture = await openDeadLetters([written({ id: 5 })]);
    const [letter] = await fixture.dead();
    expect(await reader.deserialize(letter as EncodedMessage)).toMatchObject({ status: "decoded" });
    expect(await fixture.repair({ pipeline: reader })).toMatchObject({
      resubmitted: 0,
      skipped: { "would-be-unreadable": 1 },
    });
  });
});
