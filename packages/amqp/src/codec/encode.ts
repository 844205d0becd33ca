import { ByteWriter } from "./byte-writer.js";
import {
  type AmqpArray,
  AmqpMap,
  type AmqpTyped,
  type AmqpTypeName,
  type AmqpValue,
  isTyped,
  typeName,
} from "./value.js";

/** Encodes a value in its shortest form (1.6). Throws `TypeError` or `RangeError` for values that are not AMQP values. */
export function encodeValue(value: AmqpValue): Uint8Array {
  const writer = new ByteWriter(256);
  writeValue(writer, value);
  return concatenate(writer.take());
}

/** Appends a value in its shortest form. Throws `TypeError` or `RangeError` for values that are not AMQP values. */
export function writeValue(writer: ByteWriter, value: AmqpValue): void {
  if (typeof value === "string") writeString(writer, value);
  else if (value === null) writeCode(writer, 0x40);
  else if (typeof value === "boolean") writeCode(writer, value ? 0x41 : 0x42);
  else if (typeof value === "number") writeDouble(writer, value);
  else if (value instanceof Uint8Array) writeBinary(writer, value);
  else if (value instanceof AmqpMap) writeMap(writer, value);
  else if (isTyped(value)) writeTyped(writer, value);
  else if (Array.isArray(value)) writeList(writer, value);
  else throw new TypeError(`not an AMQP value: ${typeof value}`);
}

/** Appends a symbol (1.6.21) from its text. */
export function writeSymbol(writer: ByteWriter, text: string): void {
  writer.ensure(text.length + 5);
  writeVariableHead(writer, 0xa3, text.length);
  writer.position += writer.buffer.write(text, writer.position, "latin1");
}

/** Appends a uint (1.6.5): one, two or five bytes. */
export function writeUint(writer: ByteWriter, value: number): void {
  writer.ensure(5);
  if (value > 0xffffffff) throw new RangeError(`a uint must be at most ${0xffffffff}`);
  putUint(writer, value);
}

/** Appends a uint field, null if `undefined`. The caller must have ensured the space. */
export function putUint(writer: ByteWriter, value: number | undefined): void {
  const { buffer, position } = writer;
  if (value === undefined) {
    buffer[position] = 0x40;
    writer.position = position + 1;
  } else if (value === 0) {
    buffer[position] = 0x43;
    writer.position = position + 1;
  } else if (value < 256) {
    buffer[position] = 0x52;
    buffer[position + 1] = value;
    writer.position = position + 2;
  } else {
    buffer[position] = 0x70;
    buffer[position + 1] = value >>> 24;
    buffer[position + 2] = value >>> 16;
    buffer[position + 3] = value >>> 8;
    buffer[position + 4] = value;
    writer.position = position + 5;
  }
}

/** Appends a ulong (1.6.6): one, two or nine bytes. */
export function writeUlong(writer: ByteWriter, value: bigint): void {
  if (value === 0n) writeCode(writer, 0x44);
  else if (value > 0n && value < 256n) writeByte(writer, 0x53, Number(value));
  else {
    writeCode(writer, 0x80);
    writer.ensure(8);
    writer.position = writer.buffer.writeBigUInt64BE(value, writer.position);
  }
}

/** Appends binary (1.6.19). Always copies the bytes, because the encoding may still move. */
export function writeBinary(writer: ByteWriter, bytes: Uint8Array): void {
  writer.ensure(bytes.length + 5);
  writeVariableHead(writer, 0xa0, bytes.length);
  writer.put(bytes);
}

/** Appends binary that `writeContent` writes, with its length filled in afterwards in four bytes. */
export function writeBinaryOf(writer: ByteWriter, writeContent: () => void): void {
  writer.ensure(5);
  const head = writer.position - writer.mark;
  writer.position += 5;
  writeContent();
  const start = writer.mark + head;
  writer.buffer[start] = 0xb0;
  writer.buffer.writeUInt32BE(writer.position - start - 5, start + 1);
}

/** Appends a list (1.6.22); `writeItems` writes its items. */
export function writeListOf(writer: ByteWriter, count: number, writeItems: () => void): void {
  if (count === 0) writeCode(writer, 0x45);
  else writeCompound(writer, 0xc0, count, writeItems);
}

/** Concatenates bytes; a single part is not copied. */
export function concatenate(parts: readonly Uint8Array[]): Uint8Array {
  return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
}

function writeCode(writer: ByteWriter, code: number): void {
  writer.ensure(1);
  writer.buffer[writer.position++] = code;
}

function writeByte(writer: ByteWriter, code: number, value: number): void {
  writer.ensure(2);
  writer.buffer[writer.position++] = code;
  writer.buffer[writer.position++] = value;
}

