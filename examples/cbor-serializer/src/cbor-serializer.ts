import { decodeFailure, encodeFailure, type Serializer } from "@waybill/core";
import { type DecodeOptions, decode, encode, Tag, type TagDecoder } from "cbor2";

/** CBOR calls these three bytes its own: tag 55799, "self-described CBOR". Source: RFC 8949, section 3.4.6. */
const magic = Uint8Array.of(0xd9, 0xd9, 0xf7);

const strict: DecodeOptions = {
  // Tags can ask for anything, even for regular expressions; only dates (1) and big integers (2, 3) are let in.
  ignoreGlobalTags: true,
  tags: new Map<number, TagDecoder>([1, 2, 3].map((tag) => [tag, Tag.getDecoder(tag) as TagDecoder])),
  rejectDuplicateKeys: true,
  createObject: (entries) => Object.fromEntries(entries.map(([key, value]) => [checkKey(key), value])),
};

/** The CBOR serializer: writes self-described CBOR, so that its bodies are known without a label. */
export function cbor(): Serializer {
  return {
    name: "cbor",
    mediaTypes: ["application/cbor", "+cbor"],
    detection: "magic",
    leadingBytes: [0xd9],
    serialize(value, { maxDepth }) {
      try {
        const bytes = encode(new Tag(55799, value));
        decode(bytes.subarray(magic.length), { ...strict, maxDepth });
        return { bytes };
      } catch {
        throw encodeFailure("The value has no CBOR form that can be read back.");
      }
    },
    deserialize(bytes, { isDeclared, maxDepth }) {
      const isSelfDescribed = magic.every((byte, index) => bytes[index] === byte);
      if (!isSelfDescribed && !isDeclared) throw decodeFailure("identity-missing", "No CBOR tag 55799.");
      try {
        return decode(isSelfDescribed ? bytes.subarray(magic.length) : bytes, { ...strict, maxDepth });
      } catch (error) {
        const isTooDeep = error instanceof Error && /depth/i.test(error.message);
        throw decodeFailure(isTooDeep ? "depth-exceeded" : "malformed", "The bytes are not one CBOR item.");
      }
    },
  };
}

function checkKey(key: unknown): string {
  if (typeof key !== "string" || key === "__proto__") throw new TypeError("A key is not allowed.");
  return key;
}
