import { decodeFailure, encodeFailure, type SerializeContext, type Serializer } from "@waybill/core";
import { describe, expect, it } from "vitest";
import type { Case } from "../case.js";
import { selfDescribingValues } from "./self-describing-values.js";
import { serializerCases } from "./serializer-cases.js";
import type { SerializerSubject } from "./serializer-subject.js";

describe("serializerCases", () => {
  describe("passes a strict serializer", () => {
    for (const { name, run } of serializerCases(subject(strictJson))) it(name, run);
  });

  it("names every case once", () => {
    const names = serializerCases(subject(strictJson)).map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  describe("catches a serializer that", () => {
    catches("claims a media type in capitals", "contract: claims media types", (json) => ({
      ...json,
      mediaTypes: ["application/JSON"],
    }));
    catches("writes a type that it does not claim", "contract: writes a content type", (json) => ({
      ...json,
      serialize: (value, context) => ({ ...written(json, value, context), contentType: "text/plain" }),
    }));
    catches(
      "names no leading bytes",
      "contract: says how it recognises",
      ({ leadingBytes: _, ...json }) => json,
    );
    catches("forgets a leading byte", "recognition: every body that can be recognised", (json) => ({
      ...json,
      leadingBytes: [0x7b],
    }));
    catches("loses the sign of zero", "round trip: negative zero", (json) => ({
      ...json,
      deserialize: (bytes, context) => {
        const value = json.deserialize(bytes, context);
        return Object.is(value, -0) ? 0 : value;
      },
    }));
    catches("writes what it should refuse", "round trip: NaN is refused", (json) => ({
      ...json,
      serialize: (value, context) => written(json, Number.isNaN(value) ? null : value, context),
    }));
    catches("throws a foreign error when writing", "round trip: a function is refused", (json) => ({
      ...json,
      serialize(value, context) {
        if (typeof value === "function") throw new TypeError("cannot write a function");
        return json.serialize(value, context);
      },
    }));
    catches("writes other bytes each time", "round trip: writes the same bytes every time", (json) => {
      let count = 0;
      return {
        ...json,
        serialize: (value, context) => ({
          bytes: encode(" ".repeat(count++ % 3) + decode(written(json, value, context).bytes)),
        }),
      };
    });
    catches("breaks after a refusal", "round trip: works on after a refusal", (json) => {
      let isBroken = false;
      return {
        ...json,
        serialize(value, context) {
          if (isBroken) throw encodeFailure("broken");
          isBroken = Number.isNaN(value);
          return json.serialize(value, context);
        },
      };
    });
    catches("changes its input", "ownership: reading does not change the input", (json) => ({
      ...json,
      deserialize(bytes, context) {
        const value = json.deserialize(bytes.slice(), context);
        bytes[0] = 0;
        return value;
      },
    }));
    catches("keeps a view of its input", "ownership: a value that was read survives", (json) => ({
      ...json,
      deserialize(bytes, context) {
        const value = json.deserialize(bytes, context);
        if (!Array.isArray(value) || value.length !== 6) return value;
        return Object.defineProperty([...value], 0, { enumerable: true, get: () => bytes[1]! & 1 });
      },
    }));
    catches("reads the whole buffer under its input", "ownership: reads a view in the middle", (json) => ({
      ...json,
      deserialize: (bytes, context) => json.deserialize(new Uint8Array(bytes.buffer), context),
    }));
    catches("changes the value it writes", "ownership: writing neither changes", (json) => ({
      ...json,
      serialize(value, context) {
        const body = json.serialize(value, context);
        if (Array.isArray(value)) value.reverse();
        return body;
      },
    }));
    catches("returns a view of a pool", "ownership: written bytes stay as they are", (json) => {
      const pool = new Uint8Array(2 * 1024 * 1024);
      return {
        ...json,
        serialize(value, context) {
          const { bytes } = written(json, value, context);
          pool.set(bytes);
          return { bytes: pool.subarray(0, bytes.length) };
        },
      };
    });
    catches("pins a big buffer", "ownership: written bytes do not hang on", (json) => ({
      ...json,
      serialize(value, context) {
        const { bytes } = written(json, value, context);
        const slab = new Uint8Array(bytes.length + 65_536);
        slab.set(bytes);
        return { bytes: slab.subarray(0, bytes.length) };
      },
    }));
    catches("ignores bytes left over", "strictness: an order with bytes left over", (json) => ({
      ...json,
      deserialize: (bytes, context) => json.deserialize(bytes.subarray(0, lastBrace(bytes)), context),
    }));
    catches("completes what was cut", "strictness: an array cut short", (json) => ({
      ...json,
      deserialize: (bytes, context) =>
        json.deserialize(bytes.at(-1) === 0x5d ? bytes : Uint8Array.of(...bytes, 0x5d), context),
    }));
    catches("takes an empty body for null", "strictness: the empty body is refused, declared", (json) => ({
      ...json,
      deserialize: (bytes, context) => (bytes.length === 0 ? null : json.deserialize(bytes, context)),
    }));
    catches("throws a foreign error when reading", "strictness: an order with a flipped bit", (json) => ({
      ...json,
      deserialize: (bytes) => JSON.parse(decode(bytes)),
    }));
    catches("is slow to refuse", "strictness: the empty body is refused, declared", (json) => ({
      ...json,
      async deserialize(bytes, context) {
        if (bytes.length === 0) await new Promise((resolve) => setTimeout(resolve, 60));
        return json.deserialize(bytes, context);
      },
    }));
    catches("guesses scalars", "recognition: scalars without a label", declaringEverything);
    catches("guesses text", "recognition: text (a JSON number)", declaringEverything);
    catches("refuses its own without a label", "recognition: own containers are read", (json) => ({
      ...json,
      deserialize(bytes, context) {
        if (!context.isDeclared) throw decodeFailure("not-recognized", "no label");
        return json.deserialize(bytes, context);
      },
    }));
    catches("reads without its label", "recognition: own containers are read", (json) => {
      const { leadingBytes: _, ...rest } = json;
      return { ...rest, detection: "label" };
    });
    catches("counts depth from zero", "depth: reads 7 levels", (json) => ({
      ...json,
      deserialize: (bytes, context) =>
        json.deserialize(bytes, { ...context, maxDepth: context.maxDepth + 1 }),
    }));
    catches("writes deeper than allowed", "depth: writes 7 levels", (json) => ({
      ...json,
      serialize: (value, context) => json.serialize(value, { ...context, maxDepth: context.maxDepth + 1 }),
    }));
    catches("quotes the body in a cause", "secrecy: refusals of damaged bodies", (json) => ({
      ...json,
      deserialize(bytes, context) {
        try {
          return json.deserialize(bytes, context);
        } catch {
          throw decodeFailure("malformed", "not JSON", new Error(`near ${decode(bytes)}`));
        }
      },
    }));
    catches("quotes the value it refuses", "secrecy: refusals to write", (json) => ({
      ...json,
      serialize(value, context) {
        try {
          return json.serialize(value, context);
        } catch {
          throw encodeFailure("cannot write", { value });
        }
      },
    }));
    catches("mixes calls that overlap", "concurrency: calls that overlap", (json) => {
      let current: Uint8Array;
      return {
        ...json,
        async deserialize(bytes, context) {
          current = bytes;
          await Promise.resolve();
          return json.deserialize(current, context);
        },
      };
    });
    catches("throws the signal's own error", "concurrency: a caller who gave up", (json) => ({
      ...json,
      deserialize(bytes, context) {
        context.signal?.throwIfAborted();
        return json.deserialize(bytes, context);
      },
    }));
    catches("allocates what a body promises", "hostile: a count bomb (MessagePack array of", (json) => {
      const kept: Uint8Array[] = [];
      return {
        ...json,
        deserialize(bytes, context) {
          if (bytes[0] === 0xdd) kept.push(new Uint8Array(100_000_000));
          return json.deserialize(bytes, context);
        },
      };
    });
    catches("lets a key replace a prototype", "hostile: prototype pollution (JSON, __proto__)", (json) => ({
      ...json,
      deserialize: (bytes, context) =>
        decode(bytes).includes("__proto__")
          ? Object.assign({}, JSON.parse(decode(bytes)))
          : json.deserialize(bytes, context),
    }));
    catches("accepts a body that must be refused", "hostile: a byte order mark", (json) => ({
      ...json,
      deserialize: (bytes, context) =>
        json.deserialize(bytes[0] === 0xef ? bytes.subarray(3) : bytes, context),
    }));
    catches("gives a wrong reason", "hostile: a byte order mark", (json) => ({
      ...json,
      deserialize(bytes, context) {
        if (bytes[0] === 0xef) throw decodeFailure("truncated", "odd");
        return json.deserialize(bytes, context);
      },
    }));
  });
});

/** Registers a test that a clause which the strict serializer obeys fails for the broken one made from it. */
function catches(fault: string, clause: string, breakIt: (json: SyncSerializer) => Serializer): void {
  it(`${fault}: "${clause}"`, async () => {
    await findCase(serializerCases(subject(strictJson)), clause).run();
    const broken = findCase(serializerCases(subject(() => breakIt(strictJson()))), clause);
    await expect(broken.run()).rejects.toThrow(expect.objectContaining({ name: "AssertionError" }));
  });
}

function findCase(cases: readonly Case[], beginning: string): Case {
  const found = cases.find(({ name }) => name.startsWith(beginning));
  if (found === undefined) throw new TypeError(`No case begins with "${beginning}".`);
  return found;
}

function subject(create: () => Serializer): SerializerSubject {
  return {
    create,
    values: selfDescribingValues({
      null: "same",
      true: "same",
      false: "same",
      zero: "same",
      "negative zero": "same",
      "a small integer": "same",
      "a negative integer": "same",
      "an integer beyond 32 bits": "same",
      "the largest safe integer": "same",
      "the smallest safe integer": "same",
      "an integral number beyond 2^53": "same",
      "a fraction": "same",
      "the smallest number": "same",
      "the largest number": "same",
      NaN: "refused",
      Infinity: "refused",
      "-Infinity": "refused",
      "a small bigint": "refused",
      "the largest signed 64-bit integer": "refused",
      "the smallest signed 64-bit integer": "refused",
      "the largest unsigned 64-bit integer": "refused",
      "a bigint beyond 64 bits": "refused",
      "the empty string": "same",
      "a string": "same",
      "a string of many scripts": "same",
      "a string of control characters": "same",
      "a string of 100,000 characters": "same",
      "a lone surrogate": "refused",
      "a long string with a lone surrogate": "refused",
      "an empty array": "same",
      "an empty object": "same",
      "an array": "same",
      "an order": "same",
      "an array of 70,000 numbers": "same",
      "an object of 70,000 keys": "same",
      "an array of empty containers": "same",
      "an object with an empty key": "same",
      "an object with numeric keys": "same",
      "an object with keys of many scripts": "same",
      "an object with the keys of every object": "same",
      "an object with a __proto__ key": "refused",
      "an object with an undefined member": "refused",
      "an array with an undefined item": "refused",
      "a sparse array": "refused",
      undefined: "refused",
      "a function": "refused",
      "a symbol": "refused",
      "an object with a function": "refused",
      "an object with a symbol": "refused",
      "a date": "refused",
      "an invalid date": "refused",
      "an object with a date": "refused",
      bytes: "refused",
      "an object with bytes": "refused",
      "a map": "refused",
      "a map with a key that is not a string": "refused",
      "a set": "refused",
      "a regular expression": "refused",
      "an error": "refused",
      "an instance of a class": "refused",
      "an object without prototype": "same",
      "an object with toJSON": "refused",
      "an object that holds itself": "refused",
    }),
    marked: (marker) => ({ note: marker }),
    nesting: {
      value: (depth) => JSON.parse("[".repeat(depth) + "]".repeat(depth)),
      bytes: (depth) => encode("[".repeat(depth) + "]".repeat(depth)),
    },
    hostile: [{ name: "a byte order mark", bytes: encode("\uFEFF{}"), reason: "malformed" }],
    recognises: ["json"],
    recognisesEmptyContainers: true,
  };
}

interface SyncSerializer extends Serializer {
  serialize(value: unknown, context: SerializeContext): { bytes: Uint8Array };
}

/** JSON held to the law: plain values only, fatal UTF-8, bounded depth, no `__proto__`. */
function strictJson(): SyncSerializer {
  return {
    name: "json",
    mediaTypes: ["application/json"],
    detection: "structure",
    leadingBytes: [...encode(" \t\r\n[{")],
    serialize(value, { maxDepth }) {
      assertPlain(value, maxDepth);
      return { bytes: encode(stringify(value)) };
    },
    deserialize(bytes, { isDeclared, maxDepth }) {
      if (bytes.length === 0) throw decodeFailure("body-empty", "the body is empty");
      const text = readText(bytes);
      if (!isDeclared && !/^[ \t\r\n]*[[{]/.test(text))
        throw decodeFailure("root-not-container", "no container");
      assertShallow(text, maxDepth);
      try {
        return JSON.parse(text, refuseProto);
      } catch {
        throw decodeFailure("malformed", "not JSON");
      }
    },
  };
}

function readText(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw decodeFailure("utf8-invalid", "not UTF-8");
  }
}

function assertShallow(text: string, maxDepth: number): void {
  let depth = 0;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/g)) {
    if (token === "[" || token === "{") depth++;
    else if (token === "]" || token === "}") depth--;
    if (depth > maxDepth) throw decodeFailure("depth-exceeded", `deeper than ${maxDepth}`);
  }
}

function refuseProto(key: string, value: unknown): unknown {
  if (key === "__proto__") throw new RangeError(key);
  return value;
}

function assertPlain(value: unknown, depthLeft: number): void {
  if (value === null || typeof value === "boolean" || Number.isFinite(value)) return;
  if (typeof value === "string" && !/\p{Surrogate}/u.test(value)) return;
  const isPlain = Array.isArray(value) || Object.prototype.toString.call(value) === "[object Object]";
  if (!isPlain || typeof (value as { toJSON?: unknown }).toJSON === "function" || depthLeft === 0)
    throw encodeFailure("not a plain value");
  const prototype: unknown = Object.getPrototypeOf(value);
  if (![Object.prototype, Array.prototype, null].includes(prototype as object | null))
    throw encodeFailure("an instance of a class");
  if (Object.hasOwn(value as object, "__proto__")) throw encodeFailure("a forbidden key");
  for (const member of Array.isArray(value) ? value : Object.values(value as object))
    assertPlain(member, depthLeft - 1);
}

function stringify(value: unknown): string {
  return Object.is(value, -0) ? "-0" : JSON.stringify(value);
}

function written(json: SyncSerializer, value: unknown, context: SerializeContext): { bytes: Uint8Array } {
  return json.serialize(value, context);
}

function declaringEverything(json: SyncSerializer): Serializer {
  return {
    ...json,
    deserialize: (bytes, context) => json.deserialize(bytes, { ...context, isDeclared: true }),
  };
}

function lastBrace(bytes: Uint8Array): number {
  return Math.max(bytes.lastIndexOf(0x7d) + 1, bytes.lastIndexOf(0x5d) + 1) || bytes.length;
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
