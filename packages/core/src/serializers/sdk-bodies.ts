import type { Serializer } from "../contracts/serializer.js";
import { decodeFailure, encodeFailure } from "../errors/failure.js";

/** The options of a pipeline that reads as the receiver of `@azure/service-bus` does: spread them into those of the client. */
export interface SdkBodies {
  readonly serializer: Serializer;
  readonly contentTypePolicies: {
    readonly [Policy in "missing" | "unknown" | "foreign"]: { readonly assume: "sdk" };
  };
  /** Compressed bodies stay as they are. */
  readonly contentEncoding: "ignore";
}

const name = "sdk";
const assumed = Object.freeze({ assume: name } as const);
const policies = Object.freeze({ missing: assumed, unknown: assumed, foreign: assumed });

/**
 * For the first step of an adoption: bodies are read exactly as the SDK's receiver reads them, whatever their content type, and written as its
 * sender writes them. A body that is JSON becomes its value, with integers beyond 2^53 rounded; any other becomes its bytes, a `Buffer` under
 * Node.js, also an empty one. AMQP values and sequences are not touched, except binary ones, which are read like bodies. Bodies whose content type an additional deserializer claims are read
 * by that. Source: `dataTransformer` of `@azure/service-bus` 7.9.
 */
export function sdkBodies(): SdkBodies {
  return Object.freeze({ serializer: sdk, contentTypePolicies: policies, contentEncoding: "ignore" });
}

/** Its media type is never sent: with a usual one, strings in AMQP values would be parsed. */
const sdk: Serializer = Object.freeze({
  name,
  mediaTypes: Object.freeze(["application/vnd.waybill.sdk-body"]),
  detection: "label",
  readsAnyBytes: true,
  serialize(value) {
    if (value instanceof Uint8Array) {
      return { bytes: Uint8Array.from(value), contentType: "application/octet-stream" };
    }
    return { bytes: new TextEncoder().encode(jsonOf(value)), contentType: "application/json" };
  },
  deserialize(bytes, { isDeclared }) {
    if (!isDeclared)
      throw decodeFailure("not-recognized", "Bodies of the SDK are read only where that is assumed.");
    try {
      // Like `Buffer.toString`, it replaces what is not UTF-8 and keeps a byte order mark, which JSON does not allow.
      return JSON.parse(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)) as unknown;
    } catch {
      return ownBytes(bytes);
    }
  },
} satisfies Serializer);

function jsonOf(value: unknown): string {
  try {
    const text: string | undefined = JSON.stringify(value);
    if (text !== undefined) return text;
  } catch {
    // A cycle or a bigint: the text of the error may quote the value.
  }
  throw encodeFailure("The body cannot be written as JSON.");
}

/** Handlers call `toString` on it, as they do on the SDK's. */
function ownBytes(bytes: Uint8Array): Uint8Array {
  const { Buffer } = globalThis as { readonly Buffer?: { from(bytes: Uint8Array): Uint8Array } };
  return Buffer === undefined ? Uint8Array.from(bytes) : Buffer.from(bytes);
}
