import type { Buffer } from "node:buffer";
import { randomBytes } from "node:crypto";
import { existsSync, rmSync } from "node:fs";
import type { LmdbTarget } from "../lmdb/lmdb-target.js";
import { blockBytes, blocksFor, contentBytes, logIdBytes, Stamps } from "./blocks.js";
import type { ChangeGroup } from "./change-group.js";
import { applySegment, commitLogState } from "./checkpoint.js";
import type { SegmentInFile } from "./found-log.js";
import { LogFile } from "./log-file.js";
import { GroupEncoder, groupHeaderBytes, headBlocks, headOf } from "./log-format.js";
import type { LogState } from "./log-state.js";
import { SegmentChanges } from "./segment-changes.js";
import { forEachChangeIn } from "./segment-scan.js";
import type { StoredKeys } from "./stored-keys.js";

/** What a log needs of its owner. */
export interface ChangeLogOptions {
  /** The two files: while the store is brought up to date from one, the other one is written. */
  readonly paths: readonly [string, string];
  readonly target: LmdbTarget;
  /** What the store knows of the log, and the segments that were found. */
  readonly state: LogState;
  readonly found: readonly SegmentInFile[];
  readonly stored: StoredKeys;
  /** Makes the creation of a file durable. */
  readonly syncDirectory: () => void;
  /** Called before a group is written, with the place and position of its first change. */
  readonly onPlaced: (place: number, position: number) => void;
  /** Called when the store has everything in a file of the log. */
  readonly onApplied: (place: number) => void;
}

/** Blocks of a file of the log: 8 MiB. A larger one saves work of the store, a smaller one disk space and time at the next start. */
const segmentBlocks = (8 * 1024 * 1024) / blockBytes;
/** Maximum number of changes in a file: the memory for their keys while the store is brought up to date. */
const changesPerSegment = 200_000;

/** The segment that is being written, or was. */
interface Segment {
  readonly place: number;
  readonly changes: SegmentChanges;
  /** The number of its last group. */
  last: number;
  /** How many blocks it has, and how many behind them must be cleared. */
  blocks: number;
  tornBlocks: number;
  /** How many changes. */
  count: number;
}

/**
 * A log in front of the store: a group of changes is durable when it is appended here, with one sync. The store is brought up to date behind,
 * a whole file of the log at a time. The log begins with the first change, and ends when the store is closed.
 */
export class ChangeLog {
  readonly #options: ChangeLogOptions;
  readonly #files: (LogFile | undefined)[] = [undefined, undefined];
  #state: LogState;
  #stamps!: Stamps;
  #encoder!: GroupEncoder;
  /** Absent until the log begins. */
  #active: Segment | undefined;
  /** The segment in the other file, until the store is being brought up to date from it. */
  #full: Segment | undefined;
  /** The same until the store is up to date. */
  #unapplied: Segment | undefined;
  /** The end of that work; it never rejects. */
  #applying: Promise<void> | undefined;
  #failure: { readonly cause: unknown } | undefined;

  constructor(options: ChangeLogOptions) {
    this.#options = options;
    this.#state = options.state;
    this.#useId(options.state.logId);
    const [first, second] = options.found;
    for (const found of options.found) this.#open(found.place, found.usableBlocks);
    this.#active = segmentOf(second ?? first);
    if (second !== undefined) this.#setFull(segmentOf(first));
  }

