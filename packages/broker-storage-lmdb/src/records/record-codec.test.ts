import { Buffer } from "node:buffer";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { messageRecord } from "../fixture.test-support.js";
import { readEntity, readMessage, writeEntity, writeMessage } from "./record-codec.js";
import { RecordReader } from "./record-reader.js";
import { RecordWriter } from "./record-writer.js";

const anything = fc.anything({
  withBigInt: true,
  withDate: true,
  withMap: true,
  withSet: true,
  withTypedArray: true,
  withSparseArray: false,
  maxDepth: 4,
});

function encode(value: unknown): Buffer {
  const writer = new RecordWriter();
  writeEntity(writer, { value });
  return writer.finish();
}

/** One reader goes from record to record. */
const reader = new RecordReader();
const at = (record: Buffer): RecordReader => reader.begin(record);

describe("record codec", () => {
  it("returns any value with its type", () => {
    fc.assert(
      fc.property(anything, (value) => {
        expect(readEntity(at(encode(value)))).toStrictEqual({ value: structuredClone(value) });
      }),
      { numRuns: 500 },
    );
  });

  it("returns any text, well formed or not, of any length", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 600, size: "max" }), (text) => {
        expect(readEntity(at(encode({ [text]: text })))).toStrictEqual({ value: { [text]: text } });
      }),
    );
  });

  it("treats a name like __proto__ as an ordinary name", () => {
    const value = JSON.parse('{"__proto__": {"polluted": true}, "a": 1}') as Record<string, unknown>;
    const { value: read } = readEntity(at(encode(value))) as { value: object };
    expect(Object.entries(read)).toEqual(Object.entries(value));
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
    expect("polluted" in {}).toBe(false);
  });

  it("restores every state, and whether an active message was scheduled", () => {
    for (const state of ["active", "deferred", "scheduled"] as const) {
      const writer = new RecordWriter();
      writeMessage(writer, { ...messageRecord(5), state, wasScheduled: state === "active" });
      const { wasScheduled, ...record } = readMessage(at(writer.finish()));
      expect([record.state, wasScheduled]).toEqual([state, state === "active"]);
    }
  });

  it("refuses every record that is truncated or has trailing bytes", () => {
    const writer = new RecordWriter();
    writeMessage(writer, messageRecord(5, { applicationProperties: { a: 1n, b: [new Date(1)] } }));
    const record = writer.finish();
    expect(readMessage(at(record))).toEqual(
      messageRecord(5, { applicationProperties: { a: 1n, b: [new Date(1)] } }),
    );
    for (let length = 0; length < record.byteLength; length++) {
      expect(() => readMessage(at(record.subarray(0, length)))).toThrow(RangeError);
    }
    expect(() => readMessage(at(Buffer.concat([record, Buffer.of(0)])))).toThrow("bytes follow the record");
  });

  it("ends in a value or an error for any bytes, without unbounded memory", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          readEntity(at(Buffer.from(bytes)));
        } catch (error) {
          expect(error).toBeInstanceOf(Error);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it("does not overflow the stack for deep nesting", () => {
    const nested = Buffer.concat([
      ...Array.from({ length: 50_000 }, () => Buffer.of(10, 0, 0, 0, 1)),
      Buffer.of(0),
    ]);
    expect(() => readEntity(at(nested))).toThrow("its values nest too deep");
  });

  it("does not change earlier records while it continues writing", () => {
    const writer = new RecordWriter();
    const records = Array.from({ length: 200 }, (_, i) => {
      writeEntity(writer, { i, filler: "x".repeat(i * 20) });
      return writer.finish();
    });
    for (const [i, record] of records.entries()) expect(readEntity(at(record))).toMatchObject({ i });
  });
});
