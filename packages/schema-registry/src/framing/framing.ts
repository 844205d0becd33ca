import type { ApplicationProperties } from "@waybill/core";
import { type DeserializeContext, decodeFailure, quoted } from "@waybill/core/serializer";
import { hex } from "@waybill/foundation";
import type { SchemaFraming } from "../sources/schema-source.js";
import { isGrpc } from "./is-grpc.js";

/** The schema id of a body, and where the payload begins. */
export interface Framed {
  readonly framing: SchemaFraming;
  readonly id: string;
  readonly start: number;
  /** Whether the payload is compressed, as in AWS Glue. */
  readonly isDeflated?: true;
  /** The bytes after the id in a header: the message indexes of Protobuf. */
  readonly rest?: Uint8Array;
}

/** The application property that holds the schema's id in Confluent's header form. Source: confluent-kafka-javascript, `serde.ts`. */
const confluentHeader = "__value_schema_id";
/** Source: Apicurio Registry, `KafkaSerdeHeaders`. */
const apicurioHeaders = ["apicurio.value.contentId", "apicurio.value.globalId"] as const;

/** The first byte of each framing that writes bytes. */
const firstBytes: Readonly<Partial<Record<SchemaFraming, number>>> = {
  "azure-beta": 0x00,
  confluent: 0x00,
  "confluent-guid": 0x01,
  apicurio: 0x00,
  "apicurio-8-byte": 0x00,
  glue: 0x03,
};

/** The first bytes of bodies in these framings. */
export function leadingBytesOf(framings: readonly SchemaFraming[]): readonly number[] {
  return [...new Set(framings.flatMap((framing) => firstBytes[framing] ?? []))];
}

/** Whether application properties hold a schema's id in one of these framings. */
export function hasSchemaHeader(
  properties: ApplicationProperties,
  framings: readonly SchemaFraming[],
): boolean {
  if (framings.includes("confluent-header") && properties[confluentHeader] !== undefined) return true;
  return (
    framings.includes("apicurio-header") && apicurioHeaders.some((name) => properties[name] !== undefined)
  );
}

/** Finds the schema id by the first of these framings that the body has; undefined if it has none of them. */
export function findFraming(
  bytes: Uint8Array,
  context: DeserializeContext,
  framings: readonly SchemaFraming[],
): Framed | undefined {
  for (const framing of framings) {
    const found = readers[framing](bytes, context);
    if (found !== undefined) return { framing, ...found };
  }
  return undefined;
}

type Reader = (bytes: Uint8Array, context: DeserializeContext) => Omit<Framed, "framing"> | undefined;

const readers: Readonly<Record<SchemaFraming, Reader>> = {
  azure: (_, { mediaType }) =>
    mediaType?.schemaId === undefined ? undefined : { id: labelledId(mediaType.schemaId), start: 0 },
  "azure-beta": (bytes) => {
    const id = betaId(bytes);
    return id === undefined ? undefined : { id, start: 36 };
  },
  confluent: framedIntId,
  "confluent-guid": (bytes) =>
    bytes[0] === 0x01 && bytes.length >= 17 ? { id: uuid(bytes, 1), start: 17 } : undefined,
  "confluent-header": (_, { applicationProperties }) => headerId(applicationProperties[confluentHeader]),
  apicurio: framedIntId,
  "apicurio-8-byte": (bytes) => longId(bytes),
  "apicurio-header": (_, { applicationProperties }) => apicurioId(applicationProperties),
  glue: (bytes) => {
    if (bytes[0] !== 0x03 || bytes.length < 18 || (bytes[1] !== 0x00 && bytes[1] !== 0x05)) return undefined;
    const framed = { id: uuid(bytes, 2), start: 18 };
    return bytes[1] === 0x05 ? { ...framed, isDeflated: true } : framed;
  },
};

/** The names of all framings. */
export const knownFramings: readonly string[] = Object.keys(readers);

/** The id in the preamble of Azure's first serializers: four zero bytes, then 32 hexadecimal digits. */
export function betaId(bytes: Uint8Array): string | undefined {
  if (bytes.length < 36 || bytes[0] !== 0 || bytes[1] !== 0 || bytes[2] !== 0 || bytes[3] !== 0)
    return undefined;
  const id = String.fromCharCode(...bytes.subarray(4, 36));
  return /^[0-9a-f]{32}$/i.test(id) ? id : undefined;
}

