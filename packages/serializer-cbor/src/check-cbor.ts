import type { DeserializeContext } from "@waybill/core/serializer";
import { byteArrayTag, checkTag, fail, readArgument, readText, setTag } from "./check-tag.js";
import { isRecordTag, Records } from "./records.js";

const arrayType = 0;
const mapType = 1;
/** A map that is the value of a key "constructor": a key "prototype" in it could change shared prototypes. */
const constructorMap = 2;
/** The remaining count of an array or map that ends with a break code. */
const indefinite = -1;
const indefiniteLength = 31;
const breakCode = 0xff;

/** How many more items a byte string counts for than another value. */
const byteStringExtra = 3;

// Reused by every call: the check is synchronous and calls no other code, so it cannot run twice at the same time.
let remaining = new Float64Array(129);
let kinds = new Uint8Array(129);
let needsCare = false;

/** What the library would not read as it should be. */
export interface CborFindings {
  /** Strings that begin with U+FEFF, or in chunks. */
  readonly needsCare: boolean;
  /** Records of cbor-x. */
  readonly hasRecords: boolean;
  readonly hasUndefined: boolean;
}

/**
 * Refuses bytes that are not exactly one plain CBOR item, before the decoder sees them: truncation, trailing bytes, counts beyond the
 * input, tags that have no plain value, keys that are not strings or would replace a prototype, ill-formed UTF-8, nesting and items beyond
 * the limits. Iterative, allocates nothing that grows with the input but the keys of records. Throws `decodeFailure`. Source: RFC 8949.
 */
export function checkCbor(
  bytes: Uint8Array,
  { maxDepth, maxItems = Number.POSITIVE_INFINITY }: Pick<DeserializeContext, "maxDepth" | "maxItems">,
): CborFindings {
  const length = bytes.length;
  needsCare = false;
  let records: Records | undefined;
  let hasUndefined = false;
  let position = 0;
  let depth = 0;
  let left = 1;
  let kind = arrayType;
  let isKey = false;
  let isConstructorValue = false;
  /** How many more items are allowed; the root does not count. */
  let itemsLeft = maxItems + 1;

  for (;;) {
    if (
      left === 0 ||
      (left === indefinite && bytes[position] === breakCode && (kind === arrayType || isKey))
    ) {
      if (depth === 0) break;
      if (left === indefinite) position++;
      depth--;
      left = remaining[depth] as number;
      kind = kinds[depth] as number;
      isKey = kind !== arrayType;
      continue;
    }
    if (position >= length) fail("truncated", "the body ends where an item should begin", position);
    const at = position;
    const head = bytes[position++] as number;
    const major = head >> 5;
    const info = head & 0x1f;
    let argument = info;
    if (info >= 24 && info <= 27) {
      const width = 1 << (info - 24);
      argument = major === 7 ? 0 : readArgument(bytes, position, width);
      position += width;
      if (position > length) fail("truncated", "the body ends inside an item", at);
    }

    if (isKey) {
      if (major !== 3 || info === indefiniteLength)
        fail("key-forbidden", "a map key that is not a string", at);
      if (argument > length - position) fail("truncated", "a map key exceeds the body", at);
      checkUtf8(bytes, position, position + argument);
      if (argument === 9) {
        if (isAscii(bytes, position, "__proto__")) fail("key-forbidden", 'the key "__proto__"', at);
        if (kind === constructorMap && isAscii(bytes, position, "prototype"))
          fail("key-forbidden", 'the key "prototype" under "constructor"', at);
      }
      isConstructorValue = argument === 11 && isAscii(bytes, position, "constructor");
      position += argument;
      isKey = false;
      continue;
    }

    if (left !== indefinite) left--;
    if (--itemsLeft < 0) fail("items-exceeded", `more than ${maxItems} items`, at);
    isKey = kind !== arrayType;
    if (info > 27 && info < indefiniteLength) fail("malformed", "a reserved length", at);
    let isContainer = false;
    switch (major) {
      case 0:
      case 1:
        if (info === indefiniteLength) fail("malformed", "an integer of indefinite length", at);
        break;
      case 2:
      case 3:
        if (major === 2 && depth > 0) itemsLeft -= byteStringExtra;
        if (info === indefiniteLength) {
          position = checkPieces(bytes, at, itemsLeft);
          break;
        }
        if (argument > length - position) fail("truncated", "a string exceeds the body", at);
        if (major === 3) checkUtf8(bytes, position, position + argument);
        position += argument;
        break;
      case 6:
        if (info === indefiniteLength) fail("malformed", "a tag of indefinite length", at);
        if (isRecordTag(argument)) {
          records ??= new Records();
          const { keys, position: first } = records.head(bytes, position, argument, at, itemsLeft);
          position = first;
          argument = keys.length;
          isContainer = true;
          break;
        }
        if (argument === setTag && (bytes[position] as number) >> 5 === 4) {
          // The array that follows is the set's item, which was already counted.
          if (left !== indefinite) left++;
          itemsLeft++;
          isKey = false;
          break;
        }
        if (argument === byteArrayTag && depth > 0) itemsLeft -= byteStringExtra;
        position = checkTag(bytes, position, argument, at);
        break;
      case 7:
        // false, true, null, undefined; floats of 16, 32 and 64 bits.
        if (info === 31) fail("malformed", "a break code where an item should begin", at);
        if (info < 20 || info === 24)
          fail("type-forbidden", "a simple value other than false, true, null and undefined", at);
        if (info !== 23) break;
        if (depth === 0) fail("type-forbidden", "undefined instead of a value", at);
        hasUndefined = true;
        break;
      default:
        isContainer = true;
    }
    if (!isContainer) continue;

    const isMap = major === 5;
    if (info === indefiniteLength) argument = indefinite;
    // Every item takes at least one byte, so a count beyond the remaining bytes is wrong.
    else if (argument * (isMap ? 2 : 1) > length - position)
      fail("count-exceeded", "a count exceeds the body", at);
    if (depth >= maxDepth) fail("depth-exceeded", `nesting beyond ${maxDepth}`, at);
    if (depth >= remaining.length) growStack();
    remaining[depth] = left;
    kinds[depth] = kind;
    depth++;
    left = argument;
    kind = isMap ? (isConstructorValue && kind !== arrayType ? constructorMap : mapType) : arrayType;
    isKey = isMap;
  }
  if (position !== length) fail("trailing-bytes", "bytes follow the item", position);
  return { needsCare, hasRecords: records !== undefined, hasUndefined };
}

