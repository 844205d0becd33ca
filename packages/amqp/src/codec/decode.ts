import { isUtf8 } from "node:buffer";
import { ByteReader } from "./byte-reader.js";
import { type AmqpArray, AmqpMap, type AmqpTypeName, type AmqpValue } from "./value.js";

/** Maximum nesting of values; the messaging format needs 6 levels. */
export const maxDepth = 64;

/**
 * Decodes a single value. Binary values are views on `bytes`. Throws `AmqpDecodeError` for malformed bytes, more than one value, or nesting
 * deeper than {@link maxDepth}.
 */
export function decodeValue(bytes: Uint8Array): AmqpValue {
  const reader = new ByteReader(bytes);
  const value = readValue(reader);
  if (reader.position !== reader.end) reader.fail("bytes follow the value");
  return value;
}

/** Reads the next value. Binary values are views. Throws `AmqpDecodeError`. */
export function readValue(reader: ByteReader): AmqpValue {
  const code = reader.readUint8();
  return code === 0x00 ? readDescribed(reader) : readPrimitive(reader, code);
}

/** Reads the value after a constructor (1.2). Throws `AmqpDecodeError` for an unknown code. */
export function readPrimitive(reader: ByteReader, code: number): AmqpValue {
  const { buffer } = reader;
  if (++reader.items > reader.maxItems) reader.fail("there are too many values");
  switch (code) {
    case 0x40:
      return null;
    case 0x41:
      return true;
    case 0x42:
      return false;
    case 0x43:
      return { type: "uint", value: 0 };
    case 0x44:
      return { type: "ulong", value: 0n };
    case 0x45:
      return [];
    case 0x50:
      return { type: "ubyte", value: reader.readUint8() };
    case 0x51:
      return { type: "byte", value: buffer.readInt8(reader.advance(1)) };
    case 0x52:
      return { type: "uint", value: reader.readUint8() };
    case 0x53:
      return { type: "ulong", value: BigInt(reader.readUint8()) };
    case 0x54:
      return { type: "int", value: buffer.readInt8(reader.advance(1)) };
    case 0x55:
      return { type: "long", value: BigInt(buffer.readInt8(reader.advance(1))) };
    case 0x56:
      return readBoolean(reader);
    case 0x60:
      return { type: "ushort", value: buffer.readUInt16BE(reader.advance(2)) };
    case 0x61:
      return { type: "short", value: buffer.readInt16BE(reader.advance(2)) };
    case 0x70:
      return { type: "uint", value: reader.readUint32() };
    case 0x71:
      return { type: "int", value: buffer.readInt32BE(reader.advance(4)) };
    case 0x72:
      return { type: "float", value: buffer.readFloatBE(reader.advance(4)) };
    case 0x73:
      return { type: "char", value: reader.readUint32() };
    case 0x74:
      return { type: "decimal32", value: readOctets(reader, 4) };
    case 0x80:
      return { type: "ulong", value: buffer.readBigUInt64BE(reader.advance(8)) };
    case 0x81:
      return { type: "long", value: buffer.readBigInt64BE(reader.advance(8)) };
    case 0x82:
      return buffer.readDoubleBE(reader.advance(8));
    case 0x83:
      return { type: "timestamp", value: buffer.readBigInt64BE(reader.advance(8)) };
    case 0x84:
      return { type: "decimal64", value: readOctets(reader, 8) };
    case 0x94:
      return { type: "decimal128", value: readOctets(reader, 16) };
    case 0x98:
      return { type: "uuid", value: readOctets(reader, 16) };
    case 0xa0:
      return readOctets(reader, reader.readUint8());
    case 0xb0:
      return readOctets(reader, reader.readUint32());
    case 0xa1:
      return readString(reader, reader.readUint8());
    case 0xb1:
      return readString(reader, reader.readUint32());
    case 0xa3:
      return { type: "symbol", value: readSymbolText(reader, reader.readUint8()) };
    case 0xb3:
      return { type: "symbol", value: readSymbolText(reader, reader.readUint32()) };
    case 0xc0:
    case 0xd0:
      return readCompound(reader, code, readList);
    case 0xc1:
    case 0xd1:
      return readCompound(reader, code, readMap);
    case 0xe0:
    case 0xf0:
      return readCompound(reader, code, readArray);
    default:
      return failUnknown(reader, code);
  }
}

