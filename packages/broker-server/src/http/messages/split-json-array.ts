const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPENING_BRACKET, CLOSING_BRACKET, OPENING_BRACE, CLOSING_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];
const WHITESPACE: readonly (number | undefined)[] = [0x20, 0x09, 0x0a, 0x0d];

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
  while (WHITESPACE.includes(bytes[start])) start++;
  while (WHITESPACE.includes(bytes[end - 1])) end--;
  if (bytes[start] !== OPENING_BRACKET || bytes[end - 1] !== CLOSING_BRACKET)
    throw new SyntaxError("no array");
  let from = start + 1;
  let [depth, values] = [0, 1];
  for (let at = from; at < end - 1; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) at = endOfText(bytes, at);
    else if (byte === OPENING_BRACE || byte === OPENING_BRACKET) {
      depth++;
      values++;
    } else if (byte === CLOSING_BRACE || byte === CLOSING_BRACKET) depth--;
    else if (byte === COMMA && depth > 0) values++;
    else if (byte === COMMA) {
      yield { bytes: bytes.subarray(from, at), values };
      [from, values] = [at + 1, 1];
    }
  }
  const rest = bytes.subarray(from, end - 1);
  if (from > start + 1 || rest.some((byte) => !WHITESPACE.includes(byte))) yield { bytes: rest, values };
}

function endOfText(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}
