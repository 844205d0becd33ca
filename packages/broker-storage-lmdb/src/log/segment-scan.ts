import type { Buffer } from "node:buffer";
import { readChange } from "../records/change.js";
import { blockBytes, blocksFor, contentBytes, Stamps, takeContent } from "./blocks.js";
import { changesLength, groupHeaderBytes, type Head, headBlocks, isWhole, readHead } from "./log-format.js";

/** What a file of the log holds beside the changes: the groups of one segment. */
export interface FoundSegment {
  /** The number of its last group. */
  readonly last: number;
  /** How many blocks the head and the groups have. */
  readonly blocks: number;
  /** How many blocks behind them a torn group may have written. */
  readonly tornBlocks: number;
  /** How many blocks of the file groups may be written to: they are on the disk. */
  readonly usableBlocks: number;
}

/** Gets the bytes that a change is in, the places of its key, its value and its end there, and its position in the file. */
export type OnChange = (
  bytes: Buffer,
  keyStart: number,
  valueStart: number,
  end: number,
  position: number,
) => void;

/** The head in the bytes of a file; undefined if it has none. */
export function findHead(file: Buffer): Head | undefined {
  return blocksIn(file) < headBlocks ? undefined : readHead(file.subarray(0, headBlocks * blockBytes));
}

/** Whether a group was begun behind a head. */
export function hasGroups(file: Buffer, { logId, head }: Head): boolean {
  if (blocksIn(file) <= headBlocks) return false;
  return new Stamps(logId).read(file, headBlocks * blockBytes, headBlocks) === head + 1;
}

/**
 * Visits the changes of the segment with a head in the bytes of a file, and takes the stamps out of those bytes: the position of a change is its place there. A
 * last group that is not whole is left out if each of its blocks is as it was before, or as the group's: power failed before it was acknowledged.
 * Throws a `RangeError` for any other.
 */
export function scanSegment(file: Buffer, stamps: Stamps, head: number, visit: OnChange): FoundSegment {
  let last = head;
  let blocks = headBlocks;
  for (;;) {
    const group = findGroup(file, stamps, blocks, last + 1);
    if (group === undefined) return { last, blocks, ...readRest(file, stamps, blocks, last + 1) };
    const from = blocks * contentBytes;
    const to = from + groupHeaderBytes + group.changesLength;
    takeContent(file.subarray(blocks * blockBytes), 0, file.subarray(from, to));
    forEachChangeIn(file, from + groupHeaderBytes, to, 0, visit);
    last++;
    blocks += group.blocks;
  }
}

/** Calls `visit` for each change between `from` and `to`; the first byte of `bytes` is at `position` in the file. */
export function forEachChangeIn(
  bytes: Buffer,
  from: number,
  to: number,
  position: number,
  visit: OnChange,
): void {
  for (let at = from; at < to; ) {
    const { keyStart, valueStart, end } = readChange(bytes, at);
    visit(bytes, keyStart, valueStart, end, position + at);
    at = end;
  }
}

/** How many blocks the group with a number has that begins with a block; undefined if it is torn, or was not begun. */
function findGroup(
  file: Buffer,
  stamps: Stamps,
  block: number,
  number: number,
): { readonly blocks: number; readonly changesLength: number } | undefined {
  // There is always a block behind the last group, and all blocks of a group were in the file before it was written.
  if (isBefore(file, stamps, block, number)) return undefined;
  const length = changesLength(stamps, file.subarray(block * blockBytes), number);
  if (length === undefined) throw damagedAt(block);
  const blocks = blocksFor(groupHeaderBytes + length);
  let isTorn = false;
  for (let next = block + 1; next < block + blocks; next++)
    if (isBefore(file, stamps, next, number)) isTorn = true;
  if (isTorn) return undefined;
  if (!isWhole(file.subarray(block * blockBytes, (block + blocks) * blockBytes))) throw damagedAt(block);
  return { blocks, changesLength: length };
}

/** Whether a block is as it was before the group with a number was written, and not part of it. */
function isBefore(file: Buffer, stamps: Stamps, block: number, number: number): boolean {
  const found = block < blocksIn(file) ? stamps.read(file, block * blockBytes, block) : undefined;
  if (found === undefined || found > number) throw damagedAt(block);
  return found < number;
}

/** What is behind the last whole group. Throws if it was written after the group with a number. */
function readRest(
  file: Buffer,
  stamps: Stamps,
  from: number,
  number: number,
): Pick<FoundSegment, "tornBlocks" | "usableBlocks"> {
  let tornBlocks = 0;
  let usableBlocks: number | undefined;
  for (let block = from; block < blocksIn(file); block++) {
    const found = stamps.read(file, block * blockBytes, block);
    if (found === undefined) usableBlocks ??= block;
    else if (found > number) throw damagedAt(from);
    else if (found === number) tornBlocks = block + 1 - from;
  }
  return { tornBlocks, usableBlocks: usableBlocks ?? blocksIn(file) };
}

function blocksIn(file: Buffer): number {
  return Math.floor(file.byteLength / blockBytes);
}

function damagedAt(block: number): RangeError {
  return new RangeError(`it is damaged at offset ${block * blockBytes}`);
}
