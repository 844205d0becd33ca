import { Buffer } from "node:buffer";
import { required } from "@waybill/foundation";
import { PageFile } from "./page-file.js";

// LMDB trusts its file: a damaged page number crashes the process, a damaged pointer returns wrong bytes. So everything that LMDB will
// follow is checked here first. The layout is that of lmdb.h, data version 2, on 64-bit little-endian systems.

const magic = 0xbeefc0de;
const dataVersion = 2;
const headerBytes = 24;
const nodeBytes = 8;
const metaBytes = 136;
const treeBytes = 48;
const branch = 1;
const leaf = 2;
const overflow = 4;
const metaPages = 8;
/** A value stored on its own pages. */
const bigData = 1;
/** The root of an empty tree, which has all bits set. */
const noPage = Number.POSITIVE_INFINITY;
const deepestTree = 32;
/** The flags of the tree of free pages: integer keys, in a file without a directory of its own. */
const freeTreeFlags = 0x4008;
/** How much shorter than its pages a file may be: the last ones may be free, and never written. */
const unwrittenBytes = 2 ** 30;
const maxPageBytes = 65_536;
const noBytes = Buffer.alloc(0);

/** One record, as positions in its pages: with a view for each key and value, a million records are loaded a fifth slower. */
export interface LmdbEntry {
  readonly page: Buffer;
  readonly keyStart: number;
  readonly keyEnd: number;
  /** The page, or the pages of a long value. */
  readonly bytes: Buffer;
  readonly valueStart: number;
  readonly valueEnd: number;
}

type Visit = (entry: LmdbEntry) => void;

interface Tree {
  readonly flags: number;
  readonly depth: number;
  readonly entries: number;
  readonly root: number;
}

interface Meta {
  readonly pageBytes: number;
  readonly free: Tree;
  readonly main: Tree;
  readonly lastPage: number;
  readonly transaction: number;
}

/**
 * Checks the structure of an LMDB file and visits the records of its main tree in key order. Throws a `RangeError` that says what is wrong
 * with a file that LMDB would misread. What is passed to `visit` is valid only during the call.
 */
export function readLmdbRecords(path: string, visit: Visit): void {
  const file = new PageFile(path);
  try {
    const meta = readMeta(file);
    const used = new PageSet(meta.lastPage);
    walk(file, meta, used, meta.main, visit);
    walk(file, meta, used, meta.free, ({ bytes, valueStart, valueEnd }) =>
      markFree(used, bytes.subarray(valueStart, valueEnd)),
    );
  } finally {
    file.close();
  }
}

/** Whether an LMDB file was written to after its creation; true also for a file too long to be new. */
export function hasCommits(path: string): boolean {
  const file = new PageFile(path);
  try {
    if (file.byteLength > 2 * maxPageBytes) return true;
    return [512, 1024, 2048, 4096, 8192, 16_384, 32_768, maxPageBytes]
      .flatMap((pageBytes) => [0, pageBytes])
      .some((offset) => isCommitted(file, offset));
  } finally {
    file.close();
  }
}

