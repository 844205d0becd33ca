import type { Serializer } from "../contracts/serializer.js";
import { decodeFailure, encodeFailure } from "../errors/failure.js";

/**
 * Bytes as they are, `application/octet-stream`: a `Uint8Array` of its own memory, read and written. No bytes are no bytes. It reads only
 * what the content type gives it or a policy assumes, since any bytes are its own. Beside it, `application/octet-stream` counts as a content
 * type that says what the body is. Source: RFC 2046, 4.5.1.
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
