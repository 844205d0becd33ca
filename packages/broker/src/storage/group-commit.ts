import type { Buffer } from "node:buffer";

/** Where groups go: all that `write` does becomes one transaction; the promise means that the disk has synced it. */
export interface GroupTarget {
  batch(write: () => void): Promise<boolean>;
  put(key: Buffer, value: Buffer): unknown;
  remove(key: Buffer): unknown;
}

/** What the owner of the group does at its stations. */
export interface GroupStations {
  /** Adds what it kept back, so that changes undone meanwhile cost nothing. */
  onWrite(): void;
  /** The group is durable. */
  onDurable(): void;
}

/** Taken when the module loads, so that a test's fake timers cannot stop the disk. */
const atEndOfTurn = setImmediate;

interface Group {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Gathers changes while a group of them is on its way to the disk, then sends them as the next group: one transaction and one
 * sync each. So the store holds a prefix of all batches at any time, and after a failed group nothing is written any more.
 */
export class GroupCommit {
  readonly #target: GroupTarget;
  readonly #stations: GroupStations;
  #keys: Buffer[] = [];
  /** `undefined` removes. */
  #values: (Buffer | undefined)[] = [];
  /** How many changes belong to batches that are complete. */
  #complete = 0;
  #next: Group | undefined;
  #current: Group | undefined;
  #failure: { readonly cause: unknown } | undefined;

  constructor(target: GroupTarget, stations: GroupStations) {
    this.#target = target;
    this.#stations = stations;
  }

  /** Whether a group failed, which ends all writing. */
  get hasFailed(): boolean {
    return this.#failure !== undefined;
  }

  put(key: Buffer, value: Buffer): void {
    this.#keys.push(key);
    this.#values.push(value);
  }

  remove(key: Buffer): void {
    this.#keys.push(key);
    this.#values.push(undefined);
  }

  /** Ends a batch; resolves when it is durable. `hasKept` says whether the owner kept changes back. */
  commit(hasKept: boolean): Promise<void> | undefined {
    if (this.#failure !== undefined) return Promise.reject(this.#failure.cause);
    const isEmpty = this.#keys.length === this.#complete && !hasKept;
    this.#complete = this.#keys.length;
    if (this.#next === undefined) {
      if (isEmpty) return this.#current?.promise;
      this.#next = newGroup();
      if (this.#current === undefined) atEndOfTurn(() => this.#write());
    }
    return this.#next.promise;
  }

  #write(): void {
    const group = this.#next;
    if (group === undefined) return;
    this.#next = undefined;
    this.#current = group;
    this.#send().then(
      () => {
        this.#current = undefined;
        this.#stations.onDurable();
        group.resolve();
        // The senders that wait for this group go on first, so that what they do next is one group too.
        if (this.#next !== undefined) atEndOfTurn(() => this.#write());
      },
      async (error: unknown) => this.#fail(group, await reasonOf(error)),
    );
  }

  async #send(): Promise<void> {
    const uncommitted = [this.#keys.splice(this.#complete), this.#values.splice(this.#complete)] as const;
    this.#stations.onWrite();
    const keys = this.#keys;
    const values = this.#values;
    [this.#keys, this.#values] = uncommitted;
    this.#complete = 0;
    await this.#target.batch(() => {
      for (let i = 0; i < keys.length; i++) {
        const value = values[i];
        if (value === undefined) this.#target.remove(keys[i]!);
        else this.#target.put(keys[i]!, value);
      }
    });
  }

  #fail(group: Group, error: unknown): void {
    this.#failure = { cause: error };
    group.reject(error);
    this.#next?.reject(error);
    this.#next = undefined;
    this.#keys = [];
    this.#values = [];
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

function newGroup(): Group {
  let resolve!: () => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<void>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}
