/** The upper 16 bits of a sequence number are those of its partition; an entity without partitions has only number 0. Source: Service Bus, "Message sequencing". */
const partitionBits = 48n;

/** The partition of a message, by its sequence number. */
export function partitionOf(sequenceNumber: bigint): bigint {
  return sequenceNumber >> partitionBits;
}

/** The first sequence number after those of the same partition. */
export function partitionEnd(sequenceNumber: bigint): bigint {
  return (partitionOf(sequenceNumber) + 1n) << partitionBits;
}
