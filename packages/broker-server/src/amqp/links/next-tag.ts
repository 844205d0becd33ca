import { Buffer } from "node:buffer";
import { randomFillSync } from "node:crypto";

const POOL = Buffer.alloc(4096);
let used = POOL.length;

/** A delivery tag of 16 random bytes for deliveries without a lock token; clients expect this length. */
export function nextTag(): Uint8Array {
  if (used === POOL.length) {
    randomFillSync(POOL);
    used = 0;
  }
  used += 16;
  return Buffer.from(POOL.subarray(used - 16, used));
}
