import { type Serializer, WaybillError } from "@waybill/core";
import {
  type BodyCheck,
  type DeserializeContext,
  decodeFailure,
  type SerializeContext,
  type SerializedBody,
  type SerializerContext,
} from "@waybill/core/serializer";
import { avroContract } from "./contract.js";
import { readValue } from "./decode.js";
import { type WriteLimits, writeValue } from "./encode.js";
import { type AvroOptions, checkSchemaId, type ResolvedAvroOptions, resolveAvroOptions } from "./options.js";
import {
  planByFingerprint,
  planFetched,
  type ResolvedMessageSchema,
  schemaUnknown,
} from "./schema/message-schema.js";
import {
  describeMessageType,
  schemaByFingerprint,
  schemaById,
  schemaForWriter,
  schemaToWrite,
  whyUnwritable,
} from "./schema/message-schemas.js";
import { describeId } from "./schema/schema-source.js";

/** What is written. Source: AVRO-488. */
const mediaType = "application/avro";

/** The other media types are in common use. Source: Azure Schema Registry. */
const mediaTypes = Object.freeze([
  mediaType,
  "avro/binary",
  "application/vnd.apache.avro",
  "application/x-avro",
  "+avro",
]);

const singleObjectHeaderSize = 10;
const confluentHeaderSize = 5;

/**
 * Avro: writes single-object encoding and reads bodies of every known schema as the newest. A body is read only if it identifies its writer
 * schema; without that it is `identity-missing`, with an unknown schema `schema-unknown`.
 * Throws a `TypeError` when the schemas or options are not valid. Source: Avro specification 1.12, "Single-object encoding".
 */
export function avro(options: AvroOptions = {}): Serializer {
  const resolved = resolveAvroOptions(options);
  return Object.freeze({
    name: "avro",
    mediaTypes,
    detection: "magic",
    leadingBytes: Object.freeze(resolved.acceptsConfluent ? [0xc3, 0x00] : [0xc3]),
    conforming: true,
    validation: "format",
    compileSchema: (schema: unknown, where: string) => compileSchemaOf(resolved, schema, where),
    checkFor: (context: SerializerContext) => checkOfType(resolved, context),
    cannotWrite: (target) => whyUnwritable(resolved.schemas, target),
    contract: avroContract(options, resolved, avro),
    serialize: (value: unknown, context: SerializeContext) => serialize(resolved, value, context),
    deserialize: (bytes: Uint8Array, context: DeserializeContext) => deserialize(resolved, bytes, context),
  } satisfies Serializer);
}

/** The compiled schema of a definition. A value is valid if it can be written. */
function compileSchemaOf(
  { schemas, framing }: ResolvedAvroOptions,
  schema: unknown,
  where: string,
): BodyCheck {
  let type: ResolvedMessageSchema["reader"]["type"];
  try {
    const found = schemas.find({ ...noContext, schema });
    if (found === undefined) throw new TypeError("it is not a schema");
    if (framing !== "single-object") checkSchemaId(found.schemaId, framing);
    type = found.reader.type;
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    throw new TypeError(`The schema of ${where} does not compile: ${text}`, { cause: error });
  }
  return checkBy(type);
}

/** The check of messages of a message type; other messages may have no body, or an AMQP value that has nothing to do with the schema. */
function checkOfType({ schemas }: ResolvedAvroOptions, context: SerializerContext): BodyCheck | undefined {
  const found = context.messageVersion === undefined ? undefined : schemas.find(context);
  return found && checkBy(found.reader.type);
}

function checkBy(type: ResolvedMessageSchema["reader"]["type"]): BodyCheck {
  return (value) => {
    try {
      writeValue(type, value, checkedLimits);
      return { isValid: true, value };
    } catch (error) {
      if (!(error instanceof WaybillError)) throw error;
      return { isValid: false, text: error.text };
    }
  };
}

const noContext = Object.freeze({
  messageType: undefined,
  contentType: undefined,
  mediaType: undefined,
  applicationProperties: Object.freeze({}),
  abortSignal: undefined,
});

/** The limit of values that are only validated: they were limited when they were read. */
const checkedLimits: WriteLimits = { maxDepth: 1_000 };