function writeDouble(writer: ByteWriter, value: number): void {
  writeCode(writer, 0x82);
  writer.ensure(8);
  writer.position = writer.buffer.writeDoubleBE(value, writer.position);
}

function writeString(writer: ByteWriter, text: string): void {
  const size = Buffer.byteLength(text);
  writer.ensure(size + 5);
  writeVariableHead(writer, 0xa1, size);
  writer.position += writer.buffer.write(text, writer.position, "utf8");
}

/** The head of a variable-width value (1.2.2): the code for a size of one byte, or that code + 0x10 for four. */
function writeVariableHead(writer: ByteWriter, code: number, size: number): void {
  if (size < 256) {
    writer.buffer[writer.position++] = code;
    writer.buffer[writer.position++] = size;
  } else {
    writer.buffer[writer.position++] = code + 0x10;
    writer.position = writer.buffer.writeUInt32BE(size, writer.position);
  }
}

function writeList(writer: ByteWriter, items: readonly AmqpValue[]): void {
  writeListOf(writer, items.length, () => {
    for (const item of items) writeValue(writer, item);
  });
}

function writeMap(writer: ByteWriter, map: AmqpMap): void {
  writeCompound(writer, 0xc1, map.entries.length * 2, () => {
    for (const [key, value] of map.entries) {
      writeValue(writer, key);
      writeValue(writer, value);
    }
  });
}

/**
 * Writes a compound or array (1.2.3, 1.2.4): reserves the wide head and, if the content is short, moves it back; so most long content is
 * written once.
 */
function writeCompound(writer: ByteWriter, shortCode: number, count: number, writeItems: () => void): void {
  writer.ensure(9);
  const head = writer.position - writer.mark;
  writer.position += 9;
  writeItems();
  const { buffer } = writer;
  const start = writer.mark + head;
  const size = writer.position - start - 9;
  if (size < 255 && count < 256) {
    buffer[start] = shortCode;
    buffer[start + 1] = size + 1;
    buffer[start + 2] = count;
    buffer.copyWithin(start + 3, start + 9, writer.position);
    writer.position -= 6;
  } else {
    buffer[start] = shortCode + 0x10;
    buffer.writeUInt32BE(size + 4, start + 1);
    buffer.writeUInt32BE(count, start + 5);
  }
}

function writeTyped(writer: ByteWriter, typed: AmqpTyped): void {
  switch (typed.type) {
    case "symbol":
      writeSymbol(writer, typed.value);
      return;
    case "uint":
      writeUint(writer, checkInteger(typed.value, 0, 0xffffffff, "uint"));
      return;
    case "ulong":
      writeUlong(writer, typed.value);
      return;
    case "int":
      checkInteger(typed.value, -0x80000000, 0x7fffffff, "int");
      if (typed.value >= -128 && typed.value < 128) {
        writeByte(writer, 0x54, typed.value & 0xff);
        return;
      }
      break;
    case "long":
      if (typed.value >= -128n && typed.value < 128n) {
        writeByte(writer, 0x55, Number(typed.value) & 0xff);
        return;
      }
      break;
    case "described":
      writeCode(writer, 0x00);
      writeValue(writer, typed.descriptor);
      writeValue(writer, typed.value);
      return;
    case "array":
      writeArray(writer, typed);
      return;
  }
  writeCode(writer, fixedCodes[typed.type]);
  writeFixed(writer, typed);
}

/** Full-width codes of the fixed-width types. */
const fixedCodes = {
  ubyte: 0x50,
  byte: 0x51,
  ushort: 0x60,
  short: 0x61,
  uint: 0x70,
  int: 0x71,
  float: 0x72,
  char: 0x73,
  decimal32: 0x74,
  ulong: 0x80,
  long: 0x81,
  timestamp: 0x83,
  decimal64: 0x84,
  decimal128: 0x94,
  uuid: 0x98,
} as const;

type FixedWidth = Extract<AmqpTyped, { type: keyof typeof fixedCodes }>;

const octetCounts = { decimal32: 4, decimal64: 8, decimal128: 16, uuid: 16 } as const;

