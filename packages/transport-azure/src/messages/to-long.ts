import Long from "long";

/** A sequence number as the SDK takes it. */
export function toLong(value: bigint): Long {
  return Long.fromBits(Number(BigInt.asIntN(32, value)), Number(BigInt.asIntN(32, value >> 32n)));
}