/**
 * Skips one value without decoding: a constructor's high nibble gives its width (1.2). Needs no recursion and no memory. Throws
 * `AmqpDecodeError` if the value is truncated.
 */
export function skipValue(reader: ByteReader): void {
  // A described value is two consecutive values, and its descriptor may itself be described (1.2).
  for (let left = 1; left > 0; ) {
    const code = reader.readUint8();
    if (code === 0x00) {
      left++;
    } else {
      skipPrimitive(reader, code);
      left--;
    }
  }
}

/**
 * Skips one value and checks all of it, so that it can be decoded later. Needs no memory for its content, whatever its size. Throws
 * `AmqpDecodeError` where {@link readValue} does.
 */
export function checkValue(reader: ByteReader): void {
  const code = reader.readUint8();
  if (code !== 0x00) {
    checkPrimitive(reader, code);
    return;
  }
  enter(reader);
  checkValue(reader);
  checkValue(reader);
  reader.depth--;
}

function checkPrimitive(reader: ByteReader, code: number): void {
  switch (code) {
    case 0x56:
      readBoolean(reader);
      break;
    case 0xa1:
      checkString(reader, reader.readUint8());
      break;
    case 0xb1:
      checkString(reader, reader.readUint32());
      break;
    case 0xc0:
    case 0xd0:
      readCompound(reader, code, checkList);
      break;
    case 0xc1:
    case 0xd1:
      readCompound(reader, code, checkMap);
      break;
    case 0xe0:
    case 0xf0:
      readCompound(reader, code, checkArray);
      break;
    default:
      if (!typeNames.has(code)) failUnknown(reader, code);
      skipPrimitive(reader, code);
  }
}

function checkString(reader: ByteReader, size: number): void {
  if (!isUtf8(readOctets(reader, size))) reader.fail("a string is not UTF-8");
}

function checkList(reader: ByteReader, count: number): void {
  requireRoom(reader, count);
  for (let i = 0; i < count; i++) checkValue(reader);
}

function checkMap(reader: ByteReader, count: number): void {
  requirePairs(reader, count);
  for (let i = 0; i < count; i++) checkValue(reader);
}

function checkArray(reader: ByteReader, count: number): void {
  const { code } = readArrayConstructor(reader, count);
  for (let i = 0; i < count; i++) checkPrimitive(reader, code);
}

function skipPrimitive(reader: ByteReader, code: number): void {
  const width = widths[code >> 4] as number;
  if (width >= 0) reader.advance(width);
  else if (width === oneSizeOctet) reader.advance(reader.readUint8());
  else if (width === fourSizeOctets) reader.advance(reader.readUint32());
  else failUnknown(reader, code);
}

function failUnknown(reader: ByteReader, code: number): never {
  return reader.fail(`unknown constructor 0x${code.toString(16).padStart(2, "0")}`);
}

const unknown = -1;
const oneSizeOctet = -2;
const fourSizeOctets = -3;

/** Width of a value by the high nibble of its constructor (1.2, figure 1.3). */
const widths: readonly number[] = [
  ...[unknown, unknown, unknown, unknown],
  ...[0, 1, 2, 4, 8, 16],
  ...[oneSizeOctet, fourSizeOctets, oneSizeOctet, fourSizeOctets, oneSizeOctet, fourSizeOctets],
];

function readDescribed(reader: ByteReader): AmqpValue {
  enter(reader);
  const descriptor = readValue(reader);
  const value = readValue(reader);
  reader.depth--;
  return { type: "described", descriptor, value };
}

function enter(reader: ByteReader): void {
  if (++reader.depth > maxDepth) reader.fail(`values are nested deeper than ${maxDepth}`);
}

function readBoolean(reader: ByteReader): boolean {
  const octet = reader.readUint8();
  if (octet > 1) reader.fail("a boolean is neither 0 nor 1");
  return octet === 1;
}

function readOctets(reader: ByteReader, size: number): Uint8Array {
  const start = reader.advance(size);
  return reader.buffer.subarray(start, start + size);
}

function readString(reader: ByteReader, size: number): string {
  const start = reader.advance(size);
  const text = reader.buffer.toString("utf8", start, start + size);
  // The lenient decoder is faster; malformed input always results in a replacement character.
  if (text.includes("\uFFFD") && !isUtf8(reader.buffer.subarray(start, start + size))) {
    reader.fail("a string is not UTF-8");
  }
  return text;
}

