import type { Serializer } from "./contracts/serializer.js";
import { decodeFailure } from "./errors/failure.js";

/** JSON for tests of what lies around a serializer, strict. */
export const plainJson: Serializer = Object.freeze<Serializer>({
  name: "text",
  mediaTypes: ["application/json"],
  detection: "structure",
  leadingBytes: [0x7b, 0x5b],
  conforming: true,
  serialize: (value) => ({ bytes: new TextEncoder().encode(JSON.stringify(value)) }),
  deserialize(bytes) {
    try {
      return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    } catch {
      throw decodeFailure("malformed", "This is not JSON.");
    }
  },
});
