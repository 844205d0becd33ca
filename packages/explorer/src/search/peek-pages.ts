import type { DeliveredMessage, TransportReceiver } from "@waybill/core/transport";

/** Which messages to peek: those from a sequence number to before another one. */
export interface PageRange {
  readonly from: bigint;
  readonly end: bigint;
  readonly abortSignal?: AbortSignal | undefined;
}

/** Messages of one page at most. */
export const pageSize = 250;
/** Peeks that are under way at most. */
const maxAtOnce = 4;
/** Bytes of bodies that are under way at most, by the last page; at least one page is. */
const maxBytesAtOnce = 8 * 1024 * 1024;

/** A peek that is under way. */
interface Peek {
  readonly from: bigint;
  readonly page: Promise<readonly DeliveredMessage[]>;
  /** Whether it has been answered. */
  isHere: boolean;
}

/**
 * Peeks all messages of a range in order, page by page, with several peeks under way: each of them begins where the one before will end if the
 * numbers go on as in the last page. Where they do not, pages overlap or leave something out: what is twice is dropped, what is left out is peeked
 * then, and fewer peeks are under way. There are only as many as it takes to be waited for rarely: pages that lie about are memory.
 */
export async function* peekPages(
  receiver: Pick<TransportReceiver, "peek">,
  { from, end, abortSignal }: PageRange,
): AsyncGenerator<readonly DeliveredMessage[]> {
  const waiting: Peek[] = [];
  const peek = (at: bigint): Peek => {
    const page = receiver.peek({ maxMessages: pageSize, fromSequenceNumber: at, abortSignal });
    const peeked: Peek = { from: at, page, isHere: false };
    const onAnswer = () => {
      peeked.isHere = true;
    };
    // Also when it fails, since nobody may wait for it any more.
    page.then(onAnswer, onAnswer);
    return peeked;
  };
  let atOnce = 1;
  for (let next = from; ; ) {
    const isAhead = (waiting[0]?.from ?? end) > next;
    const head = (isAhead ? undefined : waiting.shift()) ?? peek(next);
    const isLate = !head.isHere;
    const page = await head.page;
    const first = page[0]?.sequenceNumber;
    const last = page.at(-1)?.sequenceNumber;
    if (first === undefined || last === undefined) return;
    const begin = next;
    const own = page.filter(({ sequenceNumber }) => sequenceNumber >= begin && sequenceNumber < end);
    if (last >= next) next = last + 1n;
    atOnce = nextAtOnce(isLate ? atOnce + 1 : atOnce - 1, page, own.length);
    const stride = last - first + 1n;
    let at = larger(next, (waiting.at(-1)?.from ?? next - stride) + stride);
    // Before the page is handed out, so that they are under way while it is worked on.
    for (; waiting.length < atOnce && at < end; at += stride) waiting.push(peek(at));
    if (own.length > 0) yield own;
    if (next >= end) return;
  }
}

/** As many as are wanted after a page in which nothing was twice; half of them otherwise, and after a short one, which is near the end. */
function nextAtOnce(wanted: number, page: readonly DeliveredMessage[], own: number): number {
  const bytes = page.reduce((sum, { body }) => sum + (body instanceof Uint8Array ? body.length : 0), 1);
  const isClean = own === page.length && own >= pageSize / 10;
  const most = Math.min(maxAtOnce, Math.floor(maxBytesAtOnce / bytes), isClean ? maxAtOnce : wanted / 2);
  return Math.max(1, Math.floor(Math.min(most, wanted)));
}

function larger(one: bigint, two: bigint): bigint {
  return one > two ? one : two;
}