/** The text after `+` in a content type. It becomes part of addresses, so it must be a name without `/`, `%` or a leading dot. */
function labelledId(text: string): string {
  if (/^\w[\w.-]{0,127}$/.test(text)) return text;
  throw decodeFailure(
    "schema-unknown",
    `The content type has the schema id ${quoted(text, 64)}, which is none.`,
  );
}

/** An id in the first bytes. Without a content type, a body of gRPC is not taken for one, although it begins alike. */
function framedIntId(
  bytes: Uint8Array,
  { isDeclared }: DeserializeContext,
): Omit<Framed, "framing"> | undefined {
  const found = intId(bytes);
  return found === undefined || (!isDeclared && isGrpc(bytes)) ? undefined : found;
}

/** Registries count their ids from 1: zeros are the first half of an id of eight bytes, or no id. */
function intId(bytes: Uint8Array): Omit<Framed, "framing"> | undefined {
  if (bytes[0] !== 0x00 || bytes.length < 5) return undefined;
  const id = new DataView(bytes.buffer, bytes.byteOffset).getInt32(1);
  return id <= 0 ? undefined : { id: String(id), start: 5 };
}

/** Only ids of up to 31 bits, as registries have them: the bytes of other ids are more likely a payload. */
function longId(bytes: Uint8Array): Omit<Framed, "framing"> | undefined {
  if (bytes[0] !== 0x00 || bytes.length < 9) return undefined;
  const id = new DataView(bytes.buffer, bytes.byteOffset).getBigInt64(1);
  return id <= 0n || id > 0x7fff_ffffn ? undefined : { id: String(id), start: 9 };
}

/** `01` and a GUID, or `00` and a number, followed by the message indexes of Protobuf. */
function headerId(value: unknown): Omit<Framed, "framing"> | undefined {
  if (!(value instanceof Uint8Array)) return undefined;
  if (value[0] === 0x01 && value.length >= 17)
    return { id: uuid(value, 1), start: 0, rest: value.subarray(17) };
  const found = intId(value);
  return found === undefined ? undefined : { id: found.id, start: 0, rest: value.subarray(5) };
}

/** Longs, as AMQP numbers or as the eight bytes of a Kafka header. */
function apicurioId(properties: ApplicationProperties): Omit<Framed, "framing"> | undefined {
  for (const name of apicurioHeaders) {
    const value = properties[name];
    const isNumber = typeof value === "bigint" || (typeof value === "number" && Number.isSafeInteger(value));
    const id =
      value instanceof Uint8Array && value.length === 8
        ? new DataView(value.buffer, value.byteOffset).getBigInt64(0)
        : isNumber
          ? BigInt(value)
          : undefined;
    if (id !== undefined && id >= 0n)
      return { id: name.endsWith("globalId") ? `globalId:${id}` : String(id), start: 0 };
  }
  return undefined;
}

/** 16 bytes as a UUID's text. */
function uuid(bytes: Uint8Array, start: number): string {
  return hex(bytes.subarray(start, start + 16)).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/**
 * The bytes to write before a payload; undefined for a framing that is not written. Throws `RangeError` for an id that does not fit the framing.
 */
export function frameHeader(framing: SchemaFraming, id: string): Uint8Array | undefined {
  switch (framing) {
    case "confluent":
    case "apicurio": {
      const header = new Uint8Array(5);
      if (!/^\d{1,10}$/.test(id) || Number(id) > 0x7fffffff)
        throw new RangeError("not an integer of 31 bits");
      new DataView(header.buffer).setInt32(1, Number(id));
      return header;
    }
    case "confluent-guid": {
      const hex = id.replaceAll("-", "");
      if (!/^[0-9a-f]{32}$/i.test(hex)) throw new RangeError("not a GUID");
      return Uint8Array.from([
        1,
        ...Array.from({ length: 16 }, (_, at) => Number.parseInt(hex.slice(2 * at, 2 * at + 2), 16)),
      ]);
    }
    default:
      return undefined;
  }
}
