/**
 * The namespace of a key among these names: always the same one. The name with the highest score wins (rendezvous hashing), so that a further namespace takes over
 * its share of the keys, and moves no other. The score is the 32-bit FNV-1a hash of the UTF-8 bytes of `name`, a line feed and `key`, put through
 * the finalizer of MurmurHash3; of equal scores the name that sorts first wins. Names and keys are compared exactly, upper and lower case included. Throws
 * `TypeError` without names.
 */
export function shardOf(key: string, names: readonly string[]): string {
  let best: string | undefined;
  let bestScore = -1;
  for (const name of names) {
    const score = scoreOf(`${name}\n${key}`);
    if (best === undefined || score > bestScore || (score === bestScore && name < best)) {
      best = name;
      bestScore = score;
    }
  }
  if (best === undefined) throw new TypeError("shardOf needs the names of the namespaces.");
  return best;
}

const encoder = new TextEncoder();

function scoreOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of encoder.encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  // FNV-1a alone mixes the last bytes too little: similar keys would share a namespace.
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
