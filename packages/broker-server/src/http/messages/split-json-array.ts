const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const [openingBracket, closingBracket, openingBrace, closingBrace] = [0x5b, 0x5d, 0x7b, 0x7d];
const whitespace: readonly (number | undefined)[] = [0x20, 0x09, 0x0a, 0x0d];

/** An item of a JSON array: its bytes, and an upper bound of the number of values in it. */
export interface JsonItem {
  readonly bytes: Uint8Array;
  readonly values: number;
}

/**
 * Splits a JSON array into its items, which are then parsed one by one: parsing the whole takes time for each value, and cannot be
 * interrupted. Whether the items are well-formed is not checked. Throws `SyntaxError` for anything but an array.
 */
export function* splitJsonArray(bytes: Uint8Array): Generator<JsonItem> {
  let [start, end] = [0, bytes.length];
  while (whitespace.includes(bytes[start])) start++;
  while (whitespace.includes(bytes[end - 1])) end--;
  if (bytes[start] !== openingBracket || bytes[end - 1] !== closingBracket) throw new SyntaxError("no array");
  let from = start + 1;
  let [depth, values] = [0, 1];
  for (let at = from; at < end - 1; at++) {
    const byte = bytes[at];
    if (byte === quote) at = endOfText(bytes, at);
    else if (byte === openingBrace || byte === openingBracket) {
      depth++;
      values++;
    } else if (byte === closingBrace || byte === closingBracket) depth--;
    else if (byte === comma && depth > 0) values++;
    else if (byte === comma) {
      yield { bytes: bytes.subarray(from, at), values };
      [from, values] = [at + 1, 1];
    }
  }
  const rest = bytes.subarray(from, end - 1);
  if (from > start + 1 || rest.some((byte) => !whitespace.includes(byte))) yield { bytes: rest, values };
}

function endOfText(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1;
  return at;
}
