import type { Buffer } from "node:buffer";
import { ChangeGroup } from "./change-group.js";
import type { ChangeLog } from "./change-log.js";

/** Callbacks to the owner of the group. */
export interface GroupCallbacks {
  /** Adds changes held back until now, so that changes undone meanwhile cost nothing. `isAll`: no change is left for the next group. */
  onWrite(isAll: boolean): void;
  /** Called when the group is durable. */
  onDurable(): void;
  /** The error that callers get for the one with which a group failed. */
  explain(error: unknown): unknown;
}

/** Read when the module is loaded, so that fake timers of tests cannot stop the disk. */
const atEndOfTurn = setImmediate;

/** Batches that resolve together once they are durable. */
interface Slice {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
  batches: number;
}

/** Batches resolved in one turn of the event loop; their callers then all continue. */
const batchesPerSlice = 64;
/** Maximum number of groups for which a repeatedly slow disk is not tested again. */
const maxPatience = 64;

/**
 * Collects changes while a group is being written, then writes them as the next group, with one sync each. So the log always contains a
 * prefix of all batches, and after a failed group nothing more is written.
 */
export class GroupCommit {
  readonly #log: ChangeLog;
  readonly #callbacks: GroupCallbacks;
  /** The changes of the batch that has not ended yet, and those of the batches that wait for the next group. */
  #batch = new ChangeGroup();
  #group = new ChangeGroup();
  /** Batches waiting for the group being collected, and for the group being written. */
  #next: Slice[] = [];
  #current: Slice[] = [];
  /** Batches that are durable but not resolved yet. */
  readonly #durable: Slice[] = [];
  #isScheduled = false;
  /** Whether the current group was written while earlier batches were not resolved yet. */
  #isOverlapping = false;
  /** For how many groups to wait until all batches are resolved; and for how many it was the last time. */
  #patience = 0;
  #lesson = 0;
  #failure: { readonly cause: unknown } | undefined;

  constructor(log: ChangeLog, callbacks: GroupCallbacks) {
    this.#log = log;
    this.#callbacks = callbacks;
  }

  /** Whether a group failed, which ends all writing. */
  get hasFailed(): boolean {
    return this.#failure !== undefined;
  }

  /** Adds a change; returns how many bytes of its batch, or of its group during `onWrite`, are before it. */
  add(chunk: Buffer, start: number, end: number): number {
    return this.#batch.add(chunk, start, end);
  }

  /** Ends a batch; resolves when it is durable. `hasKept` says whether the owner held back changes. */
  commit(hasKept: boolean): Promise<void> | undefined {
    if (this.#failure !== undefined) return Promise.reject(this.#failure.cause);
    const isEmpty = this.#batch.count === 0 && !hasKept;
    this.#group.take(this.#batch);
    if (isEmpty && this.#next.length === 0) return (this.#current.at(-1) ?? this.#durable.at(-1))?.promise;
    if (this.#current.length === 0) this.#schedule();
    return this.#join();
  }

  #join(): Promise<void> {
    let slice = this.#next.at(-1);
    if (slice === undefined || slice.batches === batchesPerSlice) {
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
   * Whether to write the collected changes. Resolved callers continue first, so that their next changes form one group; but if they are
   * many and the disk is faster, it does not wait for all of them.
   */
  #mayWrite(): boolean {
    return this.#durable.length === 0 || this.#patience === 0;
  }

  /** If all callers had continued long before the group was written, the disk is slower, and larger groups are better for a while. */
  #learn(): void {
    const wasHasty = this.#durable.length === 0 && this.#next.length > 2 * this.#current.length;
    this.#lesson = wasHasty ? Math.min(maxPatience, Math.max(1, this.#lesson * 2)) : 0;
    this.#patience = this.#lesson;
  }

  #write(): void {
    this.#isOverlapping = this.#durable.length > 0;
    if (this.#patience > 0) this.#patience--;
    this.#current = this.#next;
    this.#next = [];
    this.#send().then(
      () => {
        this.#callbacks.onDurable();
        if (this.#isOverlapping) this.#learn();
        this.#durable.push(...this.#current);
        this.#current = [];
        this.#resolveDurable();
      },
      (error: unknown) => this.#fail(this.#callbacks.explain(error)),
    );
  }

  /** Resolves some durable batches. */
  #resolveDurable(): void {
    this.#durable.shift()?.resolve();
    if (this.#durable.length > 0 || (this.#current.length === 0 && this.#next.length > 0)) this.#schedule();
  }

  async #send(): Promise<void> {
    const group = this.#group;
    const unfinished = this.#batch;
    this.#group = new ChangeGroup();
    this.#batch = group;
    this.#callbacks.onWrite(unfinished.count === 0);
    this.#batch = unfinished;
    // What the batches changed may have been undone meanwhile.
    if (group.count > 0) await this.#log.append(group);
  }

  #fail(error: unknown): void {
    this.#failure = { cause: error };
    for (const slice of [...this.#current, ...this.#next]) slice.reject(error);
    this.#current = [];
    this.#next = [];
    this.#group = new ChangeGroup();
  }
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
