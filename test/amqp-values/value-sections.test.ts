import { create, createRegistry } from "@bufbuild/protobuf";
import { type Int64Value, Int64ValueSchema, StringValueSchema } from "@bufbuild/protobuf/wkt";
import {
  bodyType,
  createPipeline,
  type DeserializationOutcome,
  defineMessage,
  type EncodedMessage,
  type PipelineOptions,
  text,
} from "@waybill/core";
import { avro } from "@waybill/serializer-avro";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";
import { protobuf } from "@waybill/serializer-protobuf";
import { xml } from "@waybill/serializer-xml";
import { describe, expect, it } from "vitest";

type Properties = Omit<EncodedMessage, "body">;

const chain = { serializer: msgpack(), additionalDeserializers: [json(), xml()] };
const schema = { type: "object", required: ["id"], properties: { id: { type: "integer" } } } as const;
const none = new Uint8Array(0);

function read(options: PipelineOptions, value: unknown, properties: Properties = {}): DeserializationOutcome {
  const body = value === none ? none : { section: "value" as const, value };
  return createPipeline(options).deserialize({ ...properties, body }) as DeserializationOutcome;
}

describe("a string in a value section", () => {
  it.each<[string, PipelineOptions, string, Properties, unknown]>([
    ["labelled", chain, '{"id":7}', { contentType: "application/json" }, { id: 7 }],
    [
      "labelled in another character set than its own",
      chain,
      "{}",
      { contentType: "text/json;charset=utf-16" },
      {},
    ],
    ["labelled as compressed", chain, "{}", { applicationProperties: { "Content-Encoding": "gzip" } }, {}],
    ["of the only format", { serializer: json() }, "7", {}, 7],
    [
      "of the assumed format",
      { ...chain, contentTypePolicies: { missing: { assume: "json" } } },
      '"a"',
      {},
      "a",
    ],
    ["that is recognised", chain, '[{"id":7}]', {}, [{ id: 7 }]],
    ["of text", { serializer: text() }, "hello", {}, "hello"],
  ])("is read like a body of bytes: %s", (_, options, value, properties, body) => {
    expect(read(options, value, properties)).toMatchObject({
      status: "decoded",
      body,
      report: {
        section: "value",
        serializer: options.additionalDeserializers === undefined ? expect.any(String) : "json",
      },
    });
  });

  it("is refused without evidence, like a body of bytes", () => {
    expect(read(chain, "hello")).toMatchObject({ status: "undeserializable", reason: "NoDeserializer" });
    expect(read({ serializer: json() }, "hello")).toMatchObject({ reason: "DeserializationFailed" });
  });
});

describe("bytes in a value section", () => {
  it("are read like a body of bytes", () => {
    const written = createPipeline(chain).serialize({ body: { id: 7, no: 8 } }) as EncodedMessage;
    expect(read(chain, written.body)).toMatchObject({
      body: { id: 7, no: 8 },
      report: { serializer: "msgpack" },
    });
    expect(read(chain, Uint8Array.of(1, 2, 3))).toMatchObject({ status: "undeserializable" });
  });

  it("have memory of their own inside a value", () => {
    const received = Buffer.from([1, 2, 3, 4, 5]);
    const outcome = read(chain, { picture: received.subarray(1, 3) });
    received.fill(0);
    expect(outcome).toMatchObject({ body: { picture: Uint8Array.of(2, 3) } });
  });
});

describe("a value that needs no serializer", () => {
  it.each<[string, PipelineOptions]>([
    ["a serializer", { serializer: json({ schema }) }],
    [
      "each serializer",
      { serializer: msgpack({ schema: checked }), additionalDeserializers: [json({ schema })] },
    ],
    [
      "the second serializer",
      { serializer: avro({ schema: "string" }), additionalDeserializers: [json({ schema })] },
    ],
    ["the pipeline", { ...chain, schema: checked }],
  ])("is validated by the schema of %s", (_, options) => {
    for (const contentType of [undefined, "application/json"]) {
      expect(read(options, { id: 7 }, { contentType })).toMatchObject({ status: "decoded", body: { id: 7 } });
      expect(read(options, { id: "7" }, { contentType })).toMatchObject({ reason: "ValidationFailed" });
      expect(read(options, null, { contentType })).toMatchObject({ reason: "ValidationFailed" });
      expect(read(options, none, { contentType })).toMatchObject({ reason: "ValidationFailed" });
    }
  });

  it.each(["json", "avro"])("is validated by a message type's schema for %s, and upcast", (format) => {
    const schemas = {
      json: [schema, { type: "object", required: ["key"], properties: { key: { type: "string" } } }],
      avro: [
        { type: "record", name: "Order", fields: [{ name: "id", type: "int" }] },
        { type: "record", name: "Order", fields: [{ name: "key", type: "string" }] },
      ],
    }[format] as [object, object];
    const order = defineMessage("order", {
      version: 2,
      schemas: {
        1: { body: bodyType<{ id: number }>(), [format]: schemas[0] },
        2: { body: bodyType<{ key: string }>(), [format]: schemas[1] },
      },
      upcasters: { 1: ({ id }) => ({ key: String(id) }) },
    });
    const options = { serializer: { json, avro: () => avro({}) }[format as "json"](), messageTypes: [order] };
    const received = (value: unknown, messageVersion: number) =>
      read(options as PipelineOptions, value, {
        subject: "order",
        applicationProperties: { messageVersion },
      });
    expect(received({ id: 7 }, 1)).toMatchObject({ body: { key: "7" }, report: { upcastPath: [1, 2] } });
    expect(received({ id: "7" }, 1)).toMatchObject({ reason: "ValidationFailed" });
    expect(received({ key: 7 }, 2)).toMatchObject({ reason: "ValidationFailed" });
    expect(received(none, 2)).toMatchObject({ status: "undeserializable" });
  });
});

