import type { ByteReader } from "./byte-reader.js";
import type { ByteWriter } from "./byte-writer.js";
import { readValue } from "./decode.js";
import { writeListOf, writeSymbol, writeUint, writeUlong, writeValue } from "./encode.js";
import { type AmqpDescribed, AmqpMap, type AmqpValue, isTyped, typeName } from "./value.js";

/** The JavaScript type of each kind of field. `symbols` is a field with multiple="true" (1.4). */
export interface FieldTypes {
  boolean: boolean;
  ubyte: number;
  ushort: number;
  uint: number;
  ulong: bigint;
  string: string;
  symbol: string;
  symbols: readonly string[];
  binary: Uint8Array;
  timestamp: Date;
  map: AmqpMap;
  value: AmqpValue;
}

type FieldKind = keyof FieldTypes;

/** Fields in wire order with their kinds; `!` marks a mandatory one. */
export type FieldTable = Readonly<Record<string, FieldKind | `${FieldKind}!`>>;

/** A composite type (1.4): a list of fields under a descriptor. */
export interface Composite<Table extends FieldTable> {
  /** For error texts, for example "open". */
  readonly name: string;
  readonly code: number;
  readonly fields: Table;
  readonly layout: readonly FieldLayout[];
  /** Number of fields up to the last mandatory one. */
  readonly mandatoryLength: number;
}

interface FieldLayout {
  readonly name: string;
  readonly kind: FieldKind;
  readonly isMandatory: boolean;
}

/** A composite's fields; optional ones are `undefined` if the peer omitted them or sent null. */
export type FieldsOf<Table extends FieldTable> = {
  readonly [K in keyof Table]: Table[K] extends `${infer Kind extends FieldKind}!`
    ? FieldTypes[Kind]
    : Table[K] extends FieldKind
      ? FieldTypes[Table[K]] | undefined
      : never;
};

/** Defines a composite type of the specification. */
export function defineComposite<const Table extends FieldTable>(
  name: string,
  code: number,
  fields: Table,
): Composite<Table> {
  const layout = Object.entries(fields).map(([field, kind]) => ({
    name: field,
    kind: kind.replace("!", "") as FieldKind,
    isMandatory: kind.endsWith("!"),
  }));
  const mandatoryLength = layout.findLastIndex(({ isMandatory }) => isMandatory) + 1;
  return { name, code, fields, layout, mandatoryLength };
}

/**
 * Appends a composite with its complete list of fields, null for omitted ones: some peers read trailing optional fields without checking
 * the list's length.
 */
export function writeComposite<Table extends FieldTable>(
  writer: ByteWriter,
  { code, layout }: Composite<Table>,
  values: Partial<FieldsOf<Table>>,
): void {
  writeDescriptor(writer, code);
  writeListOf(writer, layout.length, () => {
    for (const { name, kind } of layout) {
      writeField(writer, kind, (values as Record<string, unknown>)[name]);
    }
  });
}

/** Appends the descriptor of a type of the specification, as a small ulong. */
export function writeDescriptor(writer: ByteWriter, code: number): void {
  writer.ensure(3);
  writer.buffer[writer.position++] = 0x00;
  writer.buffer[writer.position++] = 0x53;
  writer.buffer[writer.position++] = code;
}

/** Reads the list after a descriptor. Throws like `readFields`. */
export function readComposite<Table extends FieldTable>(
  reader: ByteReader,
  composite: Composite<Table>,
): FieldsOf<Table> {
  return readFields(reader, composite, readValue(reader));
}

/** The fields in a described list. Throws `AmqpDecodeError` with the name of a missing or mistyped field. */
export function readFields<Table extends FieldTable>(
  reader: ByteReader,
  composite: Composite<Table>,
  list: AmqpValue,
): FieldsOf<Table> {
  if (!Array.isArray(list)) return reader.fail(`${composite.name} is not a list`);
  const values: Record<string, unknown> = {};
  const { layout, mandatoryLength } = composite;
  const length = Math.min(layout.length, Math.max(list.length, mandatoryLength));
  for (let index = 0; index < length; index++) {
    const slot = layout[index];
    if (slot === undefined) break;
    const { name, kind, isMandatory } = slot;
    const value = (list[index] ?? null) as AmqpValue;
    if (value === null) {
      if (isMandatory) reader.fail(`${composite.name} lacks its mandatory field ${name}`);
      values[name] = undefined;
      continue;
    }
    const field = toField(kind, value);
    if (field === undefined) {
      reader.fail(`${composite.name}.${name} is not a ${kind} but a ${typeName(value)}`);
    }
    values[name] = field;
  }
  return values as FieldsOf<Table>;
}

/** Reads a descriptor and returns its code, or -1 if the specification does not define it. */
export function readDescriptor(reader: ByteReader): number {
  if (reader.readUint8() !== 0x00) reader.fail("a described value was expected");
  if (reader.position < reader.end && reader.buffer[reader.position] === 0x53) {
    reader.position++;
    return reader.readUint8();
  }
  return descriptorCode(readValue(reader));
}

/** The code of a numeric or symbolic descriptor; -1 if the specification does not define it. */
function descriptorCode(descriptor: AmqpValue): number {
  if (!isTyped(descriptor)) return -1;
  if (descriptor.type === "ulong" && descriptor.value < 256n) return Number(descriptor.value);
  if (descriptor.type === "symbol") return symbolicDescriptors.get(descriptor.value) ?? -1;
  return -1;
}

