import { Buffer } from "node:buffer";

// A file of the log is a row of blocks, each a stamp and content. A disk writes a block as a whole or not at all. After a power cut a block is therefore
// either as it was or as it was being written, and its stamp says which. A block without a valid stamp is damaged.

/** The least that a disk writes as a whole. */
export const blockBytes = 512;
/** A stamp has the number of the group that the block belongs to, and a checksum of that number and of the block's place. */
export const stampBytes = 12;
export const contentBytes = blockBytes - stampBytes;
/** The number of the group that blocks belong to before they are used. */
const noGroup = 0;

/** Random bytes that identify a log. */
export const logIdBytes = 8;

/** Writes and checks the stamps of a log's blocks. Those of another log, or of another place in the file, are not valid. */
export class Stamps {
  readonly #seed: number;

  constructor(logId: Buffer) {
    this.#seed = mix(logId.readUInt32BE(0), logId.readUInt32BE(4));
  }

  /** Stamps the block at a position in some bytes, the one with the number `block` in its file. */
  write(bytes: Buffer, at: number, block: number, group: number): void {
    const high = Math.floor(group / 2 ** 32);
    const low = group >>> 0;
    bytes.writeUInt32BE(high, at);
    bytes.writeUInt32BE(low, at + 4);
    bytes.writeUInt32BE(this.#checksum(high, low, block), at + 8);
  }

  /** The number of the group that a block belongs to; undefined if its stamp is not valid. */
  read(bytes: Buffer, at: number, block: number): number | undefined {
    const high = bytes.readUInt32BE(at);
    const low = bytes.readUInt32BE(at + 4);
    if (bytes.readUInt32BE(at + 8) !== this.#checksum(high, low, block)) return undefined;
    return high * 2 ** 32 + low;
  }

  /** The checksum of a number that a group contains. */
  checksumOf(number: number, group: number): number {
    return this.#checksum(Math.floor(group / 2 ** 32), group >>> 0, ~number);
  }

  /** Blocks that no group has used yet. */
  unused(block: number, count: number): Buffer {
    const bytes = Buffer.alloc(count * blockBytes);
    for (let i = 0; i < count; i++) this.write(bytes, i * blockBytes, block + i, noGroup);
    return bytes;
  }

  /** Differs whenever one of the numbers differs. */
  #checksum(high: number, low: number, place: number): number {
    return mix(mix(mix(this.#seed, high), low), place) >>> 0;
  }
}

/** Where content is in a file: contents follow each other without the stamps. */
export function offsetOf(position: number): number {
  return Math.floor(position / contentBytes) * blockBytes + stampBytes + (position % contentBytes);
}

/** How many blocks some content takes. */
export function blocksFor(byteLength: number): number {
  return Math.ceil(byteLength / contentBytes);
}

/** Copies content into blocks; returns the position behind it. */
export function putContent(blocks: Buffer, position: number, content: Buffer): number {
  let at = position;
  for (let from = 0; from < content.byteLength; ) {
    const left = contentBytes - (at % contentBytes);
    const copied = content.copy(blocks, offsetOf(at), from, from + left);
    from += copied;
    at += copied;
  }
  return at;
}

/** Copies content out of blocks, from a position on, until `target` is full. */
export function takeContent(blocks: Buffer, position: number, target: Buffer): void {
  let at = position;
  for (let to = 0; to < target.byteLength; ) {
    const length = Math.min(contentBytes - (at % contentBytes), target.byteLength - to);
    const offset = offsetOf(at);
    blocks.copy(target, to, offset, offset + length);
    to += length;
    at += length;
  }
}

/** Different for each `value`, and for each `hash`. */
function mix(hash: number, value: number): number {
  const mixed = Math.imul(hash ^ value, 0x9e3779b1);
  return mixed ^ (mixed >>> 15);
}
