import Long from "long";

/** Converts a sequence number to the SDK's type. */
export function toLong(value: bigint): Long {
  return Long.fromBits(Number(BigInt.asIntN(32, value)), Number(BigInt.asIntN(32, value >> 32n)));
}
