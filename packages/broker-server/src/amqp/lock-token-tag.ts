import { Buffer } from "node:buffer";

/** From each place in a tag, the place in the RFC 4122 bytes: .NET writes the first three fields little-endian. */
const ORDER = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15] as const;

/** The delivery tag that stands for a lock token's 16 bytes: in the order of .NET's Guid, as SDKs read it. */
export function toDeliveryTag(lockToken: Uint8Array): Uint8Array {
  const tag = Buffer.allocUnsafe(16);
  for (let place = 0; place < 16; place++) tag[place] = lockToken[ORDER[place]!]!;
  return tag;
}
