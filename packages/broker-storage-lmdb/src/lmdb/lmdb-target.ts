import type { Buffer } from "node:buffer";
import type { open, RootDatabase, RootDatabaseOptionsWithPath } from "lmdb";

/** A buffer that tells LMDB's binding which part of it is the value, which avoids an object per value. */
interface ValueWindow extends Buffer {
  start?: number;
  end?: number;
}

/** A placeholder key: the binding asks a callback to write the current key, which avoids an object per key. */
const atHand = 0;

/** An LMDB file written in groups. The promise of a group resolves when the disk has synced it. */
export class LmdbTarget {
  readonly #store: RootDatabase<Buffer, number>;
  /** The buffer that contains the current key. */
  #keyBytes!: Buffer;
  #keyStart = 0;
  #keyEnd = 0;

  constructor(openStore: typeof open, path: string) {
    const options: RootDatabaseOptionsWithPath = {
      path,
      noSubdir: true,
      encoding: "binary",
      keyEncoder: {
        writeKey: (_key: number, target: Buffer, start: number) => this.#writeKey(target, start),
        readKey: () => atHand,
      },
      overlappingSync: false,
      eventTurnBatching: false,
    };
    this.#store = openStore<Buffer, number>(options);
  }

  /** Makes all changes of `write` in one transaction; resolves when the disk has synced it, and rejects with the reason why not. */
  async batch(write: () => void): Promise<void> {
    try {
      await this.#store.batch(write);
    } catch (error) {
      throw await reasonOf(error);
    }
  }

  /** Makes one change: the key is between `start` and `valueStart`, the value from there to `end`; an empty value deletes. */
  change(bytes: ValueWindow, start: number, valueStart: number, end: number): void {
    this.#takeKey(bytes, start, valueStart);
    if (valueStart === end) {
      this.#store.remove(atHand);
      return;
    }
    bytes.start = valueStart;
    bytes.end = end;
    this.#store.put(atHand, bytes);
  }

  /** A copy of the stored value of the key between `start` and `end`. */
  get(bytes: Buffer, start: number, end: number): Buffer | undefined {
    this.#takeKey(bytes, start, end);
    return this.#store.getBinary(atHand);
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  #takeKey(bytes: Buffer, start: number, end: number): void {
    this.#keyBytes = bytes;
    this.#keyStart = start;
    this.#keyEnd = end;
  }

  #writeKey(target: Buffer, start: number): number {
    let at = start;
    for (let from = this.#keyStart; from < this.#keyEnd; from++)
      target[at++] = this.#keyBytes[from] as number;
    return at;
  }
}

/** LMDB rejects with an error whose reason is itself a promise: one that nobody awaits would end the process. */
async function reasonOf(error: unknown): Promise<unknown> {
  const { commitError } = error as { readonly commitError?: Promise<unknown> };
  try {
    await commitError;
  } catch (reason) {
    return reason;
  }
  return error;
}
