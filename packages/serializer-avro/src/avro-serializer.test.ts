import assert from "node:assert/strict";
import { WaybillError } from "@waybill/core";
import { describe, expect, it } from "vitest";
import { avro } from "./avro-serializer.js";
import { contextOf, errorOf, read, roundTrip, write } from "./messages.test-support.js";
import type { AvroSchema } from "./schema/normalize-schema.js";

const orderV1 = {
  type: "record",
  name: "Order",
  namespace: "shop",
  fields: [
    { name: "id", type: "string" },
    { name: "amount", type: "int" },
    { name: "legacyCode", type: "string" },
  ],
} as const;
const orderV2 = {
  type: "record",
  name: "Order",
  namespace: "shop",
  fields: [
    { name: "id", type: "string" },
    { name: "total", type: "double", aliases: ["amount"] },
    { name: "lines", type: { type: "array", items: "string" }, default: ["none"] },
    { name: "note", type: ["null", "string"], default: null },
  ],
} as const;
const customer = { type: "record", name: "Customer", fields: [{ name: "name", type: "string" }] } as const;

const v1Value = { id: "A-1042", amount: 12, legacyCode: "x" };
const v1AsV2 = { id: "A-1042", total: 12, lines: ["none"], note: null };

describe("single-object encoding", () => {
  it("writes the marker, the fingerprint in little-endian order, and the value", () => {
    const serializer = avro({ schema: "string" });
    const { bytes, contentType } = serializer.serialize("A", contextOf()) as {
      bytes: Uint8Array;
      contentType: string;
    };
    expect(Buffer.from(bytes).toString("hex")).toBe("c301c7034563724801" + "8f" + "0241");
    expect(contentType).toBe("application/avro");
  });

  it("is recognised without a content type", () => {
    const serializer = avro({ schema: orderV1 });
    expect(serializer.detection).toBe("magic");
    expect(serializer.leadingBytes).toEqual([0xc3]);
    expect(read(serializer, write(serializer, v1Value), { isDeclared: false })).toEqual(v1Value);
  });

  it("reads a body of an older schema as the newest", () => {
    const body = write(avro({ schema: orderV1 }), v1Value);
    assert.deepStrictEqual(read(avro({ schema: orderV2, writerSchemas: [orderV1] }), body), v1AsV2);
  });

  it("also reads a body of a newer schema that is known", () => {
    const withDefaults = {
      ...orderV1,
      fields: orderV1.fields.map((field) =>
        field.name === "id" ? field : { ...field, default: field.type === "int" ? 0 : "" },
      ),
    };
    const newer = { ...orderV2, fields: orderV2.fields.filter(({ name }) => name !== "total") };
    const body = write(avro({ schema: newer }), { id: "A", lines: ["a", "b"], note: "n" });
    expect(read(avro({ schema: withDefaults, writerSchemas: [newer] }), body)).toEqual({
      id: "A",
      amount: 0,
      legacyCode: "",
    });
  });

  it("refuses only the bodies whose enum symbol the reader lacks, unless the enum has a default", () => {
    const status = (symbols: readonly string[], attributes = {}) =>
      ({
        type: "record",
        name: "Order",
        fields: [{ name: "status", type: { type: "enum", name: "Status", symbols, ...attributes } }],
      }) as const;
    const writer = status(["NEW", "LOST", "SHIPPED"]);
    const body = (symbol: string) => write(avro({ schema: writer }), { status: symbol });
    const strict = avro({ schema: status(["SHIPPED", "NEW"]), writerSchemas: [writer] });
    expect(read(strict, body("SHIPPED"))).toEqual({ status: "SHIPPED" });
    expect(errorOf(() => read(strict, body("LOST")))).toMatchObject({
      reason: "schema-violation",
      message: expect.stringContaining("an enum symbol that the reader schema does not have (offset 10)"),
    });
    const lenient = avro({ schema: status(["OTHER", "NEW"], { default: "OTHER" }), writerSchemas: [writer] });
    expect(["NEW", "LOST", "SHIPPED"].map((symbol) => read(lenient, body(symbol)))).toEqual([
      { status: "NEW" },
      { status: "OTHER" },
      { status: "OTHER" },
    ]);
    const other = {
      ...writer,
      fields: [{ name: "status", type: { type: "enum", name: "Other", symbols: ["NEW"] } }],
    };
    expect(() => avro({ schema: writer, writerSchemas: [other] })).toThrow("cannot be read");
    expect(errorOf(() => read(lenient, Uint8Array.of(...body("NEW").subarray(0, 10), 6)))).toMatchObject({
      reason: "value-out-of-range",
    });
  });

  it("refuses an unknown schema", () => {
    const error = errorOf(() => read(avro({ schema: orderV2 }), write(avro({ schema: orderV1 }), v1Value)));
    expect(error).toBeInstanceOf(WaybillError);
    expect(error.reason).toBe("schema-unknown");
    expect(error.message).toContain("fingerprint 0x");
  });

  it("refuses a body without a header, declared or not", () => {
    const serializer = avro({ schema: "string" });
    for (const isDeclared of [true, false])
      expect(errorOf(() => read(serializer, Uint8Array.of(2, 0x41), { isDeclared })).reason).toBe(
        "identity-missing",
      );
    expect(errorOf(() => read(serializer, new Uint8Array(0))).reason).toBe("identity-missing");
  });
});

