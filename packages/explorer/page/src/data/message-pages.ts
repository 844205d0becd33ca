import { errorText, get } from "./api.js";
import { type ListOrder, orders, type Piece, pageSize, type Where } from "./list-order.js";
import type { MessagePage, MessageRow, NumberRange } from "./types.js";

/** How many pages around the visible one stay in memory. */
const keptPages = 6;
/** A longer range of sequence numbers has gaps too large to estimate a count. */
const maxEstimate = 1n << 40n;

/** Which messages are listed. */
export interface ListPlace {
  readonly entity: string;
  readonly state: string | undefined;
  readonly order: "oldest" | "newest";
}

/**
 * The messages of a place by their index, a few pages of them in memory. Peeking works by sequence number, not by index: both ends of the list are
 * found by peeking, and a page next to a known one is exact. After a jump the position of a page is estimated; pages next to it are exact relative to it.
 */
export class MessagePages {
  readonly #place: ListPlace;
  readonly #order: ListOrder;
  readonly #onChange: () => void;
  readonly #pages = new Map<number, readonly MessageRow[]>();
  /** Pages that are shown until they are loaded again. */
  readonly #stale = new Set<number>();
  /** Where each page begins whose position is known. */
  readonly #anchors = new Map<number, string>();
  #range: NumberRange | undefined;
  #expected: number | undefined;
  #wanted: readonly number[] = [];
  /** Changes when all pages are dropped, so that a page that is still loading is dropped too. */
  #epoch = 0;
  #isClosed = false;
  /** The number of rows, as far as known. */
  total: number;
  /** Whether the broker counts them, or both ends have been read. */
  isCounted: boolean;
  isLoading = false;
  error: string | undefined;

  /** `expected` is how many messages the broker counts there; undefined if it does not say. */
  constructor(place: ListPlace, expected: number | undefined, onChange: () => void) {
    this.#place = place;
    this.#order = orders[place.order];
    this.#expected = place.state === undefined ? expected : undefined;
    this.#onChange = onChange;
    this.total = this.#expected ?? 0;
    this.isCounted = this.#expected !== undefined;
  }

  /** The row, or undefined while it is not in memory. */
  rowAt(index: number): MessageRow | undefined {
    return this.#pages.get(Math.floor(index / pageSize))?.[index % pageSize];
  }

  /** The index of a message in memory. */
  indexOf(sequenceNumber: string): number | undefined {
    for (const [page, rows] of this.#pages) {
      const at = rows.findIndex((row) => row.sequenceNumber === sequenceNumber);
      if (at !== -1) return page * pageSize + at;
    }
    return undefined;
  }

