import type { DeliveredMessage, TransportReceiver } from "@waybill/core/transport";

/** Messages in order of their sequence numbers, and whether there are others just before them. */
export interface Earlier {
  readonly found: readonly DeliveredMessage[];
  /** The sequence number of the message before the first; undefined if the first is the oldest. */
  readonly previous: bigint | undefined;
}

/** How many messages one probe reads at most. */
const probeSize = 250;

/**
 * The `max` messages immediately before a sequence number. Peeking goes forwards only, so this looks for a start: further and further back until
 * there are enough messages, then by halves until there are not too many. Gaps in the numbers cost a few peeks more, and hide nothing.
 */
export async function peekBefore(
  receiver: TransportReceiver,
  { before, max, abortSignal }: { before: bigint; max: number; abortSignal?: AbortSignal | undefined },
): Promise<Earlier> {
  // One more than asked for tells whether there are others.
  const wanted = max + 1;
  let tooNear = before;
  let tooFar = -1n;
  let width = BigInt(wanted);
  for (;;) {
    const start = tooFar >= 0n ? tooFar + (tooNear - tooFar) / 2n : before > width ? before - width : 0n;
    const probe = await peekUntil(receiver, start, before, Math.max(probeSize, wanted), abortSignal);
    if (probe.isWhole && (probe.found.length >= wanted || start === 0n)) return lastOf(probe.found, max);
    if (probe.isWhole) tooNear = start;
    else tooFar = start;
    width *= 4n;
  }
}

function lastOf(found: readonly DeliveredMessage[], max: number): Earlier {
  return { found: found.slice(-max), previous: found.at(-max - 1)?.sequenceNumber };
}

/** Peeks from `start` to `before`, or until `limit` messages are exceeded: then it is not whole. */
async function peekUntil(
  receiver: TransportReceiver,
  start: bigint,
  before: bigint,
  limit: number,
  abortSignal: AbortSignal | undefined,
) {
  const found: DeliveredMessage[] = [];
  let fromSequenceNumber = start;
  for (;;) {
    const maxMessages = limit + 1 - found.length;
    const page = await receiver.peek({ maxMessages, fromSequenceNumber, abortSignal });
    const earlier = page.filter(({ sequenceNumber }) => sequenceNumber < before);
    found.push(...earlier);
    const last = earlier.at(-1);
    if (last === undefined || earlier.length < page.length) return { found, isWhole: true };
    if (found.length > limit) return { found, isWhole: false };
    fromSequenceNumber = last.sequenceNumber + 1n;
  }
}
