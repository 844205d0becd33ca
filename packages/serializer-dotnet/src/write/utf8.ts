const longest = 128;

const encoder = new TextEncoder();
const short = new Uint8Array(longest);

/**
 * A text as UTF-8, for use at once: a short one in ASCII, as most names are, is in memory that the next call overwrites. The encoder takes
 * ten times as long for it.
 */
export function utf8(text: string): Uint8Array {
  const { length } = text;
  if (length > longest) return encoder.encode(text);
  for (let index = 0; index < length; index++) {
    const unit = text.charCodeAt(index);
    if (unit >= 0x80) return encoder.encode(text);
    short[index] = unit;
  }
  return short.subarray(0, length);
}
