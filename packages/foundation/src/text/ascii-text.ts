/**
 * The text of ASCII bytes from `start` up to `end`; undefined if one byte is not ASCII. Faster than a `TextDecoder` for short texts, because of
 * the overhead of each call.
 */
export function asciiText(bytes: Uint8Array, start: number, end: number): string | undefined {
  // Eight characters at a time: a string built of single characters consists of as many pieces.
  let text = "";
  let index = start;
  for (; index + 8 <= end; index += 8) {
    const a = bytes[index] as number;
    const b = bytes[index + 1] as number;
    const c = bytes[index + 2] as number;
    const d = bytes[index + 3] as number;
    const e = bytes[index + 4] as number;
    const f = bytes[index + 5] as number;
    const g = bytes[index + 6] as number;
    const h = bytes[index + 7] as number;
    if ((a | b | c | d | e | f | g | h) >= 0x80) return undefined;
    text += String.fromCharCode(a, b, c, d, e, f, g, h);
  }
  for (; index < end; index++) {
    const byte = bytes[index] as number;
    if (byte >= 0x80) return undefined;
    text += String.fromCharCode(byte);
  }
  return text;
}
