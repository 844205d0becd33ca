import { type DecodeReason, type DeserializeContext, decodeFailure } from "@waybill/core/serializer";
import { beginsWithByteOrderMark, type StringPlace } from "./byte-order-marks.js";
import type { ViewedBytes } from "./viewed-bytes.js";

const arrayType = 0;
const mapType = 1;
/** A map that is the value of a key "constructor": a key "prototype" in it could change shared prototypes. */
const constructorMap = 2;

/** From this length on, the native decoder checks a string faster than the loop below. */
const longString = 192;

/** The bits that none of four characters of ASCII has. */
const nonAscii = 0x80808080;

/** How many more items a byte string counts for than another value. */
const byteStringExtra = 3;

/** The last second a `Date` can hold. Source: ECMAScript, Time Values and Time Range. */
const maxDateSeconds = 8.64e12;

/** A `Date` has milliseconds. */
export const nanosecondsPerMs = 1_000_000;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

// Reused by every call: the check is synchronous and calls no other code, so it cannot run twice at the same time.
let remaining = new Uint32Array(129);
let kinds = new Uint8Array(129);
let marked: StringPlace[] | undefined;
let fine: number[] | undefined;

/** What the decoder would not read exactly; undefined where there is none. */
export interface InexactPlaces {
  /** Strings that begin with U+FEFF. */
  readonly marked: readonly StringPlace[] | undefined;
  /** Where the nanoseconds of timestamps with fractions of a millisecond are; the decoder rounds them, as far as to the next day. */
  readonly fine: readonly number[] | undefined;
}

const exact: InexactPlaces = Object.freeze({ marked: undefined, fine: undefined });

/**
 * Refuses bytes that are not exactly one plain MessagePack value, before the decoder sees them: truncation, trailing bytes, counts
 * beyond the input, the unused byte 0xc1, extension types except the timestamp, map keys that are not strings or would replace a
 * prototype, ill-formed UTF-8, nesting or items beyond the limits. Iterative, allocates nothing that grows with the input,
 * except what it returns: the places that the decoder would not read exactly. Throws `decodeFailure`. Source: the MessagePack specification, github.com/msgpack/msgpack/blob/master/spec.md.
 */
