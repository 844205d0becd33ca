import { deflateSync } from "node:zlib";
import { createRegistry } from "@bufbuild/protobuf";
import { SourceCodeInfo_LocationSchema, StringValueSchema } from "@bufbuild/protobuf/wkt";
import { createPipeline, type Serializer } from "@waybill/core";
import { avro } from "@waybill/serializer-avro";
import { json } from "@waybill/serializer-json";
import { protobuf } from "@waybill/serializer-protobuf";
import { describe, expect, it } from "vitest";
import { bytes, memorySource, order, orderPayload, orderSchema, read } from "../order.test-support.js";
import { readIndexes, writeIndexes } from "../serializers/proto-messages.js";
import { registryAvro } from "../serializers/registry-avro.js";
import { registryJson } from "../serializers/registry-json.js";
import { registryProtobuf } from "../serializers/registry-protobuf.js";
import { apicurioRegistry } from "../sources/apicurio-registry.js";
import type { SchemaFraming } from "../sources/schema-source.js";
import { diagnoseFraming } from "./diagnose-framing.js";

const guid = "89791762-2336-4186-9674-299b90a802e2";
const beta = "0123456789abcdef0123456789abcdef";
const definition = JSON.stringify(orderSchema);
const schemas = {
  7: { definition, format: "avro" },
  [guid]: { definition, format: "avro" },
  [beta]: { definition, format: "avro" },
  "globalId:9": { definition },
  8: { definition: '{"type":"object"}', format: "json" },
} as const;

function reader(...framings: readonly SchemaFraming[]): Serializer {
  return registryAvro(avro, { source: memorySource(schemas, framings) });
}

describe("bodies that identify their schema", () => {
  const betaHex = Buffer.from(beta).toString("hex");
  it.each([
    ["confluent", bytes("00 00000007"), {}],
    ["confluent-guid", bytes(`01 ${guid.replaceAll("-", "")}`), {}],
    [
      "confluent-header",
      orderPayload,
      { __value_schema_id: bytes(`01 ${guid.replaceAll("-", "")}`, new Uint8Array()) },
    ],
    ["apicurio", bytes("00 00000007"), {}],
    ["apicurio-8-byte", bytes("00 0000000000000007"), {}],
    ["apicurio-header", orderPayload, { "apicurio.value.contentId": 7n }],
    [
      "apicurio-header",
      orderPayload,
      { "apicurio.value.globalId": bytes("0000000000000009", new Uint8Array()) },
    ],
    ["azure-beta", bytes(`00000000 ${betaHex}`), {}],
    ["glue", bytes(`0300 ${guid.replaceAll("-", "")}`), {}],
    ["glue", bytes(`0305 ${guid.replaceAll("-", "")}`, deflateSync(orderPayload)), {}],
  ] as const)(
    "in %s framing are read without a content type",
    async (framing, body, applicationProperties) => {
      const pipeline = createPipeline({ serializer: json(), additionalDeserializers: [reader(framing)] });
      expect(await read(pipeline, { body, applicationProperties })).toMatchObject({
        status: "decoded",
        body: order,
      });
    },
  );

  it("are read by the serializer of their schema's format, if several share a framing", async () => {
    const source = memorySource(schemas, ["confluent"]);
    const pipeline = createPipeline({
      serializer: registryAvro(avro, { source }),
      additionalDeserializers: [registryJson(json, { source })],
    });
    expect(await read(pipeline, { body: bytes("00 00000007") })).toMatchObject({ body: order });
    expect(await read(pipeline, { body: bytes("00 00000008", Buffer.from('{"a":1}')) })).toMatchObject({
      body: { a: 1 },
      report: { serializer: "json", attempts: [{ serializer: "avro", reason: "schema-unknown" }] },
    });
  });

  it("are written as they are read", async () => {
    for (const [framing, schemaId] of [
      ["confluent", 7],
      ["confluent-guid", guid],
      ["apicurio", 7],
    ] as const) {
      const source = memorySource(schemas, [framing]);
      const pipeline = createPipeline({
        serializer: registryAvro(avro, { source, schema: { schema: orderSchema, schemaId } }),
      });
      const message = await pipeline.serialize({ body: order });
      expect(message.contentType).toBe("application/avro");
      expect(await read(pipeline, { ...message, contentType: undefined })).toMatchObject({ body: order });
    }
  });

  it("are read with ids of four and of eight bytes by the default framings of Apicurio", async () => {
    const { framings } = apicurioRegistry({ url: "http://127.0.0.1" });
    const pipeline = createPipeline({ serializer: reader(...framings) });
    for (const id of ["00 00000007", "00 0000000000000007"])
      expect(await read(pipeline, { body: bytes(id) })).toMatchObject({ body: order });
  });

  it("are refused if bytes follow their zlib data", async () => {
    const body = bytes(
      `0305 ${guid.replaceAll("-", "")}`,
      Buffer.concat([deflateSync(orderPayload), Buffer.from("tail")]),
    );
    expect(await read(createPipeline({ serializer: reader("glue") }), { body })).toMatchObject({
      report: { attempts: [{ reason: "compression-corrupt" }] },
    });
  });

  it("are refused if the content type has a path instead of an id, without asking the registry", async () => {
    const source = memorySource({ "..": { definition, format: "avro" } }, ["azure"]);
    const pipeline = createPipeline({ serializer: registryAvro(avro, { source }) });
    for (const id of ["..", "%2e%2e", "."]) {
      const outcome = await read(pipeline, { body: orderPayload, contentType: `avro/binary+${id}` });
      expect(outcome).toMatchObject({
        status: "undeserializable",
        report: { attempts: [{ reason: "schema-unknown" }] },
      });
    }
    expect(source.asked).toEqual([]);
  });

  it("are refused if they are zip bombs", async () => {
    const bomb = deflateSync(new Uint8Array(20_000_000));
    const outcome = await read(createPipeline({ serializer: reader("glue") }), {
      body: bytes(`0305 ${guid.replaceAll("-", "")}`, bomb),
    });
    expect(outcome).toMatchObject({ report: { attempts: [{ reason: "decompressed-too-large" }] } });
  });
});

