import { inflateSync } from "node:zlib";
import { type Serializer, WaybillError } from "@waybill/core";
import {
  type Awaitable,
  type DeserializeContext,
  decodeFailure,
  encodeFailure,
  quoted,
  type SerializeContext,
  type SerializedBody,
  type WriteContext,
} from "@waybill/core/serializer";
import { diagnoseFraming } from "../framing/diagnose-framing.js";
import {
  type Framed,
  findFraming,
  frameHeader,
  hasSchemaHeader,
  leadingBytesOf,
} from "../framing/framing.js";
import { cachedSchemas, isPromiseLike, withValue } from "../sources/cached-schemas.js";
import type {
  RegisteredSchema,
  SchemaFormat,
  SchemaFraming,
  SchemaToWrite,
} from "../sources/schema-source.js";
import type { ResolvedRegistryOptions } from "./registry-options.js";
import { writtenIds } from "./written-ids.js";

/** Reads a payload that was written under one schema of a registry. */
export type SchemaReader = (
  payload: Uint8Array,
  context: DeserializeContext,
  framed: Framed,
) => Awaitable<unknown>;

/** An encoded value, before its schema's id is added. */
export interface Payload {
  readonly bytes: Uint8Array;
  /** The bytes between the id and the payload: the message indexes of Protobuf. */
  readonly prefix?: Uint8Array | undefined;
}

/** What each format implements. */
export interface RegisteredFormat {
  readonly format: SchemaFormat;
  /** The serializer that reads bodies without a framing; its name and media types are used. */
  readonly plain: Serializer;
  /** The media type to which `"azure"` adds the id, and the one for bodies that contain their id. */
  readonly mediaTypes: { readonly azure: string | undefined; readonly framed: string };
  /** Creates a reader for a registry's schema. Throws for an unusable schema. */
  compile(schema: RegisteredSchema, id: string): SchemaReader;
  /** Why no value of a message type can be written, whatever the registry says. */
  cannotWrite(target: WriteContext): string | undefined;
  /** The schema with which a value is written; `id` if it is known without a registry. */
  toWrite(value: unknown, context: SerializeContext): SchemaToWrite & { readonly id?: string | undefined };
  write(value: unknown, context: SerializeContext, schema: SchemaToWrite, id: string): Awaitable<Payload>;
}

/** Maximum size of a decompressed AWS Glue payload: the default of `maxDecompressedBytes`. */
const maxInflatedBytes = 16 * 1024 * 1024;

/** A serializer whose bodies contain their schema's id in a registry. Recognises them by their framing or their content type. */
export function registeredSerializer(options: ResolvedRegistryOptions, format: RegisteredFormat): Serializer {
  const { framings, source } = options;
  const { plain } = format;
  const idOf = writtenIds(options);
  const readerOf = cachedSchemas(source, options.cache, (schema, id) => {
    if (schema.format !== undefined && schema.format !== format.format) throw otherFormat(schema.format, id);
    return format.compile(schema, id);
  });

  function deserialize(bytes: Uint8Array, context: DeserializeContext): Awaitable<unknown> {
    const framed = findFraming(bytes, context, framings);
    if (framed === undefined) return readUnframed(bytes, context);
    const payload = payloadOf(bytes, framed);
    const explain = (error: unknown): never => {
      throw withDiagnosis(error, bytes, framings);
    };
    try {
      const read = readerOf(framed.id);
      if (!isPromiseLike(read)) return read(payload, context, framed);
      return read.then((known) => known(payload, context, framed)).catch(explain);
    } catch (error) {
      return explain(error);
    }
  }

  function readUnframed(bytes: Uint8Array, context: DeserializeContext): Awaitable<unknown> {
    if (!context.isDeclared && plain.leadingBytes?.includes(bytes[0] ?? -1) !== true)
      throw withoutIdentity(bytes, framings);
    try {
      const value = plain.deserialize(bytes, context);
      // A framing is sufficient evidence; without one, the format's own recognition decides.
      return plain.detection === "magic" || context.isDeclared ? value : requireContainer(value);
    } catch (error) {
      const isUnknown = error instanceof WaybillError && error.reason === "identity-missing";
      throw isUnknown ? withoutIdentity(bytes, framings) : error;
    }
  }

  function serialize(value: unknown, context: SerializeContext): Awaitable<SerializedBody> {
    const schema = format.toWrite(value, context);
    const id = schema.id ?? idOf({ ...schema, subject: options.subject(context) ?? schema.subject });
    return withValue(id, (known) =>
      withValue(format.write(value, context, schema, known), (payload) =>
        framedBody(payload, known, framings[0] as SchemaFraming, format),
      ),
    );
  }

  return Object.freeze({
    name: plain.name,
    mediaTypes: plain.mediaTypes,
    detection: "magic",
    leadingBytes: Object.freeze([...new Set([...(plain.leadingBytes ?? []), ...leadingBytesOf(framings)])]),
    conforming: true,
    validation: "format",
    identifies: (properties) => hasSchemaHeader(properties, framings),
    ...(plain.readsEmptyBodies === true ? { readsEmptyBodies: true } : undefined),
    ...(plain.checkFor === undefined ? undefined : { checkFor: plain.checkFor }),
    ...(plain.compileSchema === undefined ? undefined : { compileSchema: plain.compileSchema }),
    cannotWrite: format.cannotWrite,
    serialize,
    deserialize,
  } satisfies Serializer);
}

