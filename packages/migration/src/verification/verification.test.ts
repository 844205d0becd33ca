import { createHash } from "node:crypto";
import { bodyType, createPipeline, defineMessage, type EncodedMessage } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";
import { describe, expect, it } from "vitest";
import { order, orderPlaced, ordersPipeline } from "../../test/orders.js";
import { Verification } from "./verification.js";

const utf8 = new TextEncoder();
const pipeline = createPipeline({ serializer: json(), additionalDeserializers: [msgpack()] });

function labelledJson(text: string): EncodedMessage {
  return { body: utf8.encode(text), contentType: "application/json" };
}

describe("verification", () => {
  it("reports bodies that another deserializer would have read as another value, by digest", async () => {
    const verification = new Verification({ sampleRate: 1 });
    const observed = verification.observe(pipeline);
    // The single byte of this JSON number is also a complete MessagePack number: 55.
    expect(observed.deserialize(labelledJson("7"))).toMatchObject({ body: 7 });
    observed.deserialize(labelledJson('{"order":1}'));
    expect(await verification.report()).toEqual({
      verified: 2,
      ambiguities: [
        {
          messageType: undefined,
          winner: { serializer: "json", version: undefined },
          other: { serializer: "msgpack", version: undefined },
          under: "labelled",
          isHarmless: false,
          count: 1,
          samples: [createHash("sha256").update("7").digest("hex")],
        },
      ],
      uncounted: 0,
    });
  });

  it("reports versions that read one body in two ways", async () => {
    const type = defineMessage("price", {
      version: 2,
      schemas: { 1: bodyType<{ amount: number }>(), 2: bodyType<{ amount: number }>() },
      upcasters: { 1: ({ amount }) => ({ amount: amount * 100 }) },
    });
    const typed = createPipeline({ serializer: json(), messageTypes: [type] });
    const verification = new Verification();
    const message = typed.serialize(type.message({ amount: 5 })) as EncodedMessage;
    await verification.verify(typed, message);
    expect(await verification.report()).toMatchObject({
      verified: 1,
      ambiguities: [
        {
          messageType: "price",
          winner: { serializer: "json", version: 2 },
          other: { serializer: "json", version: 1 },
          under: "version",
          isHarmless: false,
        },
      ],
    });
  });

  it("reports nothing if formats and schemas can be distinguished", async () => {
    const orders = ordersPipeline();
    const verification = new Verification({ sampleRate: 1 });
    const observed = verification.observe(orders);
    for (const [serializer, version] of [
      ["json", 1],
      ["avro", 2],
      ["msgpack", 3],
    ] as const) {
      const message = orders.serialize(orderPlaced.message(order(7)), { writeAs: { serializer, version } });
      observed.deserialize(message as EncodedMessage);
    }
    const { verified, ambiguities } = await verification.report();
    expect(verified).toBe(3);
    expect(ambiguities).toEqual([]);
  });

  it("reports an ambiguity as harmless if both values are the same", async () => {
    const type = defineMessage("note", {
      version: 2,
      schemas: { 1: {}, 2: {} },
      upcasters: { 1: (body) => body },
    });
    const typed = createPipeline({ serializer: json(), messageTypes: [type] });
    const verification = new Verification();
    await verification.verify(typed, typed.serialize(type.message({ text: "a" })) as EncodedMessage);
    expect((await verification.report()).ambiguities).toMatchObject([{ isHarmless: true, under: "version" }]);
  });

  it("is not affected by a handler that changes its value", async () => {
    const verification = new Verification({ sampleRate: 1 });
    const observed = verification.observe(pipeline);
    const outcome = observed.deserialize(labelledJson('{"order":1}'));
    if (!(outcome instanceof Promise) && outcome.status === "decoded")
      Object.assign(outcome.body as object, { order: 2 });
    expect(await verification.report()).toMatchObject({ verified: 1, ambiguities: [] });
  });

  it("tries no other version if the version is in an envelope", async () => {
    const type = defineMessage("note", {
      version: 2,
      schemas: { 1: {}, 2: {} },
      upcasters: { 1: () => "old" },
    });
    const enveloped = createPipeline({
      serializer: json(),
      messageTypes: [type],
      messageTypeResolver: {
        identify: () => undefined,
        stamp: () => ({}),
        wrap: (body, { version }) => ({ version, body }),
        open: (envelope) => ({ ...(envelope as { version: number; body: unknown }), messageType: "note" }),
      },
    });
    const verification = new Verification();
    await verification.verify(enveloped, enveloped.serialize(type.message({ text: "a" })) as EncodedMessage);
    expect(await verification.report()).toMatchObject({ verified: 1, ambiguities: [] });
  });

  it("ignores undeserializable messages, and bodies that no serializer read", async () => {
    const verification = new Verification({ sampleRate: 1 });
    const observed = verification.observe(pipeline);
    observed.deserialize(labelledJson("{"));
    observed.deserialize({ body: { section: "value", value: 1 } });
    expect(await verification.report()).toEqual({ verified: 0, ambiguities: [], uncounted: 0 });
  });

  it("keeps a bounded number of ambiguities and digests", async () => {
    const verification = new Verification({ maxAmbiguities: 1, maxSamples: 2 });
    for (const text of ["1", "2", "3"]) await verification.verify(pipeline, labelledJson(text));
    const packed = pipeline.serialize({ body: 55, contentType: "application/vnd.msgpack" }) as EncodedMessage;
    await verification.verify(pipeline, packed);
    const { ambiguities, uncounted } = await verification.report();
    expect(ambiguities).toMatchObject([{ count: 3, samples: { length: 2 } }]);
    expect(uncounted).toBe(1);
  });

  it("has no cost at a rate of 0: it returns the same pipeline", () => {
    expect(new Verification({ sampleRate: 0 }).observe(pipeline)).toBe(pipeline);
    expect(() => new Verification({ sampleRate: -1 })).toThrow(TypeError);
  });

  it("verifies messages that asynchronous pipelines read", async () => {
    const slow = {
      ...json(),
      deserialize: async (...args: Parameters<ReturnType<typeof json>["deserialize"]>) =>
        json().deserialize(...args),
    };
    const verification = new Verification({ sampleRate: 1 });
    const observed = verification.observe(
      createPipeline({ serializer: slow, additionalDeserializers: [msgpack()] }),
    );
    await observed.deserialize(labelledJson("7"));
    expect((await verification.report()).ambiguities).toHaveLength(1);
  });
});
