import { isDeepStrictEqual } from "node:util";
import type { Serializer } from "@waybill/core";
import { decodeFailure, encodeFailure } from "@waybill/core/serializer";
import { decode, encode } from "cborg";

/** The bytes of tag 55799, "self-described CBOR". Source: RFC 8949, section 3.4.6. */
const magic = Uint8Array.of(0xd9, 0xd9, 0xf7);

/** The CBOR serializer. It writes only values that are read back the same, with a tag by which bodies are recognised without a content type. */
export function cbor(): Serializer {
  return {
    name: "cbor",
    mediaTypes: ["application/cbor", "+cbor"],
    detection: "magic",
    leadingBytes: [0xd9],
    serialize(value, { maxDepth }) {
      try {
        const item = encode(value);
        if (isDeepStrictEqual(read(item, maxDepth), value))
          return { bytes: new Uint8Array(Buffer.concat([magic, item])) };
      } catch {} // The library's error may quote the value, so it is not passed on.
      throw encodeFailure("The value does not come back the same from CBOR.");
    },
    deserialize(bytes, { isDeclared, maxDepth }) {
      const isMarked = magic.every((byte, index) => bytes[index] === byte);
      if (!isMarked && !isDeclared) throw decodeFailure("identity-missing", "The CBOR tag 55799 is missing.");
      return read(bytes.slice(isMarked ? magic.length : 0), maxDepth);
    },
  };
}

/** Reads one item: cborg refuses other tags, keys that are not strings and bytes left over; the rest is refused here. */
function read(item: Uint8Array, maxDepth: number): unknown {
  let value: unknown;
  try {
    value = decode(item, { rejectDuplicateMapKeys: true, allowUndefined: false });
  } catch (error) {
    const reason = error instanceof RangeError ? "depth-exceeded" : "malformed"; // The call stack ends first.
    throw decodeFailure(reason, "The bytes are not one plain CBOR item.");
  }
  inspect(value, maxDepth);
  return value;
}

function inspect(value: unknown, depthLeft: number): void {
  // The library puts this character where UTF-8 is ill-formed.
  if (typeof value === "string" && value.includes("\ufffd"))
    throw decodeFailure("utf8-invalid", "Bad UTF-8.");
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return;
  if (depthLeft === 0) throw decodeFailure("depth-exceeded", "The item is nested too deeply.");
  for (const key of Object.keys(value)) {
    if (key === "__proto__") throw decodeFailure("key-forbidden", 'The item has a key "__proto__".');
    inspect((value as Record<string, unknown>)[key], depthLeft - 1);
  }
}
