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

/** Which messages to list. */
export interface ListRequest {
  readonly address: EntityAddress;
  /** The first sequence number; default: that of the oldest message. */
  readonly from?: bigint | undefined;
  /** Lists the messages immediately before this sequence number instead. */
  readonly before?: bigint | undefined;
  readonly state?: MessageState | undefined;
  readonly max: number;
  readonly abortSignal?: AbortSignal | undefined;
}

/** A page of messages, in order of their sequence numbers. */
export type MessagePage = Awaited<ReturnType<typeof listMessages>>;

/** How many messages one request peeks to find those of a state; the next request continues from there. */
const maxScanned = 5_000;

/**
 * Peeks a page of messages and lets the chain read each. `next` is the sequence number to continue from, undefined at the end; `scanned` is how
 * many messages were peeked.
 */
export async function listMessages(context: ExplorerContext, request: ListRequest) {
  return await withReceiver(context, request.address, async (receiver) => {
    const { found, next, scanned } =
      request.before === undefined
        ? await forwards(receiver, request)
        : await backwards(receiver, request, request.before);
    const rows: MessageRow[] = [];
    for (const message of found) {
      const outcome = await readMessage(context, message, { abortSignal: request.abortSignal });
      rows.push(messageRow(message, outcome));
    }
    return { rows, next: next === undefined ? undefined : String(next), scanned };
  });
}

async function forwards(receiver: TransportReceiver, request: ListRequest) {
  const { state, max, abortSignal } = request;
  const found: DeliveredMessage[] = [];
  let fromSequenceNumber = request.from;
  let scanned = 0;
  while (found.length < max && scanned < maxScanned) {
    const maxMessages = state === undefined ? max - found.length : 250;
    const page = await receiver.peek({ maxMessages, fromSequenceNumber, abortSignal });
    const last = page.at(-1);
    if (last === undefined) return { found, next: undefined, scanned };
    for (const message of page) {
      fromSequenceNumber = message.sequenceNumber + 1n;
      scanned++;
      if (state === undefined || message.state === state) found.push(message);
      if (found.length === max) break;
    }
  }
  return { found, next: fromSequenceNumber, scanned };
}

/** Peeking goes forwards only: starts further and further back until there are enough messages before `before`. */
async function backwards(receiver: TransportReceiver, request: ListRequest, before: bigint) {
  const { max, abortSignal } = request;
  let scanned = 0;
  for (let width = BigInt(max); ; width *= 4n) {
    const start = before > width ? before - width : 0n;
    const between: DeliveredMessage[] = [];
    let from: bigint | undefined = start;
    // Keeps only the last messages, which bounds memory.
    while (from !== undefined && scanned < maxScanned) {
      const page = await receiver.peek({ maxMessages: 250, fromSequenceNumber: from, abortSignal });
      scanned += page.length;
      const earlier = page.filter(({ sequenceNumber }) => sequenceNumber < before);
      between.push(...earlier);
      between.splice(0, Math.max(0, between.length - max));
      const last = earlier.at(-1);
      from = last === undefined || earlier.length < page.length ? undefined : last.sequenceNumber + 1n;
    }
    if (between.length >= max || start === 0n || scanned >= maxScanned)
      return { found: between, next: before, scanned };
  }
}

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
    const first = (await receiver.peek({ maxMessages: 1, abortSignal }))[0]?.sequenceNumber;
    if (first === undefined) return { first: undefined, last: undefined };
    const last = await lastSequenceNumber(receiver, { known: first, expected, abortSignal });
    return { first: String(first), last: String(last) };
  });
}
