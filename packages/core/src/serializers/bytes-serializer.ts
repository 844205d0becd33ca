import type { Serializer } from "../contracts/serializer.js";
import { decodeFailure, encodeFailure } from "../errors/failure.js";

/**
 * Reads and writes plain bytes, `application/octet-stream`, as a `Uint8Array` with memory of its own; an empty body is an empty array. It
 * reads only bodies whose content type names it or for which a policy assumes it, because any bytes are valid. In a pipeline with it,
 * `application/octet-stream` is not treated as a missing content type. Writing throws `serialization-failed` for anything but a
 * `Uint8Array`. Source: RFC 2046, 4.5.1.
 */
export function bytes(): Serializer {
  return Object.freeze({
    name: "bytes",
    mediaTypes: Object.freeze(["application/octet-stream"]),
    detection: "label",
    conforming: true,
    readsEmptyBodies: true,
    serialize: (value) => ({ bytes: copyOf(value) }),
    deserialize: (body, { isDeclared }) => {
      if (!isDeclared) throw decodeFailure("not-recognized", "Bytes are read only where they are declared.");
      return Uint8Array.from(body);
    },
  } satisfies Serializer);
}

function copyOf(value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return Uint8Array.from(value);
  throw encodeFailure("A body of bytes must be a Uint8Array.");
}