describe("schemas by message type", () => {
  const serializer = avro({
    schemas: { order: { schema: orderV2, writerSchemas: [orderV1] }, customer, alias: customer },
  });

  it("writes and reads each type with its own schema", () => {
    expect(roundTrip(serializer, { name: "Zoë" }, { messageType: "customer" })).toEqual({ name: "Zoë" });
    const order = { id: "A", total: 1.5, lines: [], note: null };
    expect(roundTrip(serializer, order, { messageType: "order" })).toEqual(order);
  });

  it("finds the schema by the fingerprint when the message has no type or another one", () => {
    const body = write(avro({ schema: orderV1 }), v1Value);
    expect(read(serializer, body)).toEqual(v1AsV2);
    expect(read(serializer, body, { messageType: "somethingElse" })).toEqual(v1AsV2);
  });

  it("refuses a fingerprint of several message types if the message does not have one of them", () => {
    const body = write(avro({ schema: customer }), { name: "Zoë" });
    const error = errorOf(() => read(serializer, body));
    expect(error.reason).toBe("schema-unknown");
    expect(error.message).toContain("belongs to 2 message types");
  });

  it("refuses a body of another message type's schema", () => {
    const body = write(avro({ schema: orderV1 }), v1Value);
    expect(errorOf(() => read(serializer, body, { messageType: "customer" })).reason).toBe("schema-unknown");
  });

  it("refuses to write a message type that has no schema", () => {
    const error = errorOf(() => write(serializer, {}, { messageType: "__proto__" }));
    expect(error.code).toBe("serialization-failed");
    expect(error.message).toContain('no schema for the message type "__proto__"');
  });
});

describe("schemas by a function", () => {
  it("calls it for every message and compiles each schema once", () => {
    const asked: (string | undefined)[] = [];
    const serializer = avro({
      schemas({ messageType }) {
        asked.push(messageType);
        return messageType === "customer" ? customer : messageType === "text" ? "string" : undefined;
      },
    });
    expect(roundTrip(serializer, { name: "Zoë" }, { messageType: "customer" })).toEqual({ name: "Zoë" });
    expect(roundTrip(serializer, "A", { messageType: "text" })).toBe("A");
    expect(asked).toEqual(["customer", "customer", "text", "text"]);
    expect(errorOf(() => write(serializer, "A")).code).toBe("serialization-failed");
    expect(errorOf(() => read(serializer, write(avro({ schema: "string" }), "A"))).reason).toBe(
      "schema-unknown",
    );
  });
});

