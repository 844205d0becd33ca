import type { Serializer } from "@waybill/core";
import { decodeFailure, encodeFailure, type SerializeContext } from "@waybill/core/serializer";
import { describe, expect, it } from "vitest";
import type { Case } from "../case.js";
import { serializerCases } from "./serializer-cases.js";
import {
  decode,
  encode,
  type SyncSerializer,
  strictJson,
  strictJsonSubject,
} from "./strict-json.test-support.js";

describe("serializerCases", () => {
  describe("passes a strict serializer", () => {
    for (const { name, run } of serializerCases(strictJsonSubject(strictJson))) it(name, run);
  });

  it("has no two cases of one name", () => {
    const names = serializerCases(strictJsonSubject(strictJson)).map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  describe("catches a serializer that", () => {
    catches("has a media type in upper case", "contract: has media types", (json) => ({
      ...json,
      mediaTypes: ["application/JSON"],
    }));
    catches("writes another content type", "contract: writes one of its media types", (json) => ({
      ...json,
      serialize: (value, context) => ({ ...written(json, value, context), contentType: "text/plain" }),
    }));
    catches("says that it cannot write what it writes", "contract: does not say that it cannot", (json) => ({
      ...json,
      cannotWrite: () => "there is no schema",
    }));
    catches(
      "has no leading bytes",
      "contract: declares its detection",
      ({ leadingBytes: _, ...json }) => json,
    );
    catches("omits a leading byte", "recognition: every body that can be recognised", (json) => ({
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
    catches(
      "throws an error that is not a WaybillError when writing",
      "round trip: a function is refused",
      (json) => ({
        ...json,
        serialize(value, context) {
          if (typeof value === "function") throw new TypeError("cannot write a function");
          return json.serialize(value, context);
        },
      }),
    );
    catches("writes different bytes each time", "round trip: writes the same bytes every time", (json) => {
      let count = 0;
      return {
        ...json,
        serialize: (value, context) => ({
          bytes: encode(" ".repeat(count++ % 3) + decode(written(json, value, context).bytes)),
        }),
      };
    });
    catches("breaks after a refusal", "round trip: continues to work after a refusal", (json) => {
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
    catches("keeps a view of its input", "ownership: a value that was read does not change", (json) => ({
      ...json,
      deserialize(bytes, context) {
        const value = json.deserialize(bytes, context);
        if (!Array.isArray(value) || value.length !== 6) return value;
        return Object.defineProperty([...value], 0, { enumerable: true, get: () => bytes[1]! & 1 });
      },
    }));
    catches("reads the whole buffer of its input", "ownership: reads a view in the middle", (json) => ({
      ...json,
      deserialize: (bytes, context) => json.deserialize(new Uint8Array(bytes.buffer), context),
    }));
    catches("changes the value it writes", "ownership: writing does not change", (json) => ({
      ...json,
      serialize(value, context) {
        const body = json.serialize(value, context);
        if (Array.isArray(value)) value.reverse();
        return body;
      },
    }));
    catches(
      "returns a view of a pool",
      "ownership: written bytes do not change while more is written",
      (json) => {
        const pool = new Uint8Array(2 * 1024 * 1024);
        return {
          ...json,
          serialize(value, context) {
            const { bytes } = written(json, value, context);
            pool.set(bytes);
            return { bytes: pool.subarray(0, bytes.length) };
          },
        };
      },
    );
    catches("keeps a large buffer in memory", "ownership: written bytes are not a view", (json) => ({
      ...json,
      serialize(value, context) {
        const { bytes } = written(json, value, context);
        const slab = new Uint8Array(bytes.length + 65_536);
        slab.set(bytes);
        return { bytes: slab.subarray(0, bytes.length) };
      },
    }));
    catches("ignores trailing bytes", "strictness: an order with trailing bytes", (json) => ({
      ...json,
      deserialize: (bytes, context) => json.deserialize(bytes.subarray(0, lastBrace(bytes)), context),
    }));
    catches("completes a truncated body", "strictness: an array that is truncated", (json) => ({
      ...json,
      deserialize: (bytes, context) =>
        json.deserialize(bytes.at(-1) === 0x5d ? bytes : Uint8Array.of(...bytes, 0x5d), context),
    }));
    catches("returns undefined", "round trip: null is read back unchanged", (json) => ({
      ...json,
      deserialize: (bytes, context) => json.deserialize(bytes, context) ?? undefined,
    }));
    catches("reads an empty body as null", "strictness: an empty body with a content type", (json) => ({
      ...json,
      deserialize: (bytes, context) => (bytes.length === 0 ? null : json.deserialize(bytes, context)),
    }));
    catches(
      "throws an error that is not a WaybillError when reading",
      "strictness: an order with a flipped bit",
      (json) => ({
        ...json,
        deserialize: (bytes) => JSON.parse(decode(bytes)),
      }),
    );
    catches("refuses slowly", "strictness: an empty body with a content type", (json) => ({
      ...json,
      deserialize(bytes, context) {
        if (bytes.length === 0) burnProcessorTime(60);
        return json.deserialize(bytes, context);
      },
    }));
    catches("recognises scalars", "recognition: scalars without a content type", declaringEverything);
    catches("recognises text", "recognition: text (a JSON number)", declaringEverything);
    catches("refuses its bodies without a content type", "recognition: its containers are read", (json) => ({
      ...json,
      deserialize(bytes, context) {
        if (!context.isDeclared) throw decodeFailure("not-recognized", "no label");
        return json.deserialize(bytes, context);
      },
    }));
    catches("reads undeclared bodies without detection", "recognition: its containers are read", (json) => {
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
    catches("counts items from zero", "items: reads 7 items", (json) => ({
      ...json,
      deserialize: (bytes, context) =>
        json.deserialize(bytes, { ...context, maxItems: (context.maxItems ?? 0) + 1 }),
    }));
    catches("writes more items than allowed", "items: writes 7 items", (json) => ({
      ...json,
      serialize: (value, context) => json.serialize(value, { ...context, maxItemsIn: undefined }),
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
    catches("mixes concurrent calls", "concurrency: concurrent calls", (json) => {
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
    catches("throws the signal's error", "concurrency: an aborted call", (json) => ({
      ...json,
      deserialize(bytes, context) {
        context.abortSignal?.throwIfAborted();
        return json.deserialize(bytes, context);
      },
    }));
    catches("allocates what a body declares", "hostile: a count bomb (MessagePack array of", (json) => {
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
    catches("has a wrong reason", "hostile: a byte order mark", (json) => ({
      ...json,
      deserialize(bytes, context) {
        if (bytes[0] === 0xef) throw decodeFailure("truncated", "odd");
        return json.deserialize(bytes, context);
      },
    }));
  });
});

/** Registers a test that a case which the strict serializer passes fails for a broken copy of it. */
function catches(fault: string, clause: string, breakIt: (json: SyncSerializer) => Serializer): void {
  it(`${fault}: "${clause}"`, async () => {
    await findCase(serializerCases(strictJsonSubject(strictJson)), clause).run();
    const broken = findCase(serializerCases(strictJsonSubject(() => breakIt(strictJson()))), clause);
    await expect(broken.run()).rejects.toThrow(expect.objectContaining({ name: "AssertionError" }));
  });
}

function findCase(cases: readonly Case[], beginning: string): Case {
  const found = cases.find(({ name }) => name.startsWith(beginning));
  if (found === undefined) throw new TypeError(`No case begins with "${beginning}".`);
  return found;
}

function written(json: SyncSerializer, value: unknown, context: SerializeContext): { bytes: Uint8Array } {
  return json.serialize(value, context);
}

function burnProcessorTime(durationMs: number): void {
  const startMs = performance.now();
  const start = process.cpuUsage();
  // Threads of the runtime use processor time too, so the wall clock must agree.
  const spentMs = () => {
    const { user, system } = process.cpuUsage(start);
    return Math.min((user + system) / 1000, performance.now() - startMs);
  };
  while (spentMs() < durationMs);
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
