import type { Serializer } from "@waybill/core";
import { decodeFailure } from "@waybill/core/serializer";

/** A strict JSON serializer with only what the cases need. */
export const plainJson: Serializer = Object.freeze<Serializer>({
  name: "json",
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
