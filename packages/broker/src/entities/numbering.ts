/** The lower 48 bits count, the bits above are the partition; all stay safe integers. */
export const partitionRange = 2 ** 48;

/** The sequence numbering of one entity. Its sub-queues share it, because messages keep their numbers there. */
export class Numbering {
  /** The next number of an entity without partitions. */
  next = 1;
  /** The next number of each used partition. */
  readonly partitions: (number | undefined)[] = [];
  /** The partition of the next message without a key. */
  turn = 0;
  /** How many messages have arrived in a partitioned entity. */
  arrivals = 0;
}

/** The upper 16 bits of a sequence number. */
export function partitionOf(sequence: number): number {
  return Math.floor(sequence / partitionRange);
}

/** The position in the order of arrival for a new message with this sequence number. */
export function takeArrival({ numbering, isPartitioned }: Numbered, sequence: number): number {
  return isPartitioned ? ++numbering.arrivals : sequence;
}

interface Numbered {
  readonly numbering: Numbering;
  readonly isPartitioned: boolean;
}
