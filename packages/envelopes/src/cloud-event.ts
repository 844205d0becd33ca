import { decodeFailure } from "@waybill/core/serializer";
import { isRecord } from "./envelope.js";

/** An event as one object of the JSON format, with its data as a value. Source: CloudEvents 1.0, JSON event format. */
export interface OpenedEvent {
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly data: unknown;
}

const required = ["specversion", "id", "source", "type"] as const;

/** Whether an object has the required attributes of an event. */
export function looksLikeEvent(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    isRecord(value) &&
    required.every(
      (name) => Object.hasOwn(value, name) && typeof value[name] === "string" && value[name] !== "",
    )
  );
}

/**
 * Opens an event of the JSON format, also of version 0.3, which has base64 in `data`, or of the Avro format as `cloudEventsAvro` reads it. Throws
 * `decodeFailure`.
 */
export function openEvent(value: unknown): OpenedEvent {
  if (isAvroEvent(value)) {
    const attributes = checked(value.attribute);
    const { data } = value;
    return {
      attributes,
      data: data instanceof Uint8Array ? ofMediaType(data, attributes.datacontenttype) : data,
    };
  }
  const event = checked(value);
  const { data_base64: base64, data, ...attributes } = event;
  if (attributes.specversion === "0.3" && attributes.datacontentencoding === "base64")
    return { attributes, data: ofMediaType(bytesOf(data), attributes.datacontenttype) };
  // Serializers of objects write a member that is not set as null, as the format allows for attributes.
  if (base64 === undefined || base64 === null) return { attributes, data: data ?? null };
  if (data !== undefined && data !== null) throw malformed("both data and data_base64");
  return { attributes, data: ofMediaType(bytesOf(base64), attributes.datacontenttype) };
}

function checked(value: unknown): Readonly<Record<string, unknown>> {
  if (Array.isArray(value)) throw malformed("a batch of events instead of one event");
  if (!looksLikeEvent(value)) throw malformed(`no ${required.join(", ")}, or an empty one`);
  if (!/^(?:1\.0|0\.3)$/.test(String(value.specversion))) throw malformed("a specversion that is not 1.0");
  return value;
}

function bytesOf(base64: unknown): Uint8Array {
  const isBase64 =
    typeof base64 === "string" && base64.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(base64);
  if (!isBase64) throw malformed("a data_base64 that is not base64");
  return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
}

/** The parsed JSON of bytes whose content type is JSON; other bytes unchanged. */
function ofMediaType(bytes: Uint8Array, mediaType: unknown): unknown {
  const isJson =
    typeof mediaType === "string" && /^\s*[\w.+-]+\/(?:json|[\w.-]+\+json)\s*(?:;|$)/i.test(mediaType);
  if (!isJson) return bytes;
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)) as unknown;
  } catch {
    throw malformed("data that is not JSON, although datacontenttype declares JSON");
  }
}

function isAvroEvent(value: unknown): value is { readonly attribute: unknown; readonly data: unknown } {
  return (
    isRecord(value) &&
    isRecord(value.attribute) &&
    Object.hasOwn(value, "data") &&
    !Object.hasOwn(value, "specversion")
  );
}

function malformed(what: string): Error {
  return decodeFailure("malformed", `The CloudEvent has ${what}.`);
}