  /** Sets the current count. When it has changed, what is visible is loaded again: messages have come or gone. */
  update(expected: number | undefined): void {
    if (this.#place.state !== undefined || expected === this.#expected) return;
    this.#expected = expected;
    this.isCounted = expected !== undefined;
    if (expected !== undefined) this.total = expected;
    this.#range = undefined;
    this.#anchors.clear();
    for (const page of [...this.#pages.keys()]) this.#doubt(page);
    void this.#load();
  }

  /** Loads the pages of these rows. */
  show(first: number, last: number): void {
    const from = Math.floor(first / pageSize);
    this.#wanted = Array.from({ length: Math.floor(last / pageSize) - from + 1 }, (_, index) => from + index);
    void this.#load();
  }

  /** Makes a page begin at a sequence number, and returns the index of its first row: exact if it is on the first page, else estimated. */
  async jumpTo(sequenceNumber: string): Promise<number> {
    if (!this.#pages.has(0)) await this.#loadPage(0);
    const known = this.indexOf(sequenceNumber);
    if (known !== undefined) return known;
    const { first, last } = await this.#findRange();
    const share = this.#order.shareOf(BigInt(sequenceNumber), BigInt(first ?? 0), BigInt(last ?? 0));
    const estimated = Math.floor((share * this.total) / pageSize);
    const page = Math.max(1, Math.min(estimated, Math.ceil(this.total / pageSize) - 1));
    this.#forget();
    this.#anchors.set(page, sequenceNumber);
    this.#wanted = [page];
    this.total = Math.max(this.total, page * pageSize + 1);
    return page * pageSize;
  }

  close(): void {
    this.#isClosed = true;
  }

  /** Loads one page after the other, always one that is visible now. */
  async #load(): Promise<void> {
    if (this.isLoading) return;
    this.isLoading = true;
    try {
      for (let page = this.#next(); page !== undefined && !this.#isClosed; page = this.#next()) {
        await this.#loadPage(page);
        this.error = undefined;
        this.#onChange();
      }
    } catch (error) {
      this.error = errorText(error);
    } finally {
      this.isLoading = false;
      if (!this.#isClosed) this.#onChange();
    }
  }

  /** Pages whose beginning is known come first: the others are then next to one of them. */
  #next(): number | undefined {
    const missing = this.#wanted.filter((page) => this.#isMissing(page));
    return missing.find((page) => page === 0 || this.#anchors.has(page)) ?? missing[0];
  }

  #isMissing(page: number): boolean {
    if (this.#pages.has(page)) return this.#stale.has(page);
    return page === 0 || page * pageSize < this.total;
  }

  async #loadPage(page: number): Promise<void> {
    const epoch = this.#epoch;
    const where = await this.#start(page);
    const piece = await this.#fetchPiece(where);
    const estimate = piece.after === undefined ? 0 : await this.#estimatedTotal();
    if (epoch !== this.#epoch) return;
    // What was estimated turns out to be the beginning of the list.
    const isBeginning = where.isBefore === true && piece.rows.length < pageSize;
    if (isBeginning && page > 0) return this.#forget();
    this.#stale.delete(page);
    this.#pages.set(page, piece.rows);
    for (const known of this.#pages.keys()) if (Math.abs(known - page) > keptPages) this.#pages.delete(known);
    this.#connect(page, piece);
    const end = page * pageSize + piece.rows.length;
    if (piece.after === undefined) {
      this.total = end;
      this.isCounted ||= page === 0;
    } else {
      this.total = Math.max(this.total, end + (this.#expected === undefined ? pageSize : 1), estimate);
    }
  }

  /** Makes the next page follow this one: if it begins with another message, it is loaded again from where it should. */
  #connect(page: number, { after }: Piece): void {
    if (after === undefined) return;
    this.#anchors.set(page + 1, after);
    const following = this.#pages.get(page + 1)?.[0]?.sequenceNumber;
    if (following !== undefined && following !== after)
      for (const known of [...this.#pages.keys()]) if (known > page) this.#doubt(known);
  }

  /** A request by state scans a limited number of messages: repeats it until the page is full. */
  async #fetchPiece(start: Where): Promise<Piece> {
    const { entity, state } = this.#place;
    const rows: MessageRow[] = [];
    let where = start;
    for (;;) {
      const { isBefore: _, ...query } = where;
      const max = (where.max ?? pageSize) - rows.length;
      const page = await get<MessagePage>("messages", { entity, state, ...query, max });
      rows.push(...page.rows);
      const isDone = state === undefined || rows.length === pageSize || page.next === undefined;
      if (isDone || this.#isClosed) return this.#order.piece({ ...page, rows }, where);
      where = { from: page.next ?? "" };
    }
  }

  async #start(page: number): Promise<Where> {
    if (page === 0) return this.#order.start;
    const anchor = this.#anchors.get(page);
    if (anchor !== undefined) return this.#order.at(anchor);
    const own = this.#pages.get(page)?.[0]?.sequenceNumber;
    if (own !== undefined) return this.#order.at(own);
    const following = this.#pages.get(page + 1)?.[0]?.sequenceNumber;
    if (following !== undefined) return { ...this.#order.before(following), isBefore: true };
    const rest = this.total - page * pageSize;
    return rest <= pageSize ? { ...this.#order.end, max: Math.max(rest, 1) } : await this.#estimate(page);
  }

  /** Estimates where a page begins that is not next to a known one. */
  async #estimate(page: number): Promise<Where> {
    const beginning = this.#pages.get(0);
    this.#pages.clear();
    this.#anchors.clear();
    if (beginning !== undefined) this.#pages.set(0, beginning);
    const { first, last } = await this.#findRange();
    const share = (page * pageSize) / Math.max(this.total, 1);
    return this.#order.at(String(this.#order.numberAt(share, BigInt(first ?? 0), BigInt(last ?? 0))));
  }

  /** How many there are at most, by their sequence numbers, where the broker does not count them; 0 where that says nothing. */
  async #estimatedTotal(): Promise<number> {
    if (this.isCounted || this.#place.state !== undefined) return 0;
    const { first, last } = await this.#findRange();
    const size = BigInt(last ?? 0) - BigInt(first ?? 0) + 1n;
    // Those of a partitioned entity begin with the number of the partition.
    return size < maxEstimate ? Number(size) : 0;
  }

  async #findRange(): Promise<NumberRange> {
    this.#range ??= await get<NumberRange>("range", { entity: this.#place.entity, expected: this.total });
    return this.#range;
  }

  /** Loads a page again if it is visible, and forgets it if not. */
  #doubt(page: number): void {
    if (this.#wanted.includes(page)) this.#stale.add(page);
    else this.#pages.delete(page);
  }

  #forget(): void {
    this.#epoch++;
    this.#pages.clear();
    this.#anchors.clear();
    this.#stale.clear();
  }
}
