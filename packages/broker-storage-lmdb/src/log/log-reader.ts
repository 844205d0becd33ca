import { Buffer } from "node:buffer";
import { PageFile } from "../lmdb/page-file.js";
import { changeHeaderBytes } from "../records/change.js";
import { blockBytes, blocksFor, contentBytes, offsetOf, takeContent } from "./blocks.js";

/** Reads a file of the log that is not being written. What is returned is valid until the next call. */
export class LogReader {
  readonly #file: PageFile;
  #content: Buffer = Buffer.alloc(0);

  constructor(path: string) {
    this.#file = new PageFile(path);
  }

  /** Content, without stamps. */
  read(position: number, byteLength: number): Buffer {
    const inBlock = position % contentBytes;
    if (inBlock + byteLength <= contentBytes) return this.#file.read(offsetOf(position), byteLength);
    const block = (position - inBlock) / contentBytes;
    const blocks = this.#file.read(block * blockBytes, blocksFor(inBlock + byteLength) * blockBytes);
    return this.#taken(blocks, inBlock, byteLength);
  }

  /** The change at a position. */
  readChange(position: number): Buffer {
    const header = this.read(position, changeHeaderBytes);
    return this.read(position, changeHeaderBytes + header.readUInt16BE(0) + header.readUInt32BE(2));
  }

  close(): void {
    this.#file.close();
  }

  #taken(blocks: Buffer, position: number, byteLength: number): Buffer {
    if (this.#content.byteLength < byteLength) this.#content = Buffer.allocUnsafeSlow(2 * byteLength);
    const content = this.#content.subarray(0, byteLength);
    takeContent(blocks, position, content);
    return content;
  }
}