/** The code of a described value's descriptor; -1 for any other value. */
export function codeOf(value: AmqpValue | undefined): number {
  return isDescribed(value) ? descriptorCode(value.descriptor) : -1;
}

/** Whether a value is a described one (1.1.2). */
export function isDescribed(value: AmqpValue | undefined): value is AmqpDescribed {
  return isTyped(value) && value.type === "described";
}

function writeField(writer: ByteWriter, kind: FieldKind, value: unknown): void {
  if (value === undefined) {
    writeValue(writer, null);
    return;
  }
  switch (kind) {
    case "ubyte":
    case "ushort":
      writeValue(writer, { type: kind, value: value as number });
      return;
    case "uint":
      writeUint(writer, value as number);
      return;
    case "ulong":
      writeUlong(writer, value as bigint);
      return;
    case "symbol":
      writeSymbol(writer, value as string);
      return;
    case "symbols":
      writeSymbols(writer, value as readonly string[]);
      return;
    case "timestamp":
      writeValue(writer, { type: "timestamp", value: BigInt((value as Date).getTime()) });
      return;
    default:
      writeValue(writer, value as AmqpValue);
      return;
  }
}

function writeSymbols(writer: ByteWriter, symbols: readonly string[]): void {
  const values = symbols.map((value) => ({ type: "symbol", value }) as const);
  writeValue(writer, { type: "array", elementType: "symbol", descriptors: [], values });
}

/** Converts a field to JavaScript; `undefined` if the value's type does not fit. Numbers may have a narrower type. */
function toField(kind: FieldKind, value: AmqpValue): unknown {
  switch (kind) {
    case "boolean":
      return typeof value === "boolean" ? value : undefined;
    case "ubyte":
      return toUnsigned(value, 0xff);
    case "ushort":
      return toUnsigned(value, 0xffff);
    case "uint":
      return toUnsigned(value, 0xffffffff);
    case "ulong":
      return toUlong(value);
    case "string":
    case "symbol":
      return toText(value);
    case "symbols":
      return toSymbols(value);
    case "binary":
      return value instanceof Uint8Array ? value : undefined;
    case "timestamp":
      return isTyped(value) && value.type === "timestamp" ? toDate(Number(value.value)) : undefined;
    case "map":
      return value instanceof AmqpMap ? value : undefined;
    case "value":
      return value;
  }
}

/** A timestamp beyond the range of `Date` becomes the nearest `Date`. */
function toDate(ms: number): Date {
  return new Date(Math.max(-maxDateMs, Math.min(ms, maxDateMs)));
}

function toUnsigned(value: AmqpValue, max: number): number | undefined {
  if (!isTyped(value)) return undefined;
  if (value.type !== "ubyte" && value.type !== "ushort" && value.type !== "uint") return undefined;
  return value.value <= max ? value.value : undefined;
}

function toUlong(value: AmqpValue): bigint | undefined {
  if (isTyped(value) && value.type === "ulong") return value.value;
  const narrower = toUnsigned(value, 0xffffffff);
  return narrower === undefined ? undefined : BigInt(narrower);
}

function toText(value: AmqpValue): string | undefined {
  if (typeof value === "string") return value;
  return isTyped(value) && value.type === "symbol" ? value.value : undefined;
}

function toSymbols(value: AmqpValue): readonly string[] | undefined {
  const one = toText(value);
  if (one !== undefined) return [one];
  if (!isTyped(value) || value.type !== "array") return undefined;
  const many = value.values.map(toText);
  return many.every((text) => text !== undefined) ? (many as string[]) : undefined;
}

/** The range of `Date`, in ms before and after the epoch. */
const maxDateMs = 8.64e15;

/** The symbolic descriptors of parts 2 to 5, which a peer may use instead of the codes. */
const symbolicDescriptors: ReadonlyMap<string, number> = new Map([
  ["amqp:open:list", 0x10],
  ["amqp:begin:list", 0x11],
  ["amqp:attach:list", 0x12],
  ["amqp:flow:list", 0x13],
  ["amqp:transfer:list", 0x14],
  ["amqp:disposition:list", 0x15],
  ["amqp:detach:list", 0x16],
  ["amqp:end:list", 0x17],
  ["amqp:close:list", 0x18],
  ["amqp:error:list", 0x1d],
  ["amqp:received:list", 0x23],
  ["amqp:accepted:list", 0x24],
  ["amqp:rejected:list", 0x25],
  ["amqp:released:list", 0x26],
  ["amqp:modified:list", 0x27],
  ["amqp:source:list", 0x28],
  ["amqp:target:list", 0x29],
  ["amqp:coordinator:list", 0x30],
  ["amqp:declare:list", 0x31],
  ["amqp:discharge:list", 0x32],
  ["amqp:declared:list", 0x33],
  ["amqp:transactional-state:list", 0x34],
  ["amqp:sasl-mechanisms:list", 0x40],
  ["amqp:sasl-init:list", 0x41],
  ["amqp:sasl-challenge:list", 0x42],
  ["amqp:sasl-response:list", 0x43],
  ["amqp:sasl-outcome:list", 0x44],
  ["amqp:header:list", 0x70],
  ["amqp:delivery-annotations:map", 0x71],
  ["amqp:message-annotations:map", 0x72],
  ["amqp:properties:list", 0x73],
  ["amqp:application-properties:map", 0x74],
  ["amqp:data:binary", 0x75],
  ["amqp:amqp-sequence:list", 0x76],
  ["amqp:amqp-value:*", 0x77],
  ["amqp:footer:map", 0x78],
]);