function writeFixed(writer: ByteWriter, typed: FixedWidth): void {
  writer.ensure(16);
  const { buffer, position } = writer;
  switch (typed.type) {
    case "ubyte":
      writer.position = buffer.writeUInt8(checkInteger(typed.value, 0, 0xff, "ubyte"), position);
      return;
    case "byte":
      writer.position = buffer.writeInt8(checkInteger(typed.value, -0x80, 0x7f, "byte"), position);
      return;
    case "ushort":
      writer.position = buffer.writeUInt16BE(checkInteger(typed.value, 0, 0xffff, "ushort"), position);
      return;
    case "short":
      writer.position = buffer.writeInt16BE(checkInteger(typed.value, -0x8000, 0x7fff, "short"), position);
      return;
    case "uint":
    case "char":
      writer.position = buffer.writeUInt32BE(checkInteger(typed.value, 0, 0xffffffff, typed.type), position);
      return;
    case "int":
      checkInteger(typed.value, -0x80000000, 0x7fffffff, "int");
      writer.position = buffer.writeInt32BE(typed.value, position);
      return;
    case "float":
      writer.position = buffer.writeFloatBE(typed.value, position);
      return;
    case "ulong":
      writer.position = buffer.writeBigUInt64BE(typed.value, position);
      return;
    case "long":
    case "timestamp":
      writer.position = buffer.writeBigInt64BE(typed.value, position);
      return;
    default:
      if (typed.value.length !== octetCounts[typed.type]) {
        throw new TypeError(`a ${typed.type} has ${octetCounts[typed.type]} bytes`);
      }
      buffer.set(typed.value, position);
      writer.position += typed.value.length;
  }
}

function checkInteger(value: number, min: number, max: number, type: string): number {
  if (!Number.isInteger(value) || value < min || value > max) {
    throw new TypeError(`a ${type} must be an integer from ${min} to ${max}`);
  }
  return value;
}

function writeArray(writer: ByteWriter, array: AmqpArray): void {
  for (const value of array.values) {
    if (typeName(value) !== array.elementType) {
      throw new TypeError(`an array of ${array.elementType} cannot hold a ${typeName(value)}`);
    }
  }
  writeCompound(writer, 0xe0, array.values.length, () => {
    for (const descriptor of array.descriptors) {
      writeCode(writer, 0x00);
      writeValue(writer, descriptor);
    }
    writeElements(writer, array);
  });
}

/** Writes elements under their shared constructor (1.2.4), which must fit the longest. */
function writeElements(writer: ByteWriter, array: AmqpArray): void {
  const { elementType, values } = array;
  switch (elementType) {
    case "null":
      writeCode(writer, 0x40);
      return;
    case "boolean":
      writeCode(writer, 0x56);
      for (const value of values) writeCode(writer, value ? 1 : 0);
      return;
    case "double":
      writeCode(writer, 0x82);
      for (const value of values) {
        writer.ensure(8);
        writer.position = writer.buffer.writeDoubleBE(value as number, writer.position);
      }
      return;
    case "binary":
    case "string":
    case "symbol":
      writeVariableElements(writer, elementType, values);
      return;
    case "list":
    case "map":
    case "array":
      writeCompoundElements(writer, elementType, values);
      return;
    default:
      writeCode(writer, fixedCodes[elementType]);
      for (const value of values) writeFixed(writer, value as FixedWidth);
  }
}

const variableCodes = { binary: 0xa0, string: 0xa1, symbol: 0xa3 } as const;

function writeVariableElements(
  writer: ByteWriter,
  type: keyof typeof variableCodes,
  values: readonly AmqpValue[],
): void {
  const octets = values.map((value) => toOctets(value as string | Uint8Array | { value: string }));
  const isShort = octets.every((bytes) => bytes.length < 256);
  writeCode(writer, variableCodes[type] + (isShort ? 0 : 0x10));
  for (const bytes of octets) {
    writer.ensure(bytes.length + 4);
    if (isShort) writer.buffer[writer.position++] = bytes.length;
    else writer.position = writer.buffer.writeUInt32BE(bytes.length, writer.position);
    writer.put(bytes);
  }
}

function toOctets(value: string | Uint8Array | { value: string }): Uint8Array {
  if (value instanceof Uint8Array) return value;
  return typeof value === "string" ? Buffer.from(value) : Buffer.from(value.value, "latin1");
}

const compoundCodes: Partial<Record<AmqpTypeName, number>> = { list: 0xd0, map: 0xd1, array: 0xf0 };

/** Writes compound elements under their wide code: each is encoded separately, then widened and stripped of its own code. */
function writeCompoundElements(writer: ByteWriter, type: AmqpTypeName, values: readonly AmqpValue[]): void {
  writeCode(writer, compoundCodes[type] as number);
  for (const value of values) {
    const encoded = encodeValue(value);
    const code = encoded[0] as number;
    const view = Buffer.from(encoded.buffer, encoded.byteOffset, encoded.length);
    const isEmptyList = code === 0x45;
    const isShort = code < 0xd0 || code === 0xe0;
    const count = isEmptyList ? 0 : isShort ? view.readUInt8(2) : view.readUInt32BE(5);
    const content = view.subarray(isEmptyList ? 1 : isShort ? 3 : 9);
    writer.ensure(8 + content.length);
    writer.position = writer.buffer.writeUInt32BE(content.length + 4, writer.position);
    writer.position = writer.buffer.writeUInt32BE(count, writer.position);
    writer.put(content);
  }
}