export function checkMessage(
  bytes: ViewedBytes,
  { maxDepth, maxItems = Number.POSITIVE_INFINITY }: Pick<DeserializeContext, "maxDepth" | "maxItems">,
): InexactPlaces {
  const length = bytes.length;
  marked = undefined;
  fine = undefined;
  let itemsLeft = maxItems;
  let position = 0;
  let depth = 0;
  let left = 1;
  let kind = arrayType;
  let isConstructorValue = false;

  for (;;) {
    while (left === 0) {
      if (depth === 0) {
        if (position !== length) fail("trailing-bytes", "bytes follow the value", position);
        return marked === undefined && fine === undefined ? exact : { marked, fine };
      }
      depth--;
      left = remaining[depth] as number;
      kind = kinds[depth] as number;
    }
    left--;

    if (kind !== arrayType) {
      // The key of a map entry.
      if (position >= length) fail("truncated", "the body ends where a map key should begin", position);
      const start = position;
      const byte = bytes[position++] as number;
      let size: number;
      if (byte >= 0xa0 && byte <= 0xbf) size = byte & 0x1f;
      else if (byte === 0xd9 || byte === 0xda || byte === 0xdb) {
        const width = 1 << (byte - 0xd9);
        size = readLength(bytes, position, width);
        position += width;
      } else fail("key-forbidden", "a map key is not a string", start);
      if (size > length - position) fail("truncated", "a map key exceeds the body", start);
      checkUtf8(bytes, position, size, start);
      if (size === 9) {
        if (isAscii(bytes, position, "__proto__")) fail("key-forbidden", 'the key "__proto__"', start);
        if (kind === constructorMap && isAscii(bytes, position, "prototype"))
          fail("key-forbidden", 'the key "prototype" under "constructor"', start);
      }
      isConstructorValue = size === 11 && isAscii(bytes, position, "constructor");
      position += size;
    }

    if (position >= length) fail("truncated", "the body ends where a value should begin", position);
    const start = position;
    const byte = bytes[position++] as number;
    let count = -1;
    let isMap = false;
    if (byte <= 0x7f || byte >= 0xe0) {
      // A fixint.
    } else if (byte >= 0xa0 && byte <= 0xbf) {
      const size = byte & 0x1f;
      if (size > length - position) fail("truncated", "a string exceeds the body", start);
      checkUtf8(bytes, position, size, start);
      position += size;
    } else if (byte <= 0x8f) {
      count = byte & 0x0f;
      isMap = true;
    } else if (byte <= 0x9f) {
      count = byte & 0x0f;
    } else {
      switch (byte) {
        case 0xc0:
        case 0xc2:
        case 0xc3:
          break;
        case 0xcc:
        case 0xd0:
          position++;
          break;
        case 0xcd:
        case 0xd1:
          position += 2;
          break;
        case 0xca:
        case 0xce:
        case 0xd2:
          position += 4;
          break;
        case 0xcb:
        case 0xcf:
        case 0xd3:
          position += 8;
          break;
        case 0xd9:
        case 0xda:
        case 0xdb: {
          const width = 1 << (byte - 0xd9);
          const size = readLength(bytes, position, width);
          position += width;
          if (size > length - position) fail("truncated", "a string exceeds the body", start);
          checkUtf8(bytes, position, size, start);
          position += size;
          break;
        }
        case 0xc4:
        case 0xc5:
        case 0xc6: {
          const width = 1 << (byte - 0xc4);
          position += readLength(bytes, position, width) + width;
          if (depth > 0) itemsLeft -= byteStringExtra;
          if (itemsLeft < 0) failItems(maxItems, start);
          break;
        }
        case 0xdc:
        case 0xdd:
        case 0xde:
        case 0xdf: {
          const width = (byte & 1) === 0 ? 2 : 4;
          count = readLength(bytes, position, width);
          position += width;
          isMap = byte >= 0xde;
          break;
        }
        case 0xc1:
          fail("malformed", "the byte 0xc1, which MessagePack never uses", start);
          break;
        default:
          position = checkExtension(bytes, start);
      }
      if (position > length) fail("truncated", "a value exceeds the body", start);
    }

    if (count === -1) continue;
    // Every key and every value takes at least one byte, so a count beyond the remaining bytes is wrong.
    if ((isMap ? count * 2 : count) > length - position)
      fail("count-exceeded", "a count exceeds the body", start);
    itemsLeft -= count;
    if (itemsLeft < 0) failItems(maxItems, start);
    if (depth >= maxDepth) fail("depth-exceeded", `nesting beyond ${maxDepth}`, start);
    if (depth >= remaining.length) growStack();
    remaining[depth] = left;
    kinds[depth] = kind;
    depth++;
    left = count;
    kind = isMap ? (isConstructorValue && kind !== arrayType ? constructorMap : mapType) : arrayType;
  }
}

function fail(reason: DecodeReason, text: string, offset: number): never {
  throw decodeFailure(reason, `not plain MessagePack at offset ${offset}: ${text}.`);
}

function failItems(maxItems: number, offset: number): never {
  fail("items-exceeded", `more than ${maxItems} items`, offset);
}

/** Reads a big-endian length of 1, 2 or 4 bytes; the caller's check refuses what continues after the end. */
function readLength(bytes: Uint8Array, position: number, width: number): number {
  if (position + width > bytes.length) fail("truncated", "the body ends inside a length", position);
  if (width === 1) return bytes[position] as number;
  const high = ((bytes[position] as number) << 8) | (bytes[position + 1] as number);
  if (width === 2) return high;
  return high * 0x10000 + (((bytes[position + 2] as number) << 8) | (bytes[position + 3] as number));
}