/** A string without a length: chunks of the same kind with a length, up to a break code. Returns where it ends. Source: RFC 8949, 3.2.3. */
function checkPieces(bytes: Uint8Array, at: number, maxPieces: number): number {
  const major = (bytes[at] as number) >> 5;
  let position = at + 1;
  for (let pieces = 0; bytes[position] !== breakCode; pieces++) {
    if (pieces > maxPieces)
      fail("items-exceeded", "a string with more chunks than the body may have items", at);
    const head = bytes[position] ?? fail("truncated", "the body ends inside a string", at);
    const info = head & 0x1f;
    if (head >> 5 !== major || info > 27)
      fail("malformed", "a string with a chunk of another type", position);
    const width = info < 24 ? 0 : 1 << (info - 24);
    const size = width === 0 ? info : readArgument(bytes, position + 1, width);
    const from = position + 1 + width;
    if (size > bytes.length - from) fail("truncated", "a string exceeds the body", position);
    if (major === 3) checkUtf8(bytes, from, from + size);
    position = from + size;
  }
  needsCare = true;
  return position + 1;
}

function checkUtf8(bytes: Uint8Array, start: number, end: number): void {
  for (let index = start; index < end; index++) {
    if ((bytes[index] as number) < 0x80) continue;
    // The library drops U+FEFF at the beginning of a string.
    if (index === start && bytes[start] === 0xef && bytes[start + 1] === 0xbb) needsCare = true;
    readText(bytes, start, end);
    return;
  }
}

function isAscii(bytes: Uint8Array, start: number, text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    if (bytes[start + index] !== text.charCodeAt(index)) return false;
  }
  return true;
}

function growStack(): void {
  const left = new Float64Array(remaining.length * 2);
  left.set(remaining);
  remaining = left;
  const kept = new Uint8Array(kinds.length * 2);
  kept.set(kinds);
  kinds = kept;
}
