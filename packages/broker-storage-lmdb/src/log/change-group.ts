import type { Buffer } from "node:buffer";

/** Changes that become durable together, as ranges of the memory they were written to: no object per change, because there are many. */
export class ChangeGroup {
  readonly #chunks: Buffer[] = [];
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  /** The number of changes. */
  count = 0;
  /** Their bytes. */
  byteLength = 0;

  /** Adds changes; returns how many bytes are before them. Adjacent changes are one range. */
  add(chunk: Buffer, start: number, end: number, count = 1): number {
    const before = this.byteLength;
    const last = this.#chunks.length - 1;
    if (last >= 0 && this.#chunks[last] === chunk && this.#ends[last] === start) this.#ends[last] = end;
    else {
      this.#chunks.push(chunk);
      this.#starts.push(start);
      this.#ends.push(end);
    }
    this.count += count;
    this.byteLength += end - start;
    return before;
  }

  /** Moves all changes of another group to the end of this one. */
  take(other: ChangeGroup): void {
    for (let i = 0; i < other.#chunks.length; i++)
      this.add(other.#chunks[i] as Buffer, other.#starts[i] as number, other.#ends[i] as number, 0);
    this.count += other.count;
    other.#clear();
  }

  /** Views of all changes, in order. */
  parts(): Buffer[] {
    return this.#chunks.map((chunk, i) => chunk.subarray(this.#starts[i], this.#ends[i]));
  }

  #clear(): void {
    this.#chunks.length = 0;
    this.#starts.length = 0;
    this.#ends.length = 0;
    this.count = 0;
    this.byteLength = 0;
  }
}
