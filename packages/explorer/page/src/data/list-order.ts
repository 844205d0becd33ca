import type { MessagePage, MessageRow } from "./types.js";

/** How many messages are requested at once. */
export const pageSize = 100;

/** Where a request begins. */
export interface Where {
  readonly from?: string;
  readonly before?: string;
  readonly newest?: "true";
  readonly max?: number;
  /** Whether it asks for the page before a known one. */
  readonly isBefore?: true;
}

/** Rows in the order of the list. */
export interface Piece {
  readonly rows: readonly MessageRow[];
  /** The sequence number of the row that follows; undefined at the end of the list. */
  readonly after: string | undefined;
}

/** A direction of the list: how its pages are requested, and which row follows. */
export interface ListOrder {
  /** The first page, and the last. */
  readonly start: Where;
  readonly end: Where;
  /** A page that begins with a message, or with the nearest one that is there. */
  at(sequenceNumber: string): Where;
  /** The page before a message. */
  before(sequenceNumber: string): Where;
  piece(page: MessagePage, where: Where): Piece;
  /** The sequence number at a share from 0 to 1 of the list, if the numbers had no gaps, and the reverse. */
  numberAt(share: number, first: bigint, last: bigint): bigint;
  shareOf(number: bigint, first: bigint, last: bigint): number;
}

const parts = 1_000_000_000;

const oldest: ListOrder = {
  start: {},
  end: { newest: "true" },
  at: (number) => ({ from: number }),
  before: (number) => ({ before: number }),
  piece: ({ rows, next }) => ({ rows, after: next }),
  numberAt: (share, first, last) =>
    first + ((last - first + 1n) * BigInt(Math.floor(share * parts))) / BigInt(parts),
  shareOf: (number, first, last) => {
    const inside = number < first ? 0n : number > last ? last - first : number - first;
    return Number((inside * BigInt(parts)) / (last - first + 1n)) / parts;
  },
};

const newest: ListOrder = {
  start: oldest.end,
  end: oldest.start,
  at: (number) => ({ before: String(BigInt(number) + 1n) }),
  before: (number) => ({ from: String(BigInt(number) + 1n) }),
  piece: ({ rows, previous }, { from, max }) => {
    const isAtEnd = from === undefined && max !== undefined;
    const reversed = rows.toReversed();
    if (from === undefined) return { rows: reversed, after: isAtEnd ? undefined : previous };
    return { rows: reversed, after: String(BigInt(from) - 1n) };
  },
  numberAt: (share, first, last) => first + last - oldest.numberAt(share, first, last),
  shareOf: (number, first, last) => oldest.shareOf(first + last - number, first, last),
};

/** Both directions. */
export const orders = Object.freeze({ oldest, newest });
