import type { CallOptions, DeliveredMessage, TransportReceiver } from "@waybill/core/transport";

/** How much to peek. */
export interface PeekPagesOptions extends CallOptions {
  /** How many messages to ask for at once. Default: 250. */
  readonly pageSize?: number | undefined;
  /** Where to begin. Default: the oldest. */
  readonly fromSequenceNumber?: bigint | undefined;
  /** Default: all. */
  readonly maxMessages?: number | undefined;
}

/** The maximum that Service Bus returns at once. */
export const defaultPageSize = 250;

/** Peeks page by page to the end. Locks and changes nothing. */
export async function* peekPages(
  receiver: TransportReceiver,
  options: PeekPagesOptions = {},
): AsyncGenerator<DeliveredMessage[]> {
  const { pageSize = defaultPageSize, maxMessages = Number.POSITIVE_INFINITY, abortSignal } = options;
  let { fromSequenceNumber } = options;
  let left = maxMessages;
  while (left > 0) {
    const page = await receiver.peek({
      maxMessages: Math.min(pageSize, left),
      fromSequenceNumber,
      abortSignal,
    });
    const last = page.at(-1);
    if (last === undefined) return;
    left -= page.length;
    yield page;
    fromSequenceNumber = last.sequenceNumber + 1n;
  }
}