  /** Appends a group; resolves when the disk has synced it. At most one at a time. */
  async append(group: ChangeGroup): Promise<void> {
    const { byteLength, count } = group;
    let active = this.#active;
    if (active === undefined || !hasRoom(active, byteLength, count)) active = await this.#beginSegment();
    if (this.#failure !== undefined) throw this.#failure.cause;
    const { place, blocks: block } = active;
    if (active.tornBlocks > 0) await this.#clearTorn(active);
    const position = block * contentBytes + groupHeaderBytes;
    this.#options.onPlaced(place, position);
    const changes = group.parts();
    const blocks = this.#encoder.encode(active.last + 1, block, changes, byteLength);
    await this.#open(place).write(block, blocks);
    active.last++;
    active.count += count;
    active.blocks += blocks.byteLength / blockBytes;
    this.#note(active, changes, position);
    // Not earlier: the more was deleted meanwhile, the less is left to do. Not later: the file is needed when this one is full.
    if (active.blocks > segmentBlocks / 2 || active.count > changesPerSegment / 2) this.#applyFull();
  }

  /** A copy of bytes in a file of the log. */
  read(place: number, position: number, byteLength: number): Buffer {
    return this.#open(place).read(position, byteLength);
  }

  /** Brings the store up to date and deletes the log. Without `isComplete`, it only ends the work in progress. */
  async close({ isComplete }: { readonly isComplete: boolean }): Promise<void> {
    if (isComplete) this.#applyFull();
    await this.#applying;
    try {
      if (isComplete && this.#failure === undefined && this.#active !== undefined)
        await this.#apply(this.#active, { isEnd: true });
    } finally {
      for (const file of this.#files) file?.close();
    }
    if (!isComplete) return;
    if (this.#failure !== undefined) throw this.#failure.cause;
    this.#deleteFiles();
  }

  /** Begins a segment, in the other file once the store has what is in it. */
  async #beginSegment(): Promise<Segment> {
    this.#applyFull();
    await this.#applying;
    if (this.#failure !== undefined) throw this.#failure.cause;
    const previous = this.#active;
    if (previous === undefined) this.#beginLog();
    const place = previous === undefined ? 0 : 1 - previous.place;
    const head = (previous?.last ?? this.#state.applied) + 1;
    const active = {
      place,
      changes: new SegmentChanges(),
      last: head,
      blocks: headBlocks,
      tornBlocks: 0,
      count: 0,
    };
    const content = headOf(this.#state.logId);
    await this.#open(place).write(0, this.#encoder.encode(head, 0, [content], content.byteLength));
    // The store does without the segment until it knows of it, and not afterwards.
    this.#state = { ...this.#state, begun: head, needed: head, place };
    await commitLogState(this.#state, this.#options.target, this.#options.stored);
    this.#setFull(previous);
    this.#active = active;
    return active;
  }

  /** A new id, so that no file of another log, or of another copy of this one, is taken for part of it. */
  #beginLog(): void {
    this.#deleteFiles();
    const logId = randomBytes(logIdBytes);
    this.#state = { ...this.#state, logId };
    this.#useId(logId);
  }

  #useId(logId: Buffer): void {
    this.#stamps = new Stamps(logId);
    this.#encoder = new GroupEncoder(this.#stamps);
  }

  #setFull(segment: Segment | undefined): void {
    this.#full = segment;
    this.#unapplied = segment;
  }

  /** What a torn group left must not be taken for blocks of the next one, which gets its number. */
  async #clearTorn(active: Segment): Promise<void> {
    await this.#open(active.place).clear(active.blocks, active.tornBlocks);
    active.tornBlocks = 0;
  }

  /**
   * Notes changes that are durable. Not earlier: the store then does without what they delete, and a deletion that was lost would have lost the
   * record.
   */
  #note({ changes }: Segment, parts: readonly Buffer[], position: number): void {
    const { stored } = this.#options;
    let at = position;
    for (const part of parts) {
      forEachChangeIn(part, 0, part.byteLength, at, (bytes, keyStart, valueStart, end, changePosition) => {
        if (valueStart < end) changes.put(bytes, keyStart, valueStart, changePosition);
        else {
          this.#unapplied?.changes.forget(bytes, keyStart, valueStart);
          if (stored.mayHave(bytes, keyStart, valueStart)) changes.delete(bytes, keyStart, valueStart);
          else changes.forget(bytes, keyStart, valueStart);
        }
      });
      at += part.byteLength;
    }
  }

  /** Begins to bring the store up to date from the other file. */
  #applyFull(): void {
    const full = this.#full;
    if (full === undefined) return;
    this.#full = undefined;
    this.#applying = this.#apply(full, { isEnd: false });
  }

  async #apply(segment: Segment, { isEnd }: { readonly isEnd: boolean }): Promise<void> {
    const { target, stored, onApplied } = this.#options;
    const { place, changes, last: applied } = segment;
    const stateAfter = () => {
      const needed = this.#active?.last ?? applied;
      this.#state = { ...this.#state, applied, needed, begun: isEnd ? applied : this.#state.begun };
      return this.#state;
    };
    try {
      await applySegment({ path: this.#pathOf(place), changes, stateAfter }, target, stored);
      if (this.#unapplied === segment) this.#unapplied = undefined;
      onApplied(place);
    } catch (cause) {
      this.#failure ??= { cause };
    }
  }

  #open(place: number, usableBlocks = 0): LogFile {
    const open = this.#files[place];
    if (open !== undefined) return open;
    const path = this.#pathOf(place);
    const isNew = !existsSync(path);
    const file = new LogFile(path, this.#stamps, usableBlocks);
    this.#files[place] = file;
    if (isNew) this.#options.syncDirectory();
    return file;
  }

  #pathOf(place: number): string {
    return this.#options.paths[place === 0 ? 0 : 1];
  }

  #deleteFiles(): void {
    for (const path of this.#options.paths) rmSync(path, { force: true });
  }
}

function hasRoom({ blocks, count: before }: Segment, byteLength: number, count: number): boolean {
  if (blocks === headBlocks) return true;
  const needed = blocks + blocksFor(groupHeaderBytes + byteLength);
  return needed <= segmentBlocks && before + count <= changesPerSegment;
}

function segmentOf(found: SegmentInFile | undefined): Segment | undefined {
  if (found === undefined) return undefined;
  const { place, changes, last, blocks, tornBlocks, count } = found;
  return { place, changes, last, blocks, tornBlocks, count };
}