describe("raw bodies", () => {
  const raw = avro({ schema: orderV1, schemaId: "AbC123", framing: "raw" });

  it("are written with a content type that has the schema id, in the same letter case", () => {
    const body = raw.serialize(v1Value, contextOf()) as { bytes: Uint8Array; contentType: string };
    expect(body.contentType).toBe("avro/binary+AbC123");
    expect(body.bytes[0]).toBe(12);
    expect(read(raw, body.bytes, { schemaId: "AbC123" })).toEqual(v1Value);
  });

  it("are read with the known schema of the id", () => {
    const reader = avro({ schema: orderV2, writerSchemas: [{ schema: orderV1, schemaId: "AbC123" }] });
    expect(read(reader, write(raw, v1Value), { schemaId: "AbC123" })).toEqual(v1AsV2);
    expect(errorOf(() => read(reader, write(raw, v1Value), { schemaId: "abc123" })).reason).toBe(
      "schema-unknown",
    );
  });

  it("are read with a schema from the source, which is called once per id", async () => {
    let count = 0;
    const reader = avro({
      schema: orderV2,
      schemaById: async (id) => {
        count++;
        return id === "AbC123" ? JSON.stringify(orderV1) : undefined;
      },
    });
    const body = write(raw, v1Value);
    const both = [read(reader, body, { schemaId: "AbC123" }), read(reader, body, { schemaId: "AbC123" })];
    expect(await Promise.all(both)).toEqual([v1AsV2, v1AsV2]);
    expect(read(reader, body, { schemaId: "AbC123" })).toEqual(v1AsV2);
    expect(count).toBe(1);
    await expect(read(reader, body, { schemaId: "other" })).rejects.toMatchObject({
      reason: "schema-unknown",
    });
  });

  it("are read synchronously if the source returns synchronously", () => {
    const reader = avro({ schema: orderV2, schemaById: () => orderV1 });
    expect(read(reader, write(raw, v1Value), { schemaId: "AbC123" })).toEqual(v1AsV2);
  });

  it("are unavailable while the source fails", async () => {
    const failing = [
      () => Promise.reject(new Error("ECONNREFUSED")),
      () => {
        throw new Error("ECONNREFUSED");
      },
    ];
    for (const schemaById of failing) {
      const reader = avro({ schema: orderV2, schemaById });
      const attempt = async () => read(reader, write(raw, v1Value), { schemaId: "AbC123" });
      await expect(attempt()).rejects.toMatchObject({
        code: "unavailable",
        reason: "unavailable",
        retryable: true,
      });
    }
  });

  it("call the source again after it failed", async () => {
    let isDown = true;
    const reader = avro({
      schema: orderV2,
      schemaById: async () => {
        if (isDown) throw new Error("ECONNREFUSED");
        return orderV1;
      },
    });
    const attempt = async () => read(reader, write(raw, v1Value), { schemaId: "1" });
    await expect(attempt()).rejects.toMatchObject({ reason: "unavailable" });
    isDown = false;
    expect(await attempt()).toEqual(v1AsV2);
  });

  it("stop waiting for the source when the caller aborts", async () => {
    const controller = new AbortController();
    const reader = avro({ schema: orderV2, schemaById: () => new Promise(() => {}) });
    const waiting = read(reader, write(raw, v1Value), { schemaId: "1", signal: controller.signal });
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ code: "aborted" });
  });

  it("are refused if the source's schema is invalid or cannot be resolved", () => {
    const invalid = avro({ schema: orderV2, schemaById: () => ({ type: "record", name: "Order" }) });
    expect(errorOf(() => read(invalid, write(raw, v1Value), { schemaId: "1" })).reason).toBe(
      "schema-unknown",
    );
    const foreign = avro({ schema: orderV2, schemaById: () => customer });
    const failure = errorOf(() => read(foreign, write(raw, v1Value), { schemaId: "1" }));
    expect(failure.reason).toBe("schema-violation");
    expect(failure.message).toMatch(
      /The schema of the Avro body does not fit: the schema cannot be read as the reader schema: /,
    );
  });

  it("of several schemas are read with the reader schema of the same name", () => {
    const reader = avro({ schemas: { order: orderV2, customer }, schemaById: () => orderV1 });
    expect(read(reader, write(raw, v1Value), { schemaId: "1" })).toEqual(v1AsV2);
  });

  it("without an id are read only with unframedBodies accept", () => {
    const body = write(raw, v1Value);
    const accepting = avro({ schema: orderV1, unframedBodies: "accept" });
    expect(read(accepting, body)).toEqual(v1Value);
    expect(errorOf(() => read(accepting, body, { isDeclared: false })).reason).toBe("identity-missing");
    const headerOfAnother = write(avro({ schema: customer }), { name: "Zoë" });
    expect(errorOf(() => read(accepting, headerOfAnother)).reason).toBe("schema-unknown");
  });
});