describe("a message of a type whose schema is in the options of a serializer", () => {
  const record = { type: "record", name: "Order", fields: [{ name: "id", type: "int" }] } as const;
  const messageTypes = [defineMessage("order", { version: 1, schemas: { 1: bodyType<{ id: number }>() } })];

  it.each([
    ["json({ schemas })", json({ schemas: { order: schema } })],
    ["avro({ schemas })", avro({ schemas: { order: record } })],
    ["avro({ schema })", avro({ schema: record })],
  ])("is validated by it as a value and without a body: %s", (_, serializer) => {
    const properties = { subject: "order", applicationProperties: { messageVersion: 1 } };
    const options = { serializer, messageTypes };
    expect(read(options, { id: 7 }, properties)).toMatchObject({ body: { id: 7 } });
    for (const value of [{ id: "7" }, null, none])
      expect(read(options, value, properties)).toMatchObject({ reason: "ValidationFailed" });
  });

  it("is converted to a message of the Protobuf type, as from bytes", () => {
    const messageTypes = [
      defineMessage("google.protobuf.Int64Value", {
        version: 1,
        schemas: { 1: { body: bodyType<Int64Value>() } },
      }),
    ];
    const options = { serializer: protobuf({ registry: createRegistry(Int64ValueSchema) }), messageTypes };
    const properties = {
      subject: "google.protobuf.Int64Value",
      applicationProperties: { messageVersion: 1 },
    };
    expect(read(options, { value: 7 }, properties)).toMatchObject({
      body: create(Int64ValueSchema, { value: 7n }),
    });
    expect(read(options, {}, properties)).toMatchObject({ body: create(Int64ValueSchema) });
    for (const value of [{ value: "seven" }, { other: 7 }, null, none])
      expect(read(options, value, properties)).toMatchObject({ reason: "ValidationFailed" });
  });

  it("is validated before the schema of the definition transforms it", () => {
    const dated = (value: unknown) => ({ at: new Date((value as { at: string }).at) });
    const messageTypes = [defineMessage("order", { version: 1, schemas: { 1: { body: dated } } })];
    const at = { type: "record", name: "Order", fields: [{ name: "at", type: "string" }] } as const;
    const properties = { subject: "order", applicationProperties: { messageVersion: 1 } };
    expect(
      read({ serializer: avro({ schema: at }), messageTypes }, { at: "2026-11-28" }, properties),
    ).toMatchObject({
      body: { at: new Date("2026-11-28") },
    });
  });

  it("says nothing about messages without a type, if it is of Avro", () => {
    const options = { serializer: avro({ schema: record }) };
    expect(read(options, none)).toMatchObject({ report: { isEmpty: true } });
    expect(read(options, { no: 7 })).toMatchObject({ body: { no: 7 } });
  });
});

describe("a body of zero bytes", () => {
  it("is the absence of a body in every format, whatever its content type, if the schema accepts that", () => {
    for (const contentType of [undefined, "application/json", "application/xml", "application/vnd.msgpack"]) {
      expect(read(chain, none, { contentType })).toMatchObject({
        status: "decoded",
        body: undefined,
        report: { isEmpty: true },
      });
    }
  });

  it("is a message of defaults under the content type of Protobuf, which writes such a message so", () => {
    const options = { serializer: protobuf({ registry: createRegistry(StringValueSchema) }) };
    const contentType = "application/protobuf; proto=google.protobuf.StringValue";
    const body = create(StringValueSchema);
    expect(createPipeline(options).serialize({ body, contentType })).toMatchObject({ body: none });
    expect(read(options, none, { contentType })).toMatchObject({ body, report: { isEmpty: false } });
    expect(read(options, none)).toMatchObject({ body: undefined, report: { isEmpty: true } });
  });

  it("cannot be sent if a schema of the readers refuses it", () => {
    const pipeline = createPipeline({ serializer: json({ schema }) });
    expect(() => pipeline.serialize({ body: undefined })).toThrow(/serialization-failed.*json: The body/);
    expect(createPipeline(chain).serialize({ body: undefined })).toMatchObject({ body: none });
  });
});

/** A schema for every format. */
function checked(value: unknown): void {
  const { id } = value as { id?: unknown };
  if (!Number.isInteger(id)) throw new TypeError("It has no id.");
}
