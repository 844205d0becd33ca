import { Buffer } from "node:buffer";
import { closeSync, constants, fdatasync, openSync, readSync, write } from "node:fs";
import { blockBytes, blocksFor, contentBytes, type Stamps, takeContent } from "./blocks.js";

/** Like LMDB's own file. */
const mode = 0o664;
/**
 * Blocks added to a file at a time: as many as it has, within these limits. Syncing what is overwritten takes half as long as syncing what
 * is appended.
 */
const leastAdded = (64 * 1024) / blockBytes;
const mostAdded = (1024 * 1024) / blockBytes;

/** Errors of a write for which the disk has no room. */
const noRoom = new Set<string | undefined>(["ENOSPC", "EDQUOT", "EFBIG"]);

/** Whether a flag of the file makes each write a sync, too, in one call. Elsewhere it promises less than a sync. */
const syncsWrites = process.platform === "linux";

/**
 * A file of the log while it is written; each write resolves when the disk has synced it. Groups are only written over blocks that are on the
 * disk, and never over the last one: so a block that cannot be read was damaged, and a file without a block behind its last group was cut short.
 */
export class LogFile {
  readonly #descriptor: number;
  readonly #stamps: Stamps;
  /** How many valid blocks are on the disk, from the file's start. */
  #blocks: number;

  /** Opens the file, or creates it; its directory must be synced then. */
  constructor(path: string, stamps: Stamps, usableBlocks: number) {
    const { O_RDWR, O_CREAT, O_DSYNC } = constants;
    this.#descriptor = openSync(path, O_RDWR | O_CREAT | (syncsWrites ? O_DSYNC : 0), mode);
    this.#stamps = stamps;
    this.#blocks = usableBlocks;
  }

  /** Writes blocks, the first one at the place `block`. */
  async write(block: number, blocks: Buffer): Promise<void> {
    const needed = block + blocks.byteLength / blockBytes + 1;
    while (this.#blocks < needed) await this.#extend(needed);
    await this.#writeAll(block, blocks);
  }

  /** Makes blocks as if they had not been used. */
  async clear(block: number, count: number): Promise<void> {
    await this.#writeAll(block, this.#stamps.unused(block, count));
  }

  /** A copy of content that was written. */
  read(position: number, byteLength: number): Buffer {
    const inBlock = position % contentBytes;
    const blocks = Buffer.allocUnsafe(blocksFor(inBlock + byteLength) * blockBytes);
    const offset = ((position - inBlock) / contentBytes) * blockBytes;
    for (let length = 0; length < blocks.byteLength; ) {
      const read = readSync(this.#descriptor, blocks, length, blocks.byteLength - length, offset + length);
      if (read === 0) throw new RangeError("a file of the log is shorter than it was");
      length += read;
    }
    const content = Buffer.allocUnsafeSlow(byteLength);
    takeContent(blocks, inBlock, content);
    return content;
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  /** Adds blocks: some ahead, or if the disk has no room for them, only what is needed. */
  async #extend(needed: number): Promise<void> {
    const wanted = Math.min(Math.max(leastAdded, this.#blocks), mostAdded);
    const least = Math.min(needed - this.#blocks, mostAdded);
    try {
      await this.#add(Math.max(wanted, least));
    } catch (error) {
      if (wanted <= least || !noRoom.has((error as NodeJS.ErrnoException).code)) throw error;
      await this.#add(least);
    }
  }

  async #add(count: number): Promise<void> {
    await this.clear(this.#blocks, count);
    this.#blocks += count;
  }

  async #writeAll(block: number, blocks: Buffer): Promise<void> {
    const offset = block * blockBytes;
    for (let length = 0; length < blocks.byteLength; )
      length += await this.#writeSome(offset + length, blocks.subarray(length));
    if (!syncsWrites) await this.#sync();
  }

  #writeSome(offset: number, bytes: Buffer): Promise<number> {
    return new Promise((resolve, reject) => {
      write(this.#descriptor, bytes, 0, bytes.byteLength, offset, (error, written) => {
        if (error === null) resolve(written);
        else reject(error);
      });
    });
  }

  #sync(): Promise<void> {
    return new Promise((resolve, reject) => {
      fdatasync(this.#descriptor, (error) => (error === null ? resolve() : reject(error)));
    });
  }
}
