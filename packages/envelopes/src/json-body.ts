import type { SerializeContext } from "@waybill/core/serializer";
import { parseMediaType } from "@waybill/core/serializer";
import { json } from "@waybill/serializer-json";
import { type EnvelopedMessage, isRecord } from "./envelope.js";

/** The one JSON serializer of this package: what is nested in an envelope keeps the same rules and limits as a body. */
export const nestedJson = json();

/** Envelopes larger than a message of the Standard tier are not parsed for their metadata. */
const maxBytes = 1024 * 1024;

/** The limits of pipelines by default. */
const limits = { maxDepth: 128, maxItems: 100_000 };

const context: SerializeContext = Object.freeze({
  messageType: undefined,
  contentType: undefined,
  mediaType: undefined,
  applicationProperties: Object.freeze({}),
  abortSignal: undefined,
  maxDepth: limits.maxDepth,
});

/** Messages are recognised, opened and described one after the other: each body is parsed once. */
const parsed = new WeakMap<Uint8Array, Readonly<Record<string, unknown>> | null>();

/** The object of a JSON body; undefined for anything else. */
export function jsonBody(message: EnvelopedMessage): Readonly<Record<string, unknown>> | undefined {
  const { rawBody, contentType } = message;
  if (!(rawBody instanceof Uint8Array) || rawBody.length > maxBytes) return undefined;
  let value = parsed.get(rawBody);
  if (value === undefined) {
    value = objectIn(rawBody, contentType) ?? null;
    parsed.set(rawBody, value);
  }
  return value ?? undefined;
}

/** A value as JSON. Throws `encodeFailure` for what JSON does not have. */
export function jsonBytes(value: unknown): Uint8Array {
  return (nestedJson.serialize(value, context) as { readonly bytes: Uint8Array }).bytes;
}

function objectIn(
  bytes: Uint8Array,
  contentType: string | undefined,
): Readonly<Record<string, unknown>> | undefined {
  const mediaType = typeof contentType === "string" ? parseMediaType(contentType) : undefined;
  try {
    const value = nestedJson.deserialize(bytes, {
      ...context,
      ...limits,
      contentType,
      mediaType,
      isDeclared: true,
    });
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
