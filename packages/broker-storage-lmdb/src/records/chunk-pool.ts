import { Buffer } from "node:buffer";

const CHUNK_BYTES = 256 * 1024;
/** Most chunks that are kept for use: 4 MB, as much as a large group fills. */
const SPARE_CHUNKS = 16;

/**
 * Memory for records on their way to the disk, used again and again: new memory for each would make the collector run all the time. A
 * chunk that was full when a group was written holds nothing that is needed once that group is on the disk.
 */
export class ChunkPool {
  readonly #spare: Buffer[] = [];
  #full: Buffer[] = [];
  #written: Buffer[] = [];

  /** Memory for at least so many bytes. */
  take(byteLength: number): Buffer {
    if (byteLength > CHUNK_BYTES / 4) return Buffer.allocUnsafeSlow(byteLength * 2);
    return this.#spare.pop() ?? Buffer.allocUnsafeSlow(CHUNK_BYTES);
  }

  /** Nothing is added to a chunk any more. */
  fill(chunk: Buffer): void {
    if (chunk.byteLength === CHUNK_BYTES) this.#full.push(chunk);
  }

  /** All that lies in full chunks is in the group that is being written. */
  onWrite(): void {
    this.#written = this.#full;
    this.#full = [];
  }

  /** The group is on the disk. */
  onDurable(): void {
    for (const chunk of this.#written.splice(0)) {
      if (this.#spare.length < SPARE_CHUNKS) this.#spare.push(chunk);
    }
  }
}