function isCommitted(file: PageFile, offset: number): boolean {
  try {
    return parseMeta(file, offset).transaction > 0;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** The pages in use; each may be used only once. */
class PageSet {
  readonly #bits: Uint8Array;
  readonly #lastPage: number;

  constructor(lastPage: number) {
    this.#lastPage = lastPage;
    this.#bits = new Uint8Array(Math.floor(lastPage / 8) + 1);
  }

  add(page: number): void {
    if (page < 2 || page > this.#lastPage)
      throw new RangeError(`it refers to page ${page}, which does not exist`);
    const bit = 1 << (page & 7);
    const at = Math.floor(page / 8);
    const bits = this.#bits[at] ?? 0;
    if ((bits & bit) !== 0) throw new RangeError(`page ${page} is used twice`);
    this.#bits[at] = bits | bit;
  }
}

/** The newer of the two meta pages. They are written alternately, so their transaction numbers are adjacent. */
function readMeta(file: PageFile): Meta {
  const first = parseMeta(file, 0);
  const second = parseMeta(file, first.pageBytes);
  if (first.pageBytes !== second.pageBytes) throw new RangeError("its meta pages differ in their page size");
  // LMDB also follows those of the older one.
  for (const { free } of [first, second])
    if (free.flags !== freeTreeFlags) throw new RangeError("its layout is unknown");
  const isNeverWritten = first.transaction === 0 && second.transaction === 0;
  const areNeighbours = Math.abs(first.transaction - second.transaction) === 1 && first.transaction % 2 === 0;
  if (!isNeverWritten && !areNeighbours) throw new RangeError("its meta pages do not belong together");
  return first.transaction > second.transaction ? first : second;
}

function parseMeta(file: PageFile, offset: number): Meta {
  const page = file.read(offset, headerBytes + metaBytes);
  if ((page.readUInt16LE(18) & metaPages) === 0 || page.readUInt32LE(headerBytes) !== magic) {
    throw new RangeError("its file was not written by the store");
  }
  if (page.readUInt32LE(headerBytes + 4) !== dataVersion) {
    throw new RangeError(`its file has data version ${page.readUInt32LE(headerBytes + 4)}`);
  }
  const pageBytes = page.readUInt32LE(headerBytes + 24);
  if (pageBytes < 512 || pageBytes > maxPageBytes || (pageBytes & (pageBytes - 1)) !== 0) {
    throw new RangeError("its page size is invalid");
  }
  const lastPage = readU64(page, headerBytes + 24 + 2 * treeBytes);
  const transaction = readU64(page, headerBytes + 32 + 2 * treeBytes);
  const mapBytes = readU64(page, headerBytes + 16);
  // Bounds of plausible page counts and map sizes; larger values are damaged.
  const isTooLarge = lastPage * pageBytes > file.byteLength + unwrittenBytes;
  if (lastPage < 1 || isTooLarge || mapBytes > 2 ** 46) throw new RangeError("its size is out of bounds");
  return {
    pageBytes,
    free: parseTree(page, headerBytes + 24),
    main: parseTree(page, headerBytes + 24 + treeBytes),
    lastPage,
    transaction,
  };
}

function parseTree(page: Buffer, at: number): Tree {
  return {
    flags: page.readUInt16LE(at + 4),
    depth: page.readUInt16LE(at + 6),
    entries: readU64(page, at + 32),
    // Not as a number: 2^64 - 1 is no other than its neighbours then.
    root: page.readBigUInt64LE(at + 40) === 2n ** 64n - 1n ? noPage : readU64(page, at + 40),
  };
}

/** A key in a page. */
interface Key {
  readonly page: Buffer;
  readonly keyStart: number;
  readonly keyEnd: number;
}

type Mutable<Type> = { -readonly [Name in keyof Type]: Type[Name] };

/** The state of a walk through one tree; the keys seen so far restrict the next key. */
interface Walk {
  readonly file: PageFile;
  readonly meta: Meta;
  readonly used: PageSet;
  readonly depth: number;
  readonly compare: (left: Key, right: Key) => number;
  readonly visit: Visit;
  /** The page at each level that is being walked. */
  readonly pages: Buffer[];
  /** The leaf before the current one, which has the last key. */
  leafBefore: Buffer;
  entries: number;
  /** The last visited key; without a page before the first one. */
  readonly last: Mutable<Key>;
  /** The entry being visited. */
  readonly entry: Mutable<LmdbEntry>;
  /** The branch's separator: the next key must not be smaller. */
  floor: Key | undefined;
}

function walk(file: PageFile, meta: Meta, used: PageSet, tree: Tree, visit: Visit): void {
  const compare = tree === meta.free ? compareIntegers : compareBytes;
  const { depth } = tree;
  if (tree === meta.main && tree.flags !== 0) throw new RangeError("its record layout is unknown");
  if (depth > deepestTree) throw new RangeError("its tree is too deep");
  const none = { page: noBytes, keyStart: 0, keyEnd: 0 };
  const state: Walk = {
    file,
    meta,
    used,
    depth,
    compare,
    visit,
    pages: Array.from({ length: depth + 1 }, () => Buffer.allocUnsafe(meta.pageBytes)),
    leafBefore: Buffer.allocUnsafe(meta.pageBytes),
    entries: 0,
    last: { ...none },
    entry: { ...none, bytes: noBytes, valueStart: 0, valueEnd: 0 },
    floor: undefined,
  };
  if (tree.root !== noPage) walkPage(state, tree.root, 1);
  if (state.entries !== tree.entries) {
    throw new RangeError(`it claims ${tree.entries} entries but has ${state.entries}`);
  }
}

function walkPage(state: Walk, number: number, level: number): void {
  if (level > state.depth) throw new RangeError("its tree is deeper than it claims");
  const page = takePage(state, level);
  readPage(state, number, level === state.depth ? leaf : branch).copy(page);
  const count = page.readUInt16LE(20) / 2;
  const upper = page.readUInt16LE(22);
  if (!Number.isInteger(count) || count === 0 || count * 2 > upper || headerBytes + upper > page.byteLength) {
    throw new RangeError(`page ${number} has a damaged list of entries`);
  }
  for (let i = 0; i < count; i++) {
    const pointer = page.readUInt16LE(headerBytes + i * 2);
    const at = headerBytes + pointer;
    const keyEnd = at + nodeBytes <= page.byteLength ? at + nodeBytes + page.readUInt16LE(at + 6) : Infinity;
    if (pointer < upper || keyEnd > page.byteLength)
      throw new RangeError(`an entry of page ${number} lies outside of it`);
    if (level === state.depth) visitEntry(state, page, at, keyEnd);
    else descend(state, page, at, i === 0 ? undefined : keyEnd, level);
  }
}

/** The memory of a level's page: the file's own is used again while this page is walked. */
function takePage(state: Walk, level: number): Buffer {
  const page = level === state.depth ? state.leafBefore : required(state.pages[level], "A level of a tree");
  if (level === state.depth) state.leafBefore = required(state.pages[level], "The level of the leaves");
  state.pages[level] = page;
  return page;
}

/** `keyEnd` is absent for the first entry of a page, which has no key. */
function descend(state: Walk, page: Buffer, at: number, keyEnd: number | undefined, level: number): void {
  if (keyEnd !== undefined) {
    const key = { page, keyStart: at + nodeBytes, keyEnd };
    if (state.last.page === noBytes || state.compare(state.last, key) >= 0) throw outOfOrder();
    state.floor = key;
  }
  const low = page.readUInt32LE(at);
  walkPage(state, low + page.readUInt16LE(at + 4) * 2 ** 32, level + 1);
}

function visitEntry(state: Walk, page: Buffer, at: number, keyEnd: number): void {
  const { last, floor, compare, entry } = state;
  entry.page = page;
  entry.keyStart = at + nodeBytes;
  entry.keyEnd = keyEnd;
  if (last.page !== noBytes && compare(last, entry) >= 0) throw outOfOrder();
  if (floor !== undefined && compare(floor, entry) > 0) throw outOfOrder();
  last.page = page;
  last.keyStart = entry.keyStart;
  last.keyEnd = keyEnd;
  state.floor = undefined;
  state.entries++;
  const flags = page.readUInt16LE(at + 4);
  const byteLength = page.readUInt32LE(at);
  if (flags !== 0 && flags !== bigData) throw new RangeError("it holds an entry of unknown kind");
  const valueEnd = keyEnd + (flags === bigData ? 24 : byteLength);
  if (valueEnd > page.byteLength) throw new RangeError("an entry is longer than its page");
  entry.bytes = flags === bigData ? readBigValue(state, page.subarray(keyEnd, valueEnd), byteLength) : page;
  entry.valueStart = flags === bigData ? 0 : keyEnd;
  entry.valueEnd = flags === bigData ? byteLength : valueEnd;
  state.visit(entry);
}

/** A value on its own consecutive pages with one header. */
function readBigValue(state: Walk, reference: Buffer, byteLength: number): Buffer {
  const { pageBytes } = state.meta;
  const first = readU64(reference, 0);
  const pages = readU64(reference, 16);
  if (pages !== Math.floor((headerBytes - 1 + byteLength) / pageBytes) + 1) {
    throw new RangeError("a long value has the wrong number of pages");
  }
  const head = readPage(state, first, overflow);
  if (head.readUInt32LE(20) !== pages) throw new RangeError(`page ${first} has the wrong number of pages`);
  markRun(state.used, first + 1, pages - 1);
  return state.file.read(first * pageBytes + headerBytes, byteLength);
}

function readPage({ file, meta, used }: Walk, number: number, flags: number): Buffer {
  used.add(number);
  const page = file.read(number * meta.pageBytes, meta.pageBytes);
  const isOwn = readU64(page, 0) === number && readU64(page, 8) <= meta.transaction;
  if (!isOwn || page.readUInt16LE(18) !== flags) throw new RangeError(`page ${number} is of the wrong type`);
  return page;
}

/**
 * Checks a free list: the number of entries, then the entries. Each is a page, empty, or the negative length of a run whose first page
 * follows. A listed page that is in use would be overwritten.
 */
function markFree(used: PageSet, list: Buffer): void {
  const count = list.byteLength < 8 ? Number.POSITIVE_INFINITY : readU64(list, 0);
  if ((count + 1) * 8 > list.byteLength) throw new RangeError("its list of free pages is damaged");
  for (let i = 1; i <= count; i++) {
    const entry = list.readBigInt64LE(i * 8);
    if (entry > 0n) used.add(Number(entry));
    else if (entry < 0n && i < count) markRun(used, readU64(list, ++i * 8), -Number(entry));
  }
}

function markRun(used: PageSet, first: number, length: number): void {
  for (let page = first; page < first + length; page++) used.add(page);
}

/** Exact up to 2^53; larger values exceed every bound. */
function readU64(bytes: Buffer, at: number): number {
  return bytes.readUInt32LE(at) + bytes.readUInt32LE(at + 4) * 2 ** 32;
}

function compareBytes(left: Key, right: Key): number {
  const shorter = Math.min(left.keyEnd - left.keyStart, right.keyEnd - right.keyStart);
  for (let at = 0; at < shorter; at++) {
    const difference =
      (left.page[left.keyStart + at] as number) - (right.page[right.keyStart + at] as number);
    if (difference !== 0) return difference;
  }
  return left.keyEnd - left.keyStart - (right.keyEnd - right.keyStart);
}

function compareIntegers(left: Key, right: Key): number {
  if (left.keyEnd - left.keyStart !== 8 || right.keyEnd - right.keyStart !== 8) throw outOfOrder();
  return readU64(left.page, left.keyStart) - readU64(right.page, right.keyStart);
}

function outOfOrder(): RangeError {
  return new RangeError("its entries are out of order");
}
