import { type Serializer, WaybillError } from "@waybill/core";
import { decodeFailure, encodeFailure, type SerializeContext } from "@waybill/core/serializer";
import { selfDescribingValues } from "./self-describing-values.js";
import type { SerializerSubject } from "./serializer-subject.js";

/** A subject with the table of values of strict JSON. */
export function strictJsonSubject(create: () => Serializer = strictJson): SerializerSubject {
  return {
    create,
    values: selfDescribingValues({
      "negative zero": "same",
      NaN: "refused",
      Infinity: "refused",
      "-Infinity": "refused",
      "a small bigint": "refused",
      "the largest signed 64-bit integer": "refused",
      "the smallest signed 64-bit integer": "refused",
      "the largest unsigned 64-bit integer": "refused",
      "an object with an undefined member": "refused",
      "a date": "refused",
      "an object with a date": "refused",
      bytes: "refused",
      "an object with bytes": "refused",
      "an instance of a class": "refused",
      "an object with toJSON": "refused",
    }),
    marked: (marker) => ({ note: marker }),
    items: (count) => [...Array(count - 1).fill(0), []],
    nesting: {
      value: (depth) => JSON.parse("[".repeat(depth) + "]".repeat(depth)),
      bytes: (depth) => encode("[".repeat(depth) + "]".repeat(depth)),
    },
    hostile: [{ name: "a byte order mark", bytes: encode("\uFEFF{}"), reason: "malformed" }],
    recognises: ["json"],
    recognisesEmptyContainers: true,
  };
}

/** A serializer that is always synchronous. */
export interface SyncSerializer extends Serializer {
  serialize(value: unknown, context: SerializeContext): { bytes: Uint8Array };
}

/** JSON that passes the suite: plain values only, fatal UTF-8, bounded depth, no `__proto__`. */
export function strictJson(): SyncSerializer {
  return {
    name: "json",
    mediaTypes: ["application/json"],
    detection: "structure",
    leadingBytes: [...encode(" \t\r\n[{")],
    serialize(value, { maxDepth, maxItemsIn }) {
      try {
        assertPlain(value, maxDepth);
        const text = stringify(value);
        const bytes = encode(text);
        if (itemsOf(text) > (maxItemsIn?.(bytes.length) ?? Infinity)) throw encodeFailure("too many items");
        return { bytes };
      } catch (error) {
        if (error instanceof WaybillError) throw error;
        throw encodeFailure("reading the value threw an error");
      }
    },
    deserialize(bytes, { isDeclared, maxDepth, maxItems = Infinity }) {
      if (bytes.length === 0) throw decodeFailure("body-empty", "the body is empty");
      const text = readText(bytes);
      if (!isDeclared && !/^[ \t\r\n]*[[{]/.test(text))
        throw decodeFailure("root-not-container", "no container");
      assertShallow(text, maxDepth);
      if (itemsOf(text) > maxItems) throw decodeFailure("items-exceeded", `more than ${maxItems} items`);
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

/** Counts items: one per comma, and one more in each non-empty container. */
function itemsOf(text: string): number {
  return text.match(/"(?:[^"\\]|\\.)*"|,|[[{](?!\s*[\]}])/g)?.filter((token) => token[0] !== '"').length ?? 0;
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

export function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

export function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
