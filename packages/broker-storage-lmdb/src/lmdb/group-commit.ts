import type { Buffer } from "node:buffer";

/** Where groups go: all that `write` does becomes one transaction; the promise means that the disk has synced it. */
export interface GroupTarget {
  batch(write: () => void): Promise<boolean>;
  /** Makes one change. Between `start` and `valueStart` lies the key, from there to `end` the value; an empty one removes. */
  change(bytes: Buffer, start: number, valueStart: number, end: number): void;
}

/** What the owner of the group does at its stations. */
export interface GroupStations {
  /** Adds what it kept back, so that changes undone meanwhile cost nothing. `isAll`: no change is left to the next group. */
  onWrite(isAll: boolean): void;
  /** The group is durable. */
  onDurable(): void;
}

/** Taken when the module loads, so that a test's fake timers cannot stop the disk. */
const atEndOfTurn = setImmediate;

/** Batches that resolve together once they are durable. */
interface Slice {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
  batches: number;
}

/** So many batches resolve in one turn of the event loop. What waits for them then goes on all at once. */
const BATCHES_PER_SLICE = 64;
/** A disk that proved to be slow again and again is tried again after so many groups at most. */
const MOST_PATIENCE = 64;

/**
 * Gathers changes while a group of them is on its way to the disk, then sends them as the next group: one transaction and one
 * sync each. So the store holds a prefix of all batches at any time, and after a failed group nothing is written any more.
 */
export class GroupCommit {
  readonly #target: GroupTarget;
  readonly #stations: GroupStations;
  /** Where each change lies: its bytes, and three positions in them. No objects, for there are many changes at a time. */
  #bytes: Buffer[] = [];
  #positions: number[] = [];
  /** How many changes belong to batches that are complete. */
  #complete = 0;
  /** Those who wait for the group that is being gathered, and for the one on its way. */
  #next: Slice[] = [];
  #current: Slice[] = [];
  /** Those who wait for a group that is durable, and are not told yet. */
  readonly #durable: Slice[] = [];
  #isScheduled = false;
  /** Whether the group on its way was written while others were not told yet. */
  #isOverlapping = false;
  /** How many groups are to be written only once all have resolved; and how many were to be the last time. */
  #patience = 0;
  #lesson = 0;
  #failure: { readonly cause: unknown } | undefined;

  constructor(target: GroupTarget, stations: GroupStations) {
    this.#target = target;
    this.#stations = stations;
  }

  /** Whether a group failed, which ends all writing. */
  get hasFailed(): boolean {
    return this.#failure !== undefined;
  }

  /** Adds a change; see {@link GroupTarget.change}. */
  add(bytes: Buffer, start: number, valueStart: number, end: number): void {
    this.#bytes.push(bytes);
    this.#positions.push(start, valueStart, end);
  }

  /** Ends a batch; resolves when it is durable. `hasKept` says whether the owner kept changes back. */
  commit(hasKept: boolean): Promise<void> | undefined {
    if (this.#failure !== undefined) return Promise.reject(this.#failure.cause);
    const isEmpty = this.#bytes.length === this.#complete && !hasKept;
    this.#complete = this.#bytes.length;
    if (isEmpty && this.#next.length === 0) return (this.#current.at(-1) ?? this.#durable.at(-1))?.promise;
    if (this.#current.length === 0) this.#schedule();
    return this.#join();
  }

  #join(): Promise<void> {
    let slice = this.#next.at(-1);
    if (slice === undefined || slice.batches === BATCHES_PER_SLICE) {
      slice = newSlice();
      this.#next.push(slice);
    }
    slice.batches++;
    return slice.promise;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    atEndOfTurn(() => {
      this.#isScheduled = false;
      if (this.#current.length === 0 && this.#next.length > 0 && this.#mayWrite()) this.#write();
      this.#resolveDurable();
    });
  }

  /**
   * Whether to write what was gathered. Those who wait go on first, so that what they do next is one group too; but if they are many, and
   * the disk is faster than they, it need not wait for them all.
   */
  #mayWrite(): boolean {
    return this.#durable.length === 0 || this.#patience === 0;
  }

  /** If all had resolved long before the group came back, the disk is slower than they, and larger groups serve it better for a while. */
  #learn(): void {
    const wasHasty = this.#durable.length === 0 && this.#next.length > 2 * this.#current.length;
    this.#lesson = wasHasty ? Math.min(MOST_PATIENCE, Math.max(1, this.#lesson * 2)) : 0;
    this.#patience = this.#lesson;
  }

  #write(): void {
    this.#isOverlapping = this.#durable.length > 0;
    if (this.#patience > 0) this.#patience--;
    this.#current = this.#next;
    this.#next = [];
    this.#send().then(
      () => {
        this.#stations.onDurable();
        if (this.#isOverlapping) this.#learn();
        this.#durable.push(...this.#current);
        this.#current = [];
        this.#resolveDurable();
      },
      async (error: unknown) => this.#fail(await reasonOf(error)),
    );
  }

  /** Lets some of those go on whose changes are durable. */
  #resolveDurable(): void {
    this.#durable.shift()?.resolve();
    if (this.#durable.length > 0 || (this.#current.length === 0 && this.#next.length > 0)) this.#schedule();
  }

  async #send(): Promise<void> {
    const bytesLeft = this.#bytes.splice(this.#complete);
    const positionsLeft = this.#positions.splice(this.#complete * 3);
    this.#stations.onWrite(bytesLeft.length === 0);
    const bytes = this.#bytes;
    const positions = this.#positions;
    this.#bytes = bytesLeft;
    this.#positions = positionsLeft;
    this.#complete = 0;
    await this.#target.batch(() => {
      let at = 0;
      for (const change of bytes) {
        const start = positions[at++] as number;
        const valueStart = positions[at++] as number;
        this.#target.change(change, start, valueStart, positions[at++] as number);
      }
    });
  }

  #fail(error: unknown): void {
    this.#failure = { cause: error };
    for (const slice of [...this.#current, ...this.#next]) slice.reject(error);
    this.#current = [];
    this.#next = [];
    this.#bytes = [];
    this.#positions = [];
  }
}

/** LMDB rejects with an error that only promises the reason. */
async function reasonOf(error: unknown): Promise<unknown> {
  const { commitError } = error as { readonly commitError?: Promise<unknown> };
  try {
    await commitError;
  } catch (reason) {
    return reason;
  }
  return error;
}

function newSlice(): Slice {
  let resolve!: () => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<void>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject, batches: 0 };
}
