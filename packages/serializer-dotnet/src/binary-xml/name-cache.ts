const slots = 1024;
const longest = 128;

const names: (string | undefined)[] = new Array(slots).fill(undefined);

/**
 * The string of ASCII bytes, from a cache: contracts repeat their names in every message, and decoding a name costs ten times as much as
 * comparing it. Undefined if it is not ASCII, or too long for the cache. The cache has a fixed size, so input cannot make it grow.
 */
export function internName(bytes: Uint8Array, start: number, end: number): string | undefined {
  const length = end - start;
  if (length > longest) return undefined;
  const slot = slotOf(bytes, start, length);
  const known = names[slot];
  if (known !== undefined && isSame(known, bytes, start, length)) return known;
  let name = "";
  for (let index = start; index < end; index++) {
    const byte = bytes[index] as number;
    if (byte >= 0x80) return undefined;
    name += String.fromCharCode(byte);
  }
  names[slot] = name;
  return name;
}

/** Hashes the length and five bytes; the comparison, which is needed anyway, detects collisions. */
function slotOf(bytes: Uint8Array, start: number, length: number): number {
  if (length === 0) return 0;
  const at = (index: number) => bytes[start + index] as number;
  let hash = Math.imul(length, 31) + at(0);
  hash = Math.imul(hash, 31) + at(length - 1);
  hash = Math.imul(hash, 31) + at(length >> 1);
  hash = Math.imul(hash, 31) + at(length >> 2);
  hash = Math.imul(hash, 31) + at(length - (length >> 2) - 1);
  return (hash ^ (hash >>> 15)) & (slots - 1);
}

function isSame(name: string, bytes: Uint8Array, start: number, length: number): boolean {
  if (name.length !== length) return false;
  for (let index = 0; index < length; index++) {
    if (name.charCodeAt(index) !== bytes[start + index]) return false;
  }
  return true;
}