describe("bytes that fit two framings", () => {
  const both = bytes(`00000000 ${Buffer.from(beta).toString("hex")}`);

  it("are distinguished only by configuration", async () => {
    const attempt = async (...framings: SchemaFraming[]) => {
      const { report } = await read(createPipeline({ serializer: reader(...framings) }), { body: both });
      return report.attempts[0]?.detail;
    };
    expect(await attempt("azure-beta", "confluent")).toBeUndefined();
    expect(await attempt("confluent", "azure-beta")).toBe(
      'the test registry has no schema with the id "48". It was read in confluent or azure-beta framing, but looks like ' +
        "Confluent id 48 (Apicurio's bytes are the same) or Azure's beta preamble.",
    );
    expect(await attempt("glue")).toBe(
      "The body has no schema id in glue framing. It looks like Confluent id 48 (Apicurio's bytes are the same) or Azure's beta preamble.",
    );
  });

  it("refuses two framings with the same bytes in one configuration", () => {
    expect(() => reader("confluent", "apicurio")).toThrow("whose bytes are the same");
  });

  it.each([
    [bytes("00 0000002a"), "Confluent id 42 (Apicurio's bytes are the same)"],
    [bytes(`0300 ${guid.replaceAll("-", "")}`), "AWS Glue"],
    [bytes(`01 ${guid.replaceAll("-", "")}`), "Confluent's GUID framing"],
    [Buffer.from('{"a":1}'), undefined],
    [Uint8Array.of(0, 0, 0), undefined],
  ])("diagnoseFraming: case %#", (body, expected) => expect(diagnoseFraming(body)).toBe(expected));
});

it("reads and writes the message indexes of Confluent's own tests", () => {
  // Source: confluent-kafka-javascript 039f8a1, schemaregistry/test/serde/serde.spec.ts.
  const indexes = Uint8Array.of(0x06, 0x02, 0x04, 0x06);
  expect(readIndexes(indexes)).toEqual({ indexes: "1,2,3", end: 4 });
  expect(writeIndexes("1,2,3")).toEqual(indexes);
});

describe("Protobuf", () => {
  const source = `syntax = "proto3";
    // message Comment { }
    package google.protobuf;
    message Any { string text = 1; message Inner { } enum Kind { A = 0; } }
    message SourceCodeInfo { option deprecated = false; message Location { repeated int32 path = 1; } }
    message StringValue { string value = 1; }`;
  const settings = { registry: createRegistry(StringValueSchema, SourceCodeInfo_LocationSchema) };
  const registry = (id: string) =>
    memorySource({ [id]: { definition: source, format: "protobuf" } }, ["confluent"]);

  it("is read by its message indexes, nested ones and the short form of the first", async () => {
    const pipeline = createPipeline({
      serializer: registryProtobuf(protobuf, { source: registry("7"), settings }),
    });
    const nested = bytes("00 00000007 04 02 00", Uint8Array.of(0x0a, 0x01, 0x05));
    expect(await read(pipeline, { body: nested })).toMatchObject({ body: { path: [5] } });
    const third = bytes("00 00000007 02 04", Uint8Array.of(0x0a, 0x01, 0x61));
    expect(await read(pipeline, { body: third })).toMatchObject({ body: { value: "a" } });
    const unknown = bytes("00 00000007 00", Uint8Array.of(0x0a, 0x01, 0x61));
    expect(await read(pipeline, { body: unknown })).toMatchObject({
      report: { attempts: [{ reason: "schema-unknown" }] },
    });
    const outside = bytes("00 00000007 02 62", new Uint8Array());
    expect(await read(pipeline, { body: outside })).toMatchObject({
      report: { attempts: [{ reason: "schema-unknown" }] },
    });
  });

  it("is written with its message indexes", async () => {
    const typed = { ...registry("7"), findId: async () => "7" };
    const serializer = registryProtobuf(protobuf, {
      source: typed,
      settings,
      sources: { "google.protobuf.SourceCodeInfo.Location": source },
    });
    const pipeline = createPipeline({ serializer });
    const message = await pipeline.serialize({
      subject: "google.protobuf.SourceCodeInfo.Location",
      body: { path: [5] },
    });
    expect(message.body).toEqual(bytes("00 00000007 04 02 00", Uint8Array.of(0x0a, 0x01, 0x05)));
    expect(await read(pipeline, message)).toMatchObject({ body: { path: [5] } });
  });
});
