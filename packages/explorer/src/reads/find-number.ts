import type { DeliveredMessage, EntityAddress, TransportReceiver } from "@waybill/core/transport";
import { lastSequenceNumber, partitionEnd } from "@waybill/migration/tools";
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
 * The first message that was enqueued at an instant or later; undefined if all are older. Numbers and times both grow, in a partitioned entity within
 * each partition: the search doubles its steps and then halves them there, and the result is the earliest one of all partitions.
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
    let earliest: DeliveredMessage | undefined;
    for (let first = await next(0n); first !== undefined; ) {
      const end = partitionEnd(first.sequenceNumber);
      const found = await firstAt(next, first, end, at);
      if (found !== undefined && (earliest === undefined || timeOf(found) < timeOf(earliest)))
        earliest = found;
      first = await next(end);
    }
    return { number: earliest && String(earliest.sequenceNumber) };
  });
}

/** The first message of a partition from `first` to before `end` that was enqueued at an instant or later. */
async function firstAt(
  next: (from: bigint) => Promise<DeliveredMessage | undefined>,
  first: DeliveredMessage,
  end: bigint,
  at: Date,
): Promise<DeliveredMessage | undefined> {
  const within = async (from: bigint) => {
    const message = await next(from);
    return message !== undefined && message.sequenceNumber < end ? message : undefined;
  };
  const isLate = (message: DeliveredMessage | undefined) =>
    message === undefined || timeOf(message) >= at.getTime();
  if (isLate(first)) return first;
  let early = first.sequenceNumber;
  let step = 1n;
  let late = await within(early + step);
  for (; !isLate(late); late = await within(early + step)) {
    early = late?.sequenceNumber ?? early;
    step *= 2n;
  }
  let high = early + step;
  for (let low = early + 1n; low < high; ) {
    const middle = low + (high - low) / 2n;
    const message = await within(middle);
    if (message !== undefined && !isLate(message)) {
      low = message.sequenceNumber + 1n;
    } else {
      high = middle;
      late = message;
    }
  }
  return late;
}

function timeOf({ enqueuedTimeUtc }: DeliveredMessage): number {
  return enqueuedTimeUtc?.getTime() ?? Number.POSITIVE_INFINITY;
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
