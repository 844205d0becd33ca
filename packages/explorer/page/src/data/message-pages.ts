import { errorText, get } from "./api.js";
import type { MessagePage, MessageRow, NumberRange } from "./types.js";

/** How many messages are requested at once. */
const pageSize = 100;
/** How many pages around the visible one stay in memory. */
const keptPages = 6;

/** Which messages are listed. */
export interface ListPlace {
  readonly entity: string;
  /** How many messages the broker counts there. */
  readonly expected: number;
  readonly state: string | undefined;
}

/**
 * The messages of a place by their index, a few pages of them in memory. Peeking works by sequence number, not by index: a page next to a known
 * one is exact. After a jump the position of the page is estimated; pages next to it are exact relative to it.
 */
export class MessagePages {
  readonly #place: ListPlace;
  readonly #onChange: () => void;
  readonly #pages = new Map<number, readonly MessageRow[]>();
  /** The first sequence number of each page whose position is known. */
  readonly #anchors = new Map<number, string>();
  #range: NumberRange | undefined;
  /** The number of rows, as far as known. */
  total: number;
  #isEndKnown = false;
  #wanted: readonly number[] = [];
  isLoading = false;
  #isClosed = false;
  error: string | undefined;

  constructor(place: ListPlace, onChange: () => void) {
    this.#place = place;
    this.#onChange = onChange;
    this.total = place.state === undefined ? place.expected : 0;
  }

  /** The row, or undefined while it is not in memory. */
  rowAt(index: number): MessageRow | undefined {
    return this.#pages.get(Math.floor(index / pageSize))?.[index % pageSize];
  }

  /** Sets the current number of messages; a last page that was not full is requested again when it is shown. */
  grow(expected: number): void {
    if (this.#place.state !== undefined || expected <= this.total) return;
    this.#pages.delete(Math.floor(this.total / pageSize));
    this.total = expected;
    this.#isEndKnown = false;
    this.#range = undefined;
  }

  /** Loads the pages of these rows. */
  show(first: number, last: number): void {
    const from = Math.floor(first / pageSize);
    this.#wanted = Array.from({ length: Math.floor(last / pageSize) - from + 1 }, (_, index) => from + index);
    void this.#load();
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

  #next(): number | undefined {
    return this.#wanted.find(
      (page) => !this.#pages.has(page) && (page === 0 || page * pageSize < this.total || !this.#isEndKnown),
    );
  }

  async #loadPage(page: number): Promise<void> {
    const { rows, next } = await this.#fetchPage(await this.#start(page));
    this.#pages.set(page, rows);
    for (const known of this.#pages.keys()) if (Math.abs(known - page) > keptPages) this.#pages.delete(known);
    if (next !== undefined && rows.length === pageSize) this.#anchors.set(page + 1, next);
    this.#noteEnd(page, rows.length, next);
  }

  /** A request by state scans a limited number of messages: repeats it until the page is full. */
  async #fetchPage(start: { from?: string; before?: string }): Promise<Pick<MessagePage, "rows" | "next">> {
    const { entity, state } = this.#place;
    const rows: MessageRow[] = [];
    let where = start;
    for (;;) {
      const max = pageSize - rows.length;
      const page = await get<MessagePage>("messages", { entity, state, max, ...where });
      rows.push(...page.rows);
      const isDone = state === undefined || rows.length === pageSize || page.next === undefined;
      if (isDone || this.#isClosed) return { rows, next: page.next };
      where = { from: page.next ?? "" };
    }
  }

  #noteEnd(page: number, count: number, next: string | undefined): void {
    const end = page * pageSize + count;
    if (next === undefined) {
      this.total = end;
      this.#isEndKnown = true;
    } else {
      this.total = Math.max(this.total, end + (this.#place.state === undefined ? 0 : pageSize));
    }
  }

  async #start(page: number): Promise<{ from?: string; before?: string }> {
    if (page === 0) return {};
    const anchor = this.#anchors.get(page);
    if (anchor !== undefined) return { from: anchor };
    const before = this.#pages.get(page + 1)?.[0]?.sequenceNumber;
    if (before !== undefined) return { before };
    return { from: await this.#estimate(page) };
  }

  /** Estimates the first sequence number of a page that is not next to a known one. */
  async #estimate(page: number): Promise<string> {
    const beginning = this.#pages.get(0);
    this.#pages.clear();
    this.#anchors.clear();
    if (beginning !== undefined) this.#pages.set(0, beginning);
    const { entity } = this.#place;
    this.#range ??= await get<NumberRange>("range", { entity, expected: this.total });
    const first = BigInt(this.#range.first ?? 0);
    const last = BigInt(this.#range.last ?? 0);
    const number = first + ((last - first + 1n) * BigInt(page * pageSize)) / BigInt(Math.max(this.total, 1));
    return String(number);
  }
}
