/** Arithmetic on the 32-bit serial numbers of RFC 1982, which delivery-ids, transfer-ids and counts are (2.8.10). */

export function serialAdd(serial: number, increment: number): number {
  return (serial + increment) >>> 0;
}

/** How far `to` is ahead of `from`, from -2^31 to 2^31 - 1. */
export function serialDistance(from: number, to: number): number {
  return (to - from) | 0;
}
