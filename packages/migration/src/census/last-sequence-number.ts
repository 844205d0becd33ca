import type { CallOptions, TransportReceiver } from "@waybill/core/transport";

/** Where to begin to look for the end. */
export interface LastSequenceNumberOptions extends CallOptions {
  /** The sequence number of a message that is there. */
  readonly known: bigint;
  /** An estimate of how many messages come after it. Default: 1. */
  readonly expected?: number | undefined;
}

/**
 * Finds the sequence number of the newest message in a few dozen peeks of one message, however long the queue, and whatever gaps it has: peeking
 * from a number returns the next message that is there.
 */
export async function lastSequenceNumber(
  receiver: TransportReceiver,
  { known, expected = 1, abortSignal }: LastSequenceNumberOptions,
): Promise<bigint> {
  const at = async (fromSequenceNumber: bigint) =>
    (await receiver.peek({ maxMessages: 1, fromSequenceNumber, abortSignal }))[0]?.sequenceNumber;
  let last = known;
  let step = BigInt(Math.max(expected, 1));
  // Doubles the step until it passes the end, then searches by halves.
  for (let next = await at(last + step); next !== undefined; next = await at(last + step)) {
    last = next;
    step *= 2n;
  }
  let end = last + step;
  while (end - last > 1n) {
    const middle = last + (end - last) / 2n;
    const next = await at(middle);
    if (next === undefined) end = middle;
    else last = next;
  }
  return last;
}