function checkUtf8(bytes: ViewedBytes, start: number, size: number, headerStart: number): void {
  const end = start + size;
  if (size >= longString) {
    noteMark(bytes, start, size, headerStart);
    try {
      utf8.decode(bytes.subarray(start, end));
    } catch {
      fail("utf8-invalid", "a string is not valid UTF-8", start);
    }
    return;
  }
  let index = start;
  while (index + 4 <= end && (bytes.dataView.getInt32(index) & nonAscii) === 0) index += 4;
  for (; index < end; index++) {
    if ((bytes[index] as number) >= 0x80) {
      if (index === start) noteMark(bytes, start, size, headerStart);
      checkMultiByte(bytes, index, end);
      return;
    }
  }
}

function noteMark(bytes: Uint8Array, textStart: number, size: number, start: number): void {
  if (!beginsWithByteOrderMark(bytes, textStart, size)) return;
  marked ??= [];
  marked.push({ start, textStart, size });
}

/** Source: The Unicode Standard, table 3-7, well-formed UTF-8 byte sequences. */
function checkMultiByte(bytes: Uint8Array, start: number, end: number): void {
  let index = start;
  while (index < end) {
    const first = bytes[index++] as number;
    if (first < 0x80) continue;
    let following: number;
    let low = 0x80;
    let high = 0xbf;
    if (first >= 0xc2 && first <= 0xdf) following = 1;
    else if (first >= 0xe0 && first <= 0xef) {
      following = 2;
      if (first === 0xe0) low = 0xa0;
      if (first === 0xed) high = 0x9f;
    } else if (first >= 0xf0 && first <= 0xf4) {
      following = 3;
      if (first === 0xf0) low = 0x90;
      if (first === 0xf4) high = 0x8f;
    } else fail("utf8-invalid", "a string is not valid UTF-8", index - 1);
    for (; following > 0; following--) {
      const next = index < end ? (bytes[index] as number) : 0;
      if (next < low || next > high) fail("utf8-invalid", "a string is not valid UTF-8", index);
      index++;
      low = 0x80;
      high = 0xbf;
    }
  }
}

/** Checks that the extension at `start` is a timestamp that a `Date` can hold; returns the position after it. */
function checkExtension(bytes: ViewedBytes, start: number): number {
  const byte = bytes[start] as number;
  let position = start + 1;
  let size: number;
  if (byte >= 0xd4 && byte <= 0xd8) size = 1 << (byte - 0xd4);
  else {
    const width = 1 << (byte - 0xc7);
    size = readLength(bytes, position, width);
    position += width;
  }
  if (size + 1 > bytes.length - position) fail("truncated", "an extension exceeds the body", start);
  if (bytes[position] !== 0xff || (size !== 4 && size !== 8 && size !== 12))
    fail("type-forbidden", "an extension type other than the timestamp", start);
  position++;
  const { dataView } = bytes;
  const first = size === 4 ? 0 : dataView.getUint32(position);
  const nanoseconds = size === 8 ? first >>> 2 : first;
  const seconds =
    size === 12 ? dataView.getInt32(position + 4) * 0x100000000 + dataView.getUint32(position + 8) : 0;
  const isBeyond = seconds === maxDateSeconds ? nanoseconds > 0 : Math.abs(seconds) > maxDateSeconds;
  if (nanoseconds > 999_999_999 || isBeyond)
    fail("value-out-of-range", "a timestamp outside the range of a date", start);
  if (nanoseconds % nanosecondsPerMs > 0) {
    fine ??= [];
    fine.push(position);
  }
  return position + size;
}

function isAscii(bytes: Uint8Array, position: number, text: string): boolean {
  for (let index = 0; index < text.length; index++)
    if (bytes[position + index] !== text.charCodeAt(index)) return false;
  return true;
}

function growStack(): void {
  const grownRemaining = new Uint32Array(remaining.length * 2);
  grownRemaining.set(remaining);
  remaining = grownRemaining;
  const grownKinds = new Uint8Array(kinds.length * 2);
  grownKinds.set(kinds);
  kinds = grownKinds;
}
