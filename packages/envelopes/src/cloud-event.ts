import type { Serializer } from "@waybill/core";
import { decodeFailure } from "@waybill/core/serializer";
import { isRecord } from "./envelope.js";
import { nestedJson } from "./json-body.js";

/** An event as one object of the JSON format, and its data in the form in which a pipeline reads it. Source: CloudEvents 1.0, JSON event format. */
export interface OpenedEvent {
  readonly attributes: Readonly<Record<string, unknown>>;
  /** The data: a value, or bytes or a text of the format that `bodyContentType` names. */
  readonly body: unknown;
  readonly bodyContentType?: string | undefined;
  readonly bodySerializer?: Serializer | undefined;
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
    return { attributes, ...bodyOf(fromAvroData(value.data), attributes) };
  }
  const event = checked(value);
  const { data_base64: base64, data, ...attributes } = event;
  if (attributes.specversion === "0.3" && attributes.datacontentencoding === "base64")
    return { attributes, ...bodyOf(bytesOf(data), attributes) };
  // Serializers of objects write a member that is not set as null, as the format allows for attributes.
  if (base64 === undefined || base64 === null) return { attributes, ...bodyOf(data ?? null, attributes) };
  if (data !== undefined && data !== null) throw malformed("both data and data_base64");
  return { attributes, ...bodyOf(bytesOf(base64), attributes) };
}

/**
 * Bytes have the format of their content type, and so has a text, unless it is a string of JSON. JSON is read even by a pipeline that reads no
 * other JSON, because the events themselves are.
 */
function bodyOf(data: unknown, { datacontenttype: contentType }: Readonly<Record<string, unknown>>) {
  const isText = typeof data === "string";
  if (typeof contentType !== "string" || !(isText || data instanceof Uint8Array)) return { body: data };
  if (!isJson(contentType)) return { body: data, bodyContentType: contentType };
  return isText ? { body: data } : { body: data, bodyContentType: contentType, bodySerializer: nestedJson };
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

function isJson(contentType: string): boolean {
  return /^\s*[\w.+-]+\/(?:json|[\w.-]+\+json)\s*(?:;|$)/i.test(contentType);
}

/**
 * The value of an event's data in the Avro format, in which each object inside the data is a record with the one field `value`. Source:
 * CloudEvents 1.0, Avro event format, `CloudEventData`.
 */
function fromAvroData(data: unknown): unknown {
  if (Array.isArray(data)) return data.map(fromAvroRecord);
  return isRecord(data)
    ? mapValues(data, (value) => (isRecord(value) ? fromAvroRecord(value) : value))
    : data;
}

function fromAvroRecord(record: unknown): unknown {
  if (!isRecord(record) || !isRecord(record.value)) throw malformed("data that is not of its Avro schema");
  return mapValues(record.value, (value) => {
    if (Array.isArray(value)) return value.map(fromAvroRecord);
    return isRecord(value) ? mapValues(value, fromAvroRecord) : value;
  });
}

function mapValues(
  object: Readonly<Record<string, unknown>>,
  change: (value: unknown) => unknown,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));
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