function serialize(
  { schemas, framing }: ResolvedAvroOptions,
  value: unknown,
  context: SerializeContext,
): SerializedBody {
  const schema = schemaToWrite(schemas, context);
  const { reader } = schema;
  if (framing === "single-object") {
    const bytes = writeValue(reader.type, value, context, (tap) =>
      tap.writeSingleObjectHeader(reader.fingerprintLow, reader.fingerprintHigh),
    );
    return { bytes, contentType: mediaType };
  }
  const schemaId = checkSchemaId(schema.schemaId, framing);
  if (framing === "raw")
    return {
      bytes: writeValue(reader.type, value, context),
      contentType: `avro/binary+${schemaId}`,
    };
  const bytes = writeValue(reader.type, value, context, (tap) => tap.writeConfluentHeader(Number(schemaId)));
  return { bytes, contentType: mediaType };
}

function deserialize(options: ResolvedAvroOptions, bytes: Uint8Array, context: DeserializeContext): unknown {
  const labelId = context.mediaType?.essence === "avro/binary" ? context.mediaType.schemaId : undefined;
  if (labelId !== undefined) return readById(options, labelId, bytes, 0, context);
  if (bytes[0] === 0xc3 && bytes[1] === 0x01) return readSingleObject(options, bytes, context);
  if (bytes[0] === 0x00 && options.acceptsConfluent && bytes.length >= confluentHeaderSize) {
    const id = new DataView(bytes.buffer, bytes.byteOffset).getInt32(1);
    return readById(options, String(id), bytes, confluentHeaderSize, context);
  }
  if (options.acceptsUnframed && context.isDeclared) return readUnframed(options, bytes, context);
  throw decodeFailure(
    "identity-missing",
    "The Avro body does not identify its writer schema: it has no single-object header, and its content type has no schema id.",
  );
}

function readSingleObject(
  { schemas }: ResolvedAvroOptions,
  bytes: Uint8Array,
  context: DeserializeContext,
): unknown {
  if (bytes.length < singleObjectHeaderSize)
    throw decodeFailure("truncated", "The Avro body ends inside its single-object header.");
  const low = readUint32(bytes, 2);
  const high = readUint32(bytes, 6);
  const schema = schemaByFingerprint(schemas, context, low, high);
  const plan = schema && planByFingerprint(schema, low, high);
  if (plan === undefined) throw schemaUnknown(`the schema fingerprint 0x${toHex(high)}${toHex(low)}`);
  return readValue(plan, bytes, singleObjectHeaderSize, context);
}

function readById(
  { schemas, source }: ResolvedAvroOptions,
  id: string,
  bytes: Uint8Array,
  start: number,
  context: DeserializeContext,
): unknown {
  const known = schemaById(schemas, context, id)?.byId.get(id);
  if (known !== undefined) return readValue(known, bytes, start, context);
  if (source === undefined) throw schemaUnknown(describeId(id));
  const writer = source(id, context.abortSignal);
  if (writer instanceof Promise)
    return writer.then((fetched) => {
      const plan = planFetched(schemaForWriter(schemas, context, fetched), fetched);
      return readValue(plan, bytes, start, context);
    });
  const plan = planFetched(schemaForWriter(schemas, context, writer), writer);
  return readValue(plan, bytes, start, context);
}

function readUnframed(
  { schemas }: ResolvedAvroOptions,
  bytes: Uint8Array,
  context: DeserializeContext,
): unknown {
  const schema: ResolvedMessageSchema | undefined = schemas.find(context);
  if (schema === undefined)
    throw decodeFailure(
      "schema-unknown",
      `Avro has no schema for ${describeMessageType(context.messageType)}.`,
    );
  return readValue(schema.reader.type, bytes, 0, context);
}

function readUint32(bytes: Uint8Array, offset: number): number {
  return (
    (byteAt(bytes, offset) |
      (byteAt(bytes, offset + 1) << 8) |
      (byteAt(bytes, offset + 2) << 16) |
      (byteAt(bytes, offset + 3) << 24)) >>>
    0
  );
}

/** Callers ensure that the bytes exist. */
function byteAt(bytes: Uint8Array, at: number): number {
  return bytes[at] ?? 0;
}

function toHex(half: number): string {
  return half.toString(16).padStart(8, "0");
}
