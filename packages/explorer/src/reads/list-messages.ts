import type {
  DeliveredMessage,
  EntityAddress,
  MessageState,
  TransportReceiver,
} from "@waybill/core/transport";
import { lastSequenceNumber } from "@waybill/migration/tools";
import type { ExplorerContext } from "../options/explorer-options.js";
import { type MessageRow, messageRow } from "./message-row.js";
import { readMessage, withReceiver } from "./peek.js";
import { type Earlier, peekBefore } from "./peek-neighbours.js";

/** Which messages to list. */
export interface ListRequest {
  readonly address: EntityAddress;
  /** The first sequence number; default: that of the oldest message. */
  readonly from?: bigint | undefined;
  /** Lists the messages immediately before this sequence number instead. */
  readonly before?: bigint | undefined;
  /** Lists the newest messages instead. */
  readonly isNewest?: boolean;
  readonly state?: MessageState | undefined;
  readonly max: number;
  readonly abortSignal?: AbortSignal | undefined;
}

/** A page of messages, in order of their sequence numbers. */
export type MessagePage = Awaited<ReturnType<typeof listMessages>>;

/** How many messages one request peeks to find those of a state; the next request continues from there. */
const maxScanned = 5_000;

/**
 * Peeks a page of messages and lets the chain read each. `next` is the sequence number to continue from, undefined at the end; `previous` is that of
 * the message before the page, known only of pages that were asked for backwards.
 */
export async function listMessages(context: ExplorerContext, request: ListRequest) {
  return await withReceiver(context, request.address, async (receiver) => {
    const { found, next, previous } = await findMessages(receiver, request);
    const rows: MessageRow[] = [];
    for (const message of found) {
      const outcome = await readMessage(context, message, { abortSignal: request.abortSignal });
      rows.push(messageRow(message, outcome));
    }
    return {
      rows,
      next: next === undefined ? undefined : String(next),
      previous: previous === undefined ? undefined : String(previous),
    };
  });
}

async function findMessages(
  receiver: TransportReceiver,
  request: ListRequest,
): Promise<Earlier & { readonly next: bigint | undefined }> {
  const { max, abortSignal, before, isNewest = false } = request;
  if (before !== undefined)
    return { ...(await peekBefore(receiver, { before, max, abortSignal })), next: before };
  if (!isNewest) return { ...(await forwards(receiver, request)), previous: undefined };
  const [oldest] = await receiver.peek({ maxMessages: 1, abortSignal });
  if (oldest === undefined) return { found: [], next: undefined, previous: undefined };
  const newest = await lastSequenceNumber(receiver, {
    known: oldest.sequenceNumber,
    expected: max,
    abortSignal,
  });
  return { ...(await peekBefore(receiver, { before: newest + 1n, max, abortSignal })), next: undefined };
}

/** Reads one message more than asked for, which tells whether there are others. */
async function forwards(receiver: TransportReceiver, request: ListRequest) {
  const { state, max, abortSignal } = request;
  const found: DeliveredMessage[] = [];
  let fromSequenceNumber = request.from;
  for (let scanned = 0; scanned < maxScanned; ) {
    const maxMessages = state === undefined ? max + 1 - found.length : 250;
    const page = await receiver.peek({ maxMessages, fromSequenceNumber, abortSignal });
    if (page.length === 0) return { found, next: undefined };
    for (const message of page) {
      const isWanted = state === undefined || message.state === state;
      if (isWanted && found.length === max) return { found, next: message.sequenceNumber };
      if (isWanted) found.push(message);
      fromSequenceNumber = message.sequenceNumber + 1n;
    }
    scanned += page.length;
  }
  return { found, next: fromSequenceNumber };
}