function payloadOf(bytes: Uint8Array, { start, isDeflated }: Framed): Uint8Array {
  const payload = start === 0 ? bytes : bytes.subarray(start);
  if (isDeflated !== true) return payload;
  try {
    const { buffer, engine } = inflate(payload, { maxOutputLength: maxInflatedBytes, info: true });
    if (engine.bytesWritten !== payload.length)
      throw new Error("The zlib data ends before the end of the payload.");
    return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.length);
  } catch (error) {
    const isTooLarge = (error as { code?: unknown }).code === "ERR_BUFFER_TOO_LARGE";
    throw decodeFailure(
      isTooLarge ? "decompressed-too-large" : "compression-corrupt",
      isTooLarge
        ? `The decompressed payload exceeds ${maxInflatedBytes} bytes.`
        : "The payload is declared as compressed, but is not zlib, or continues after its end.",
    );
  }
}

/** With `info`, zlib also tells how many bytes of its input it used. */
const inflate = inflateSync as unknown as (
  bytes: Uint8Array,
  options: { readonly maxOutputLength: number; readonly info: true },
) => { readonly buffer: Buffer; readonly engine: { readonly bytesWritten: number } };

function framedBody(
  { bytes, prefix }: Payload,
  id: string,
  framing: SchemaFraming,
  { mediaTypes }: RegisteredFormat,
): SerializedBody {
  if (framing === "azure") {
    if (mediaTypes.azure === undefined) throw unwritable(framing);
    return { bytes, contentType: `${mediaTypes.azure}+${id}` };
  }
  const header = headerFor(framing, id);
  if (header === undefined) throw unwritable(framing);
  const body = new Uint8Array(header.length + (prefix?.length ?? 0) + bytes.length);
  body.set(header);
  if (prefix !== undefined) body.set(prefix, header.length);
  body.set(bytes, body.length - bytes.length);
  return { bytes: body, contentType: mediaTypes.framed };
}

function headerFor(framing: SchemaFraming, id: string): Uint8Array | undefined {
  try {
    return frameHeader(framing, id);
  } catch {
    throw encodeFailure(`The schema id ${quoted(id, 64)} cannot be written in ${framing} framing.`);
  }
}

function unwritable(framing: SchemaFraming): Error {
  return encodeFailure(`The framing ${framing} is read-only; to write, put another one first in framings.`);
}

function otherFormat(format: SchemaFormat, id: string): Error {
  return decodeFailure(
    "schema-unknown",
    `The schema with the id ${quoted(id, 64)} is a ${names[format]} schema.`,
  );
}

const names: Readonly<Record<SchemaFormat, string>> = { avro: "Avro", json: "JSON", protobuf: "Protobuf" };

function withoutIdentity(bytes: Uint8Array, framings: readonly SchemaFraming[]): Error {
  const looks = diagnoseFraming(bytes);
  return decodeFailure(
    "identity-missing",
    `The body has no schema id in ${framings.join(" or ")} framing.${looks === undefined ? "" : ` It looks like ${looks}.`}`,
  );
}

/** If bytes fit several framings, an unknown id may belong to another registry: the text of the attempt mentions this. */
function withDiagnosis(error: unknown, bytes: Uint8Array, framings: readonly SchemaFraming[]): unknown {
  if (!(error instanceof WaybillError) || error.reason !== "schema-unknown") return error;
  const looks = diagnoseFraming(bytes);
  if (looks === undefined) return error;
  return decodeFailure(
    "schema-unknown",
    `${error.text} It was read in ${framings.join(" or ")} framing, but looks like ${looks}.`,
  );
}

function requireContainer(value: Awaitable<unknown>): Awaitable<unknown> {
  if (isPromiseLike(value)) return value.then(requireContainer);
  if (typeof value === "object" && value !== null) return value;
  throw decodeFailure(
    "root-not-container",
    "Without a content type, only an object or an array is recognised.",
  );
}
