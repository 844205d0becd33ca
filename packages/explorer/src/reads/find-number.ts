import type { EntityAddress, TransportReceiver } from "@waybill/core/transport";
import { lastSequenceNumber } from "@waybill/migration/tools";
import type { ExplorerContext } from "../options/explorer-options.js";
import { withReceiver } from "./peek.js";

/** The sequence numbers of the oldest and the newest message. */
export type NumberRange = Awaited<ReturnType<typeof numberRange>>;

/** Finds the range of sequence numbers in a few dozen peeks of one message, however long the queue. `expected` is an estimate of the messages. */
export async function numberRange(
  context: ExplorerContext,
  address: EntityAddress,
  expected: number,
  abortSignal?: AbortSignal,
) {
  return await withReceiver(context, address, async (receiver) => {
    const { first, last } = await rangeOf(receiver, expected, abortSignal);
    return { first: first === undefined ? undefined : String(first), last: last && String(last) };
  });
}

/** Where a message is. */
export type FoundNumber = Awaited<ReturnType<typeof numberAt>>;

/**
 * The first message that was enqueued at an instant or later; undefined if all are older. Searches by halves, since numbers and times both grow;
 * in a partitioned entity they do so only within a partition, and the result is the first one of any of them.
 */
export async function numberAt(
  context: ExplorerContext,
  address: EntityAddress,
  at: Date,
  abortSignal?: AbortSignal,
) {
  return await withReceiver(context, address, async (receiver) => {
    const next = async (fromSequenceNumber: bigint) =>
      (await receiver.peek({ maxMessages: 1, fromSequenceNumber, abortSignal }))[0];
    const { first = 0n, last = -1n } = await rangeOf(receiver, 1_000, abortSignal);
    let low = first;
    let high = last + 1n;
    while (low < high) {
      const middle = low + (high - low) / 2n;
      const found = await next(middle);
      if (found === undefined || (found.enqueuedTimeUtc ?? at) >= at) high = middle;
      else low = found.sequenceNumber + 1n;
    }
    const number = (await next(low))?.sequenceNumber;
    return { number: number === undefined ? undefined : String(number) };
  });
}

async function rangeOf(
  receiver: TransportReceiver,
  expected: number,
  abortSignal: AbortSignal | undefined,
): Promise<{ first?: bigint; last?: bigint }> {
  const first = (await receiver.peek({ maxMessages: 1, abortSignal }))[0]?.sequenceNumber;
  if (first === undefined) return {};
  return { first, last: await lastSequenceNumber(receiver, { known: first, expected, abortSignal }) };
}
