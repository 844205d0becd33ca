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
  let hash = length;
  let union = 0;
  for (let index = start; index < end; index++) {
    const byte = bytes[index] as number;
    union |= byte;
    hash = (Math.imul(hash, 31) + byte) | 0;
  }
  if (union >= 0x80) return undefined;
  const slot = (hash ^ (hash >>> 15)) & (SLOTS - 1);
  const known = names[slot];
  if (known !== undefined && isSame(known, bytes, start, length)) return known;
  let name = "";
  for (let index = start; index < end; index++) name += String.fromCharCode(bytes[index] as number);
  names[slot] = name;
  return name;
}

function isSame(name: string, bytes: Uint8Array, start: number, length: number): boolean {
  if (name.length !== length) return false;
  for (let index = 0; index < length; index++) {
    if (name.charCodeAt(index) !== bytes[start + index]) return false;
  }
  return true;
}
