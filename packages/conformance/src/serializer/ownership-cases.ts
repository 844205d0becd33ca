import assert from "node:assert/strict";
import { required } from "@waybill/foundation";
import type { Case } from "../case.js";
import { assertSameValue } from "../same-value.js";
import { messageSetting, readValue, serializerCase, write } from "./harness.js";
import type { SerializerSubject } from "./serializer-subject.js";
import { quicklyWritten, quickValues } from "./written.js";

/** Small outputs may be slices of a slab of at most this size if a slice is never overwritten. */
const slabBytes = 32_768;

/** Memory ownership: the input stays the caller's, and the output becomes the caller's. */
export function ownershipCases(subject: SerializerSubject): Case[] {
  const testCase = serializerCase(subject, "ownership");
  return [
    testCase("reading does not change the input", async (serializer) => {
      for await (const written of quicklyWritten(serializer, subject)) {
        const bytes = written.bytes.slice();
        await readValue(serializer, { ...written, bytes, isDeclared: true }, written.name);
        assertSameValue(bytes, written.bytes, `the input of ${written.name}`);
        assert.deepEqual(Object.keys(bytes).length, bytes.length, "the input gained no properties");
      }
    }),
    testCase("a value that was read does not change when its input is overwritten", async (serializer) => {
      for await (const written of quicklyWritten(serializer, subject)) {
        for (const bytes of inBothKinds(written.bytes)) {
          const value = await readValue(serializer, { ...written, bytes, isDeclared: true }, written.name);
          bytes.fill(0xa5);
          assertSameValue(value, written.value, `${written.name}, its input overwritten,`);
        }
      }
    }),
    testCase("reads a view in the middle of a larger buffer", async (serializer) => {
      for await (const written of quicklyWritten(serializer, subject)) {
        for (const bytes of [embedded(written.bytes), Buffer.from(embedded(written.bytes))]) {
          const value = await readValue(serializer, { ...written, bytes, isDeclared: true }, written.name);
          assertSameValue(value, written.value, `${written.name} from a view`);
        }
      }
    }),
    testCase("writing does not change the value or keep references to it", async (serializer) => {
      for (const entry of quickValues(subject).filter(({ value }) => isClonable(value))) {
        const value = structuredClone(entry.value);
        const message = messageSetting(subject, entry.message);
        const { bytes } = await write(serializer, value, message);
        assertSameValue(value, entry.value, `the value of ${entry.name}`);
        const before = bytes.slice();
        overwriteBytes(value);
        assertSameValue(bytes, before, `what was written of ${entry.name}`);
      }
    }),
    testCase("written bytes do not change while more is written", async (serializer) => {
      const entries = quickValues(subject);
      const writeAt = async (index: number) => {
        const entry = required(entries[index % entries.length]);
        const { bytes } = await write(serializer, entry.value, messageSetting(subject, entry.message));
        return { name: entry.name, bytes, copy: bytes.slice() };
      };
      const kept: Awaited<ReturnType<typeof writeAt>>[] = [];
      for (let index = 0; index < entries.length; index++) kept.push(await writeAt(index));
      for (let index = 0; index < 100; index++) await writeAt(index);
      for (const { name, bytes, copy } of kept) assertSameValue(bytes, copy, `what was written of ${name}`);
    }),
    testCase("written bytes are not a view of a much larger buffer", async (serializer) => {
      for (const entry of quickValues(subject)) {
        const { bytes } = await write(serializer, entry.value, messageSetting(subject, entry.message));
        assert.ok(
          bytes.buffer.byteLength <= 2 * bytes.byteLength + slabBytes,
          `${bytes.byteLength} bytes of ${entry.name} keep a buffer of ${bytes.buffer.byteLength} alive and show its other contents`,
        );
      }
    }),
    testCase("written bytes do not change when the memory of others is transferred", async (serializer) => {
      const kept: { name: string; bytes: Uint8Array; copy: Uint8Array }[] = [];
      for (const entry of quickValues(subject)) {
        const { bytes } = await write(serializer, entry.value, messageSetting(subject, entry.message));
        kept.push({ name: entry.name, bytes, copy: bytes.slice() });
      }
      kept.forEach(({ bytes }, index) => {
        if (index % 2 === 0) transfer(bytes);
      });
      for (const [index, { name, bytes, copy }] of kept.entries())
        if (index % 2 === 1) assertSameValue(bytes, copy, `what was written of ${name}`);
    }),
    testCase("bytes that were read are not a view of the input", async (serializer) => {
      for await (const written of quicklyWritten(serializer, subject)) {
        if (firstBytes(written.value) === undefined) continue;
        for (const bytes of inBothKinds(written.bytes)) {
          const value = await readValue(serializer, { ...written, bytes, isDeclared: true }, written.name);
          assert.notEqual(firstBytes(value)?.buffer, bytes.buffer, `${written.name} is a view of its input`);
        }
      }
    }),
  ];
}

/** Copies as a `Uint8Array` and as a `Buffer`, as most transports deliver bodies, and whose `slice` is a view. Their memory is their own. */
function inBothKinds(bytes: Uint8Array): readonly Uint8Array[] {
  return [new Uint8Array(bytes), Buffer.from(new Uint8Array(bytes).buffer)];
}

/** The bytes in the middle of other bytes. */
function embedded(bytes: Uint8Array): Uint8Array {
  const around = new Uint8Array(bytes.length + 64).fill(0x5b);
  around.set(bytes, 32);
  return around.subarray(32, 32 + bytes.length);
}

/** Tries to transfer the memory to another thread, which may fail. */
function transfer({ buffer }: Uint8Array): void {
  try {
    structuredClone(undefined, { transfer: [buffer as ArrayBuffer] });
  } catch {
    // Memory that cannot be transferred, or already was: other slices of it are safe.
  }
}

function isClonable(value: unknown): boolean {
  try {
    structuredClone(value);
    return true;
  } catch {
    return false;
  }
}

function overwriteBytes(value: unknown): void {
  firstBytes(value)?.fill(0xa5);
}

/** The first byte array at the root of a value or among its members. */
function firstBytes(value: unknown): Uint8Array | undefined {
  if (value instanceof Uint8Array) return value;
  if (typeof value !== "object" || value === null) return undefined;
  return Object.values(value).find((member) => member instanceof Uint8Array) as Uint8Array | undefined;
}
