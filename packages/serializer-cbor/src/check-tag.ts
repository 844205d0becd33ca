import { type DecodeReason, decodeFailure } from "@waybill/core/serializer";

/** A set: an array follows. Source: the registry of CBOR tags. */
export const setTag = 258;

/** An array of 8-bit integers: bytes follow. Node's cbor-x writes every `Uint8Array` with it. Source: RFC 8746. */
export const byteArrayTag = 64;

/** Maximum length of a big integer: programs do not use larger ones, and conversion to decimal digits takes quadratic time. */
const maxIntegerBytes = 1024;

/** Maximum length of a decimal fraction's mantissa, which becomes decimal digits. Decimal types in use have up to 34 digits, this has 308. */
const maxMantissaBytes = 128;

/** The item after a tag. */
type Content =
  | "text"
  | "number"
  | "integer"
  | "wide integer"
  | "wide mantissa"
  | "decimal"
  | "uuid"
  | "bytes";

const maxSizes: ReadonlyMap<Content, number> = new Map([
  ["wide integer", maxIntegerBytes],
  ["wide mantissa", maxMantissaBytes],
]);

/**
 * The accepted tags, with the item that must follow: date and time as string and as number, integers beyond 64 bits, decimal fractions, URI, base64,
 * pattern and MIME message as string, UUID, an array of 8-bit integers, a date as days and as string. Source: RFC 8949, 3.4; RFC 8943; the registry of CBOR tags.
 */
const contents: ReadonlyMap<number, Content> = new Map([
  [0, "text"],
  [1, "number"],
  [2, "wide integer"],
  [3, "wide integer"],
  [4, "decimal"],
  [32, "text"],
  [33, "text"],
  [34, "text"],
  [35, "text"],
  [36, "text"],
  [37, "uuid"],
  [byteArrayTag, "bytes"],
  [100, "integer"],
  [1004, "text"],
]);

/** Decodes exactly: an ill-formed text is refused, and U+FEFF at its beginning is kept. */
export const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Checks the item after a tag; `position` is after the tag's head. Returns where the item ends. Throws `decodeFailure`. */
export function checkTag(bytes: Uint8Array, position: number, tag: number, at: number): number {
  const kind = contents.get(tag);
  if (kind === undefined) fail("type-forbidden", "a tag that is not supported", at);
  return kind === "decimal" ? checkDecimal(bytes, position, at) : checkLeaf(bytes, position, kind, at);
}

/** An array of exactly an exponent and a mantissa. Source: RFC 8949, 3.4.4. */
function checkDecimal(bytes: Uint8Array, position: number, at: number): number {
  if (bytes[position] !== 0x82) fail("malformed", "a decimal fraction that is not two integers", at);
  const mantissa = checkLeaf(bytes, position + 1, "integer", at);
  const tag = bytes[mantissa];
  return tag === 0xc2 || tag === 0xc3
    ? checkLeaf(bytes, mantissa + 1, "wide mantissa", at)
    : checkLeaf(bytes, mantissa, "integer", at);
}

function checkLeaf(bytes: Uint8Array, position: number, kind: Content, at: number): number {
  const head = bytes[position] ?? fail("truncated", "the body ends after a tag", at);
  const major = head >> 5;
  const info = head & 0x1f;
  if (!fits(kind, major, info) || info > 27) fail("malformed", "a tag before an item of another type", at);
  const width = info < 24 ? 0 : 1 << (info - 24);
  const isString = major === 2 || major === 3;
  const size = !isString ? 0 : width === 0 ? info : readArgument(bytes, position + 1, width);
  const end = position + 1 + width + size;
  if (end > bytes.length) fail("truncated", "a tagged item exceeds the body", at);
  if (kind === "uuid" && size !== 16) fail("malformed", "a UUID that is not 16 bytes", at);
  const maxSize = maxSizes.get(kind);
  if (maxSize !== undefined && size > maxSize)
    fail("value-out-of-range", `an integer of more than ${maxSize} bytes`, at);
  if (kind === "text") readText(bytes, end - size, end);
  return end;
}

function fits(kind: Content, major: number, info: number): boolean {
  if (kind === "text") return major === 3;
  if (maxSizes.has(kind) || kind === "uuid" || kind === "bytes") return major === 2;
  if (kind === "integer") return major < 2;
  return major < 2 || (major === 7 && info >= 25 && info <= 27);
}

/** The text of these bytes. Refuses what is not UTF-8. */
export function readText(bytes: Uint8Array, start: number, end: number): string {
  try {
    return utf8.decode(bytes.subarray(start, end));
  } catch {
    fail("utf8-invalid", "a string is not valid UTF-8", start);
  }
}

/** A big-endian number of 1, 2, 4 or 8 bytes; bytes beyond the end count as 0 and are refused by the caller. */
export function readArgument(bytes: Uint8Array, position: number, width: number): number {
  let value = 0;
  for (let index = position; index < position + width; index++) value = value * 256 + (bytes[index] ?? 0);
  return value;
}

/** Refuses the body. Throws `decodeFailure`. */
export function fail(reason: DecodeReason, what: string, offset: number): never {
  throw decodeFailure(reason, `not plain CBOR at offset ${offset}: ${what}.`);
}
