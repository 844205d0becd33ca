import { type DeserializeContext, decodeFailure } from "@waybill/core/serializer";

/** Shorter bodies are harmless: they are checked after parsing, which costs less. */
const harmlessBytes = 65_536;

/** A number without an exponent and with fewer characters is an exact double. */
const exactCharacters = 15;

/** What the check of a body before parsing reports. */
export interface Extent {
  /** Whether there is a number that a double may round, or cannot represent. */
  readonly hasLongNumber: boolean;
}

/**
 * Refuses a body that nests deeper or has more items than the context allows, before it is parsed. One pass over the bytes without allocation. It
 * agrees with the parser up to the first syntax error, at which the parser stops. Returns undefined for a body that is too short to need the
 * check.
 */
export function checkExtent(
  bytes: Uint8Array,
  { maxDepth, maxItems = Number.POSITIVE_INFINITY }: Pick<DeserializeContext, "maxDepth" | "maxItems">,
): Extent | undefined {
  const { length } = bytes;
  // An item takes at least two bytes, with its separator.
  if (length <= harmlessBytes && length <= 2 * maxItems) return undefined;
  let depth = 0;
  let items = 0;
  let hasLongNumber = false;
  for (let index = 0; index < length; index++) {
    const byte = bytes[index] as number;
    if (byte === 0x22) index = closingQuote(bytes, index);
    else if (byte === 0x2c) {
      if (++items > maxItems) throw itemsExceeded(maxItems);
    } else if (byte === 0x5b || byte === 0x7b) {
      if (++depth > maxDepth) throw depthExceeded(maxDepth);
      // What follows is the first item, unless the container is closed at once.
      while (isSpace(bytes[index + 1])) index++;
      const next = bytes[index + 1];
      if (next !== 0x5d && next !== 0x7d && ++items > maxItems) throw itemsExceeded(maxItems);
    } else if (byte === 0x5d || byte === 0x7d) depth--;
    else if (byte >= 0x30 && byte <= 0x39) {
      const start = index;
      for (let next = bytes[index + 1]; isNumberPart(next); next = bytes[index + 1]) {
        if ((next | 0x20) === 0x65) hasLongNumber = true;
        index++;
      }
      if (index - start >= exactCharacters) hasLongNumber = true;
    }
  }
  return { hasLongNumber };
}

/** The failure for a body that is nested too deeply. */
export function depthExceeded(maxDepth: number): Error {
  return decodeFailure("depth-exceeded", `The body is nested beyond ${maxDepth} levels.`);
}

function itemsExceeded(maxItems: number): Error {
  return decodeFailure("items-exceeded", `The body holds more than ${maxItems} items.`);
}

function closingQuote(bytes: Uint8Array, openingQuote: number): number {
  let index = openingQuote + 1;
  for (let byte = bytes[index]; byte !== 0x22 && byte !== undefined; byte = bytes[++index])
    if (byte === 0x5c) index++;
  return index;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** A digit, a point, an `e` or a sign, after the first digit of a number. */
function isNumberPart(byte: number | undefined): byte is number {
  if (byte === undefined) return false;
  return (
    (byte >= 0x30 && byte <= 0x39) ||
    byte === 0x2e ||
    (byte | 0x20) === 0x65 ||
    byte === 0x2b ||
    byte === 0x2d
  );
}