describe("Confluent framing", () => {
  const confluent = avro({ schema: orderV1, schemaId: 258, framing: "confluent" });

  it("writes a zero byte, the id in big-endian order, and the value", () => {
    expect([...write(confluent, v1Value).subarray(0, 6)]).toEqual([0, 0, 0, 1, 2, 12]);
    expect(confluent.leadingBytes).toEqual([0xc3, 0x00]);
    expect(roundTrip(confluent, v1Value, { isDeclared: false })).toEqual(v1Value);
  });

  it("is read only if configured", () => {
    const body = write(confluent, v1Value);
    expect(errorOf(() => read(avro({ schema: orderV1, schemaId: 258 }), body)).reason).toBe(
      "identity-missing",
    );
    const reader = avro({
      schema: orderV2,
      acceptsConfluent: true,
      schemaById: (id) => (id === "258" ? orderV1 : undefined),
    });
    expect(read(reader, body)).toEqual(v1AsV2);
  });

  it("refuses an unknown id, and a truncated header", () => {
    expect(errorOf(() => read(confluent, Uint8Array.of(0, 0, 0, 0, 9, 2, 65))).reason).toBe("schema-unknown");
    expect(errorOf(() => read(confluent, Uint8Array.of(0, 0, 0))).reason).toBe("identity-missing");
  });
});

describe("options", () => {
  const refused: [string, () => unknown, RegExp][] = [
    [
      "both schema and schemas",
      () => avro({ schema: "int", schemas: {} } as never),
      /either schema or schemas/,
    ],
    [
      "Confluent framing together with unframed bodies",
      () => avro({ schema: "int", acceptsConfluent: true, unframedBodies: "accept" }),
      /cannot be combined with acceptsConfluent/,
    ],
    ["no message type", () => avro({ schemas: {} }), /at least one message type/],
    ["an unknown framing", () => avro({ schema: "int", framing: "object" as never }), /framing must be "/],
    ["raw framing without an id", () => avro({ schema: "int", framing: "raw" }), /needs a schemaId/],
    [
      "a Confluent id that is not an int32",
      () => avro({ schema: "int", framing: "confluent", schemaId: "a" }),
      /cannot be written/,
    ],
    [
      "an id that is invalid in a content type",
      () => avro({ schema: "int", framing: "raw", schemaId: "a; b" }),
      /cannot be written/,
    ],
    [
      "an unknown logical type",
      () => avro({ schema: "int", rawLogicalTypes: ["time" as never] }),
      /rawLogicalTypes/,
    ],
    ["a source that is not a function", () => avro({ schema: "int", schemaById: {} as never }), /schemaById/],
    [
      "an incompatible writer schema",
      () => avro({ schema: orderV2, writerSchemas: [customer] }),
      /writerSchemas\[0\]: the schema cannot be read/,
    ],
    [
      "an invalid schema of a type",
      () => avro({ schemas: { order: { type: "array" } } }),
      /schema of "order": schema.items/,
    ],
  ];
  it.each(refused)("are refused with %s", (_, make, text) => {
    expect(make).toThrow(TypeError);
    expect(make).toThrow(text);
  });

  it("are copied, so that later changes have no effect, and are not changed", () => {
    const schema = structuredClone(orderV1) as unknown as { type: string; fields: unknown[] };
    const options = Object.freeze({ schema: schema as unknown as AvroSchema });
    const serializer = avro(options);
    avro(options);
    schema.fields.length = 0;
    expect(roundTrip(serializer, v1Value)).toEqual(v1Value);
  });
});
