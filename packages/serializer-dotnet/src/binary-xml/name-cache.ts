const SLOTS = 1024;
const LONGEST = 128;

const names: (string | undefined)[] = new Array(SLOTS).fill(undefined);

/**
 * The string that the bytes spell in ASCII, from a cache: contracts repeat their names in every message, and decoding one costs ten times
 * what comparing it does. Undefined when it is not ASCII, or too long to be worth keeping. The cache has a fixed number of places, so input
 * cannot make it grow.
 */
export function internName(bytes: Uint8Array, start: number, end: number): string | undefined {
  const length = end - start;
  if (length > LONGEST) return undefined;
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

/** Goes by the length and five bytes: that names differ is found by comparing them, which is needed anyway. */
function slotOf(bytes: Uint8Array, start: number, length: number): number {
  if (length === 0) return 0;
  const at = (index: number) => bytes[start + index] as number;
  let hash = Math.imul(length, 31) + at(0);
  hash = Math.imul(hash, 31) + at(length - 1);
  hash = Math.imul(hash, 31) + at(length >> 1);
  hash = Math.imul(hash, 31) + at(length >> 2);
  hash = Math.imul(hash, 31) + at(length - (length >> 2) - 1);
  return (hash ^ (hash >>> 15)) & (SLOTS - 1);
}

function isSame(name: string, bytes: Uint8Array, start: number, length: number): boolean {
  if (name.length !== length) return false;
  for (let index = 0; index < length; index++) {
    if (name.charCodeAt(index) !== bytes[start + index]) return false;
  }
  return true;
}