function readSymbolText(reader: ByteReader, size: number): string {
  const start = reader.advance(size);
  return reader.buffer.toString("latin1", start, start + size);
}

/** Reads a list, map or array, which must use up exactly the announced size (1.2.3). */
function readCompound<T>(
  reader: ByteReader,
  code: number,
  read: (reader: ByteReader, count: number) => T,
): T {
  enter(reader);
  const isWide = (code & 0x10) !== 0;
  const size = isWide ? reader.readUint32() : reader.readUint8();
  if (size > reader.end - reader.position) reader.fail("the value is cut off");
  const outerEnd = reader.end;
  reader.end = reader.position + size;
  const count = isWide ? reader.readUint32() : reader.readUint8();
  const value = read(reader, count);
  if (reader.position !== reader.end) reader.fail("a compound value is shorter than its size");
  reader.end = outerEnd;
  reader.depth--;
  return value;
}

function readList(reader: ByteReader, count: number): readonly AmqpValue[] {
  requireRoom(reader, count);
  const items: AmqpValue[] = [];
  for (let i = 0; i < count; i++) items.push(readValue(reader));
  return items;
}

function readMap(reader: ByteReader, count: number): AmqpMap {
  requirePairs(reader, count);
  const entries: [AmqpValue, AmqpValue][] = [];
  for (let i = 0; i < count; i += 2) entries.push([readValue(reader), readValue(reader)]);
  return new AmqpMap(entries);
}

function requireRoom(reader: ByteReader, count: number): void {
  if (count > reader.end - reader.position) reader.fail("a count is larger than the bytes left");
}

function requirePairs(reader: ByteReader, count: number): void {
  requireRoom(reader, count);
  if (count % 2 !== 0) reader.fail("a map has a key without a value");
}

function readArray(reader: ByteReader, count: number): AmqpArray {
  const { code, elementType, descriptors } = readArrayConstructor(reader, count);
  const values: AmqpValue[] = [];
  for (let i = 0; i < count; i++) values.push(readPrimitive(reader, code));
  return { type: "array", elementType, descriptors, values };
}

/** Reads the constructor shared by all elements of an array (1.6.24). */
function readArrayConstructor(
  reader: ByteReader,
  count: number,
): Pick<AmqpArray, "elementType" | "descriptors"> & { readonly code: number } {
  const descriptors: AmqpValue[] = [];
  let code = reader.readUint8();
  while (code === 0x00) {
    if (descriptors.length >= maxDepth) reader.fail(`values are nested deeper than ${maxDepth}`);
    descriptors.push(readValue(reader));
    code = reader.readUint8();
  }
  const elementType = typeNames.get(code) ?? failUnknown(reader, code);
  if (code >> 4 !== 0x4) requireRoom(reader, count);
  else if (count > reader.emptyElementsLeft) reader.fail("too many elements without bytes");
  else reader.emptyElementsLeft -= count;
  return { code, elementType, descriptors };
}

/** The types of all constructors (1.6). */
export const typeNames: ReadonlyMap<number, AmqpTypeName> = new Map(
  Object.entries({
    null: [0x40],
    boolean: [0x41, 0x42, 0x56],
    ubyte: [0x50],
    ushort: [0x60],
    uint: [0x43, 0x52, 0x70],
    ulong: [0x44, 0x53, 0x80],
    byte: [0x51],
    short: [0x61],
    int: [0x54, 0x71],
    long: [0x55, 0x81],
    float: [0x72],
    double: [0x82],
    decimal32: [0x74],
    decimal64: [0x84],
    decimal128: [0x94],
    char: [0x73],
    timestamp: [0x83],
    uuid: [0x98],
    binary: [0xa0, 0xb0],
    string: [0xa1, 0xb1],
    symbol: [0xa3, 0xb3],
    list: [0x45, 0xc0, 0xd0],
    map: [0xc1, 0xd1],
    array: [0xe0, 0xf0],
  } satisfies Record<AmqpTypeName, number[]>).flatMap(([name, codes]) =>
    codes.map((code) => [code, name as AmqpTypeName] as const),
  ),
);
