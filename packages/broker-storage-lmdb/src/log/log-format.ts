import { Buffer } from "node:buffer";
import { crc32 } from "node:zlib";
import { blockBytes, blocksFor, logIdBytes, putContent, Stamps, stampBytes } from "./blocks.js";

// A segment of the log is what is in one of its files: a head and the groups after it, with adjacent numbers. A group begins with a block and has a header,
// changes, and zeros up to the end of its last block. The header: the length of the changes, a checksum of it, and one of everything behind the header.

export const groupHeaderBytes = 12;
const lengthAt = stampBytes;
const lengthChecksumAt = lengthAt + 4;
const checksumAt = lengthAt + 8;
const checkedFrom = lengthAt + groupHeaderBytes;

/** A segment's head is a group that contains this number and the id of the log instead of changes. */
const magic = 0x57424c32;
const headBytes = 4 + logIdBytes;
/** Where the first group after the head is. */
export const headBlocks = 1;
/** Memory kept for writing groups. */
const keptBytes = 1024 * 1024;

/** Writes groups as blocks. */
export class GroupEncoder {
  readonly #stamps: Stamps;
  #kept: Buffer = Buffer.allocUnsafeSlow(keptBytes / 8);

  constructor(stamps: Stamps) {
    this.#stamps = stamps;
  }

  /** The blocks of a group, from the block with this number on; valid until the next call. */
  encode(group: number, block: number, changes: readonly Buffer[], byteLength: number): Buffer {
    const count = blocksFor(groupHeaderBytes + byteLength);
    const blocks = this.#take(count * blockBytes);
    for (let i = 0; i < count; i++) this.#stamps.write(blocks, i * blockBytes, block + i, group);
    let position = groupHeaderBytes;
    for (const part of changes) position = putContent(blocks, position, part);
    blocks.fill(0, stampBytes * count + position);
    blocks.writeUInt32BE(byteLength, lengthAt);
    blocks.writeUInt32BE(this.#stamps.checksumOf(byteLength, group), lengthChecksumAt);
    blocks.writeUInt32BE(crc32(blocks.subarray(checkedFrom)), checksumAt);
    return blocks;
  }

  #take(byteLength: number): Buffer {
    if (byteLength > keptBytes) return Buffer.allocUnsafeSlow(byteLength);
    if (byteLength > this.#kept.byteLength) this.#kept = Buffer.allocUnsafeSlow(keptBytes);
    return this.#kept.subarray(0, byteLength);
  }
}

/** The length of a group's changes, from its first block; undefined if it is damaged. */
export function changesLength(stamps: Stamps, first: Buffer, group: number): number | undefined {
  const length = first.readUInt32BE(lengthAt);
  return first.readUInt32BE(lengthChecksumAt) === stamps.checksumOf(length, group) ? length : undefined;
}

/** Whether all blocks of a group are as they were written. */
export function isWhole(blocks: Buffer): boolean {
  return crc32(blocks.subarray(checkedFrom)) === blocks.readUInt32BE(checksumAt);
}

/** The content of a segment's head. */
export function headOf(logId: Buffer): Buffer {
  const head = Buffer.alloc(headBytes);
  head.writeUInt32BE(magic, 0);
  logId.copy(head, 4);
  return head;
}

/** The head of a segment. */
export interface Head {
  readonly logId: Buffer;
  /** Its number; those of the groups follow. */
  readonly head: number;
}

/** The head in the first block of a file; undefined if it has none. */
export function readHead(first: Buffer): Head | undefined {
  if (first.readUInt32BE(checkedFrom) !== magic || !isWhole(first)) return undefined;
  const logId = Buffer.from(first.subarray(checkedFrom + 4, checkedFrom + headBytes));
  const stamps = new Stamps(logId);
  const head = stamps.read(first, 0, 0);
  if (head === undefined || changesLength(stamps, first, head) !== headBytes) return undefined;
  return { logId, head };
}
