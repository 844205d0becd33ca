import { Buffer } from "node:buffer";

const chunkBytes = 256 * 1024;
/** Maximum number of spare chunks: 4 MB, as much as a large group uses. */
const spareChunks = 16;

/**
 * Reusable memory for records being written: allocating it each time would keep the garbage collector busy. A chunk that was full when a
 * group was written can be reused once that group is durable.
 */
export class ChunkPool {
  readonly #spare: Buffer[] = [];
  #full: Buffer[] = [];
  #written: Buffer[] = [];

  /** A chunk with room for at least `byteLength`. */
  take(byteLength: number): Buffer {
    if (byteLength > chunkBytes / 4) return Buffer.allocUnsafeSlow(byteLength * 2);
    return this.#spare.pop() ?? Buffer.allocUnsafeSlow(chunkBytes);
  }

  /** Called when nothing more is added to a chunk. */
  fill(chunk: Buffer): void {
    if (chunk.byteLength === chunkBytes) this.#full.push(chunk);
  }

  /** Called when all full chunks belong to the group being written. */
  onWrite(): void {
    this.#written = this.#full;
    this.#full = [];
  }

  /** Called when the group is durable. */
  onDurable(): void {
    for (const chunk of this.#written.splice(0)) {
      if (this.#spare.length < spareChunks) this.#spare.push(chunk);
    }
  }
}
