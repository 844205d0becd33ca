/** The places that change when .NET writes the first three fields of a UUID little-endian. */
const SWAPS = [
  [0, 3],
  [1, 2],
  [4, 5],
  [6, 7],
] as const;

/** Turns a lock token's 16 bytes, in place, into the delivery tag that stands for it: in the order of .NET's Guid, as SDKs read it. */
export function toDeliveryTag(lockToken: Uint8Array): Uint8Array {
  for (const [a, b] of SWAPS) {
    const kept = lockToken[a] ?? 0;
    lockToken[a] = lockToken[b] ?? 0;
    lockToken[b] = kept;
  }
  return lockToken;
}
