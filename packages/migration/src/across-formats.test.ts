import { createPipeline, defineMessage, type EncodedMessage, type Serializer } from "@waybill/core";
import type { VersionSchemas } from "@waybill/core/pipeline";
import { avro } from "@waybill/serializer-avro";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { order, orderPlaced, ordersPipeline } from "../test/orders.js";

describe("one message type in three formats", () => {
  const pipeline = ordersPipeline();
  const write = (serializer: string, version: number) =>
    pipeline.serialize(orderPlaced.message(order(7)), { writeAs: { serializer, version } }) as EncodedMessage;

  it.each([
    { serializer: "json", version: 1, contentType: "application/json", upcastPath: [1, 2, 3] },
    { serializer: "avro", version: 2, contentType: "application/avro", upcastPath: [2, 3] },
    { serializer: "msgpack", version: 3, contentType: "application/vnd.msgpack", upcastPath: [] },
  ])("is written as $serializer version $version and read as the current one", (target) => {
    const { serializer, version, contentType, upcastPath } = target;
    const message = write(serializer, version);
    expect(message).toMatchObject({
      subject: "order-placed",
      contentType,
      applicationProperties: { messageVersion: version },
    });
    const expected = {
      status: "decoded",
      body: order(7),
      report: { serializer, messageVersion: version, upcastPath },
    };
    expect(pipeline.deserialize(message)).toMatchObject(expected);
    expect(pipeline.deserialize({ ...message, contentType: undefined })).toMatchObject(expected);
  });

  it("is read as the same value from every format and version, with or without a content type", () => {
    const orders = fc.record({ id: fc.nat(), cents: fc.nat({ max: 2 ** 40 }) });
    const targets = fc.constantFrom(
      { serializer: "json", version: 1 },
      { serializer: "avro", version: 2 },
      { serializer: "msgpack", version: 3 },
    );
    fc.assert(
      fc.property(orders, targets, fc.boolean(), ({ id, cents }, writeAs, isLabelled) => {
        const message = pipeline.serialize(orderPlaced.message(order(id, cents)), {
          writeAs,
        }) as EncodedMessage;
        const received = isLabelled ? message : { ...message, contentType: undefined };
        expect(pipeline.deserialize(received)).toMatchObject({ status: "decoded", body: order(id, cents) });
      }),
    );
  });

  it("uses the writer's schema of the definition: a body that breaks it is not upcast", () => {
    const broken = { ...write("json", 1), body: new TextEncoder().encode('{"id":"7","total":"1"}') };
    expect(pipeline.deserialize(broken)).toMatchObject({ reason: "ValidationFailed" });
    const mislabelled = { ...write("avro", 2), applicationProperties: { messageVersion: 1 } };
    expect(pipeline.deserialize(mislabelled)).toMatchObject({ reason: "DeserializationFailed" });
  });

  it("refuses to write a value that the target's schema does not allow", () => {
    const tooMuch = orderPlaced.message(order(2 ** 40));
    expect(() => pipeline.serialize(tooMuch, { writeAs: { serializer: "avro", version: 2 } })).toThrow(
      '[serialization-failed] avro: The value does not fit the Avro schema: "id" is a value of kind number where int is expected.',
    );
  });
});

describe("the schemas of a definition", () => {
  const idSchema = { type: "record", name: "A", fields: [{ name: "id", type: "int" }] };

  it.each<[string, Serializer, VersionSchemas, string]>([
    ["JSON", json(), { json: { type: "nothing" } }, 'The schema of "a" version 1 does not compile: json:'],
    [
      "Avro",
      avro(),
      { avro: { type: "record" } },
      'The schema of "a" version 1 does not compile: avro: the selected schema:',
    ],
    [
      "raw Avro without a schema id",
      avro({ framing: "raw" }),
      { avro: idSchema },
      "needs a schemaId on each schema",
    ],
    ["MessagePack", msgpack(), { msgpack: {} }, "A schema must be a Standard Schema or a function"],
  ])("are compiled when the pipeline is created: %s", (_, serializer, schemas, text) => {
    const type = defineMessage("a", { version: 1, schemas: { 1: schemas } });
    expect(() => createPipeline({ serializer, messageTypes: [type] })).toThrow(TypeError);
    expect(() => createPipeline({ serializer, messageTypes: [type] })).toThrow(text);
  });

  it("give raw Avro its schema id, and its older writers' schemas", () => {
    const avroSchema = { schema: idSchema, schemaId: "s7", writerSchemas: [{ ...idSchema, doc: "older" }] };
    const type = defineMessage("a", { version: 1, schemas: { 1: { avro: avroSchema } } });
    const raw = createPipeline({ serializer: avro({ framing: "raw" }), messageTypes: [type] });
    const message = raw.serialize(type.message({ id: 5 })) as EncodedMessage;
    expect(message.contentType).toBe("avro/binary+s7");
    expect(raw.deserialize(message)).toMatchObject({ body: { id: 5 } });
  });

  it("override those of the serializer's options", () => {
    const type = defineMessage("a", { version: 1, schemas: { 1: { json: { required: ["id"] } } } });
    const typed = createPipeline({ serializer: json({ schema: false }), messageTypes: [type] });
    expect(typed.serialize(type.message({ id: 1 }))).toMatchObject({ contentType: "application/json" });
    expect(() => typed.serialize(type.message({}))).toThrow(
      'The body breaks "required" of its schema at its root.',
    );
    expect(() => typed.serialize({ body: {} })).toThrow("its schema");
  });

  it.each<[string, Serializer, VersionSchemas, string]>([
    ["JSON", json(), { json: { required: ["id"] } }, 'The body breaks "required" of its schema at its root.'],
    [
      "Avro",
      avro(),
      { avro: idSchema },
      'The value does not fit the Avro schema: "id" is missing where int is expected.',
    ],
  ])("check upcast bodies: %s", (_, serializer, schemas, text) => {
    const type = defineMessage("a", {
      version: 2,
      schemas: { 1: { avro: "string" }, 2: schemas },
      upcasters: { 1: (body) => (body === "good" ? { id: 1 } : {}) },
      downcasters: { 2: (body) => body },
    });
    const old = createPipeline({
      serializer,
      messageTypes: [defineMessage("a", { version: 1, schemas: { 1: { avro: "string" } } })],
    });
    const typed = createPipeline({ serializer, messageTypes: [type] });
    const read = (body: string) => typed.deserialize(old.serialize({ subject: "a", body }) as EncodedMessage);
    expect(read("good")).toMatchObject({ status: "decoded", body: { id: 1 } });
    expect(read("bad")).toMatchObject({
      reason: "UpcastFailed",
      report: {
        attempts: [
          {
            stage: "upcast",
            reason: "upcast-invalid",
            detail: `Upcast to version 2, the body does not fit: ${text}`,
          },
        ],
      },
    });
  });
});
