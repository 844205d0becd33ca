import assert from "node:assert/strict";
import { WaybillError } from "@waybill/core";
import avsc from "avsc";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { avro } from "./avro-serializer.js";
import { read, write } from "./messages.test-support.js";

const everything = {
  type: "record",
  name: "Everything",
  fields: [
    { name: "i", type: "int" },
    { name: "l", type: "long" },
    { name: "f", type: "float" },
    { name: "d", type: "double" },
    { name: "b", type: "boolean" },
    { name: "s", type: "string" },
    { name: "y", type: "bytes" },
    { name: "x", type: { type: "fixed", name: "F", size: 3 } },
    { name: "e", type: { type: "enum", name: "E", symbols: ["A", "B"] } },
    { name: "list", type: { type: "array", items: ["null", "string"] } },
    { name: "map", type: { type: "map", values: { type: "array", items: "long" } } },
    { name: "next", type: ["null", "Everything"], default: null },
  ],
} as const;

const { value: values } = fc.letrec<{ value: object; next: object | null }>((tie) => ({
  next: fc.option(tie("value"), { maxDepth: 3 }),
  value: fc.record(
    {
      i: fc.integer(),
      l: fc.oneof(
        fc.maxSafeInteger().map((number) => (Object.is(number, -0) ? 0 : number)),
        fc.bigInt({ min: 2n ** 53n, max: 2n ** 63n - 1n }),
        fc.bigInt({ min: -(2n ** 63n), max: -(2n ** 53n) }),
      ),
      f: fc.float(),
      d: fc.double(),
      b: fc.boolean(),
      s: fc.string({ unit: "binary", maxLength: 80 }),
      y: fc.uint8Array({ maxLength: 40 }),
      x: fc.uint8Array({ minLength: 3, maxLength: 3 }),
      e: fc.constantFrom("A", "B"),
      list: fc.array(fc.option(fc.string({ unit: "binary" }))),
      map: fc.dictionary(
        fc.string({ unit: "grapheme" }).filter((key) => key !== "__proto__"),
        fc.array(fc.nat()),
        { noNullPrototype: true },
      ),
      next: tie("next"),
    },
    { noNullPrototype: true },
  ),
}));

describe("any value of a schema", () => {
  const serializer = avro({ schema: everything });
  const evolved = avro({
    schema: { ...everything, fields: [...everything.fields, { name: "added", type: "int", default: 0 }] },
    writerSchemas: [everything],
  });

  it("is read back as it was", () => {
    fc.assert(
      fc.property(values, (value) => {
        assert.deepStrictEqual(read(serializer, write(serializer, value)), value);
      }),
      { numRuns: 500 },
    );
  });

  it("is written like avsc writes it, if avsc can", () => {
    const type = avsc.Type.forSchema(structuredClone(everything) as never);
    const toAvsc = (value: unknown): unknown =>
      JSON.parse(
        JSON.stringify(value, (_, member) => (typeof member === "bigint" ? 0 : member)),
        (_, member) => member,
      );
    fc.assert(
      fc.property(values, (value) => {
        const plain = {
          ...(toAvsc({ ...value, next: null }) as object),
          f: 0.5,
          d: 1.5,
          l: 7,
          y: Buffer.from([1]),
          x: Buffer.from([1, 2, 3]),
        };
        expect(Buffer.from(write(serializer, plain).subarray(10)).equals(type.toBuffer(plain))).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it("damaged anywhere, is read or refused with a reason", () => {
    const damages = fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(values, damages, fc.nat(), (value, changes, cut) => {
        const body = write(serializer, value);
        for (const [offset, byte] of changes) body[10 + (offset % Math.max(1, body.length - 10))] = byte;
        const shortened = cut % 3 === 0 ? body.subarray(0, 10 + (cut % (body.length - 9))) : body;
        for (const reader of [serializer, evolved]) expectOutcome(() => read(reader, shortened));
      }),
      { numRuns: 3000 },
    );
  });

  it("replaced by random bytes, is read or refused with a reason", () => {
    const header = write(serializer, fc.sample(values, 1)[0]).subarray(0, 10);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        for (const reader of [serializer, evolved])
          expectOutcome(() => read(reader, Uint8Array.of(...header, ...bytes)));
      }),
      { numRuns: 3000 },
    );
  });
});

function expectOutcome(call: () => unknown): void {
  try {
    call();
  } catch (error) {
    expect(error).toBeInstanceOf(WaybillError);
    const { reason, cause } = error as WaybillError;
    expect(reason).toBeDefined();
    // A cause would be an error of avsc or JavaScript: then a check is missing in this package.
    expect(cause).toBeUndefined();
  }
}
