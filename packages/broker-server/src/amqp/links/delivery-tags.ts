import { Buffer } from "node:buffer";
import { randomFillSync } from "node:crypto";

const pool = Buffer.alloc(4096);
let used = pool.length;

/** The positions swapped when .NET writes the first three fields of a UUID in little-endian order. */
const swaps = [
  [0, 3],
  [1, 2],
  [4, 5],
  [6, 7],
] as const;

/** A delivery tag of 16 random bytes for deliveries without a lock token; clients expect this length. */
export function nextTag(): Uint8Array {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += 16;
  return Buffer.from(pool.subarray(used - 16, used));
}

/** Converts a lock token's 16 bytes, in place, to its delivery tag: in the byte order of .NET's Guid, as SDKs read it. */
export function toDeliveryTag(lockToken: Uint8Array): Uint8Array {
  for (const [a, b] of swaps) {
    const kept = lockToken[a] ?? 0;
    lockToken[a] = lockToken[b] ?? 0;
    lockToken[b] = kept;
  }
  return lockToken;
}
