import { type DeserializeContext, decodeFailure } from "@waybill/core";

/** What a shorter body holds cannot hurt: it is checked once it is there, which costs less than a look ahead. */
const harmlessBytes = 65_536;

/**
 * Refuses a body that nests deeper or holds more items than the context allows, before anything is built of it. One pass over the bytes
 * without allocation. It agrees with the parser on every text up to its first fault, and beyond that nothing is built.
 */
export function checkExtent(
  bytes: Uint8Array,
  { maxDepth, maxItems = Number.POSITIVE_INFINITY }: Pick<DeserializeContext, "maxDepth" | "maxItems">,
): void {
  const { length } = bytes;
  // An item takes two bytes at least, itself and what separates it.
  if (length <= harmlessBytes && length <= 2 * maxItems) return;
  let depth = 0;
  let items = 0;
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
  }
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
