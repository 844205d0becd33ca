import { required } from "@waybill/foundation";

/** A one-shot timer. The wheel links entries through their own fields, so arming allocates nothing. */
export abstract class TimerEntry {
  /** In the wheel's time, which for a broker is steady time; `Timers.instantOf` converts it. */
  dueMs: number | undefined = undefined;
  /** The wheel's slot that holds this entry; -1 while it is not armed. */
  timerSlot = -1;
  timerNext: TimerEntry | undefined = undefined;
  timerPrevious: TimerEntry | undefined = undefined;

  /** Called once when due; the entry is no longer armed and may be armed again. */
  abstract onDue(nowMs: number): void;
}

const slots = 256;
const levels = 6;
const words = slots / 32;
const lowRange = 2 ** 24;
/** Entries fired between checks of the time. */
const firedAtOnce = 8;
const movedAtOnce = 1024;
/** The wheel's horizon, in the year 10889: later timers never fire. */
const horizonMs = 2 ** 48;

/**
 * A hierarchical timing wheel with millisecond resolution: arming and disarming take constant time. Entries fire in order of their due
 * time; entries with the same due time in the order of arming.
 *
 * A time is six groups of eight bits; an entry is on the level of the highest group in which its due time differs from the wheel's time. So
 * all entries with the same due time share a slot, and cascading keeps their order.
 */
export class TimingWheel {
  /** A lower bound of the next due time, `Infinity` if nothing is armed. */
  nextDueMs = Number.POSITIVE_INFINITY;
  readonly #heads: (TimerEntry | undefined)[] = new Array(slots * levels).fill(undefined);
  readonly #tails: (TimerEntry | undefined)[] = new Array(slots * levels).fill(undefined);
  readonly #occupied = new Int32Array(words * levels);
  #high: number;
  #low: number;
  #count = 0;
  /** The slot whose entries are being moved to lower levels, -1 for none. */
  #cascading = -1;

  constructor(nowMs: number) {
    this.#high = Math.floor(nowMs / lowRange);
    this.#low = nowMs % lowRange;
  }

  get count(): number {
    return this.#count;
  }

  /** Arms `entry` for `dueMs`, or moves it. A past time means "at the next run". */
  arm(entry: TimerEntry, dueMs: number): void {
    if (dueMs >= horizonMs) {
      this.disarm(entry);
      return;
    }
    if (entry.timerSlot >= 0) this.#unlink(entry);
    else this.#count++;
    entry.dueMs = dueMs;
    this.#link(entry, dueMs);
    if (dueMs < this.nextDueMs) this.nextDueMs = dueMs;
  }

  /** Disarms `entry`; does nothing if it is not armed. */
  disarm(entry: TimerEntry): void {
    if (entry.timerSlot < 0) return;
    this.#unlink(entry);
    this.#count--;
  }

  /**
   * Fires everything due at or before `nowMs`, in the wheel's time; entries get `instantMs`, the same moment by the wall clock. If
   * `isTurnOver` interrupts it, the rest is due at once and fires first next time.
   */
  runDue(nowMs: number, instantMs: number = nowMs, isTurnOver: () => boolean = () => false): void {
    for (;;) {
      const slot = this.#cascading < 0 ? this.#firstOccupied() : this.#cascading;
      if (slot < 0) break;
      const startMs = this.#startOf(slot);
      if (startMs > nowMs) {
        this.nextDueMs = startMs;
        this.#moveTo(nowMs);
        return;
      }
      this.#moveTo(startMs);
      const isDone = slot < slots ? this.#fire(slot, instantMs, isTurnOver) : this.#cascade(slot, isTurnOver);
      if (isDone) continue;
      this.nextDueMs = startMs;
      return;
    }
    this.nextDueMs = Number.POSITIVE_INFINITY;
    this.#moveTo(nowMs);
  }

  #fire(slot: number, instantMs: number, isTurnOver: () => boolean): boolean {
    for (let fired = 1; ; fired++) {
      const entry = this.#heads[slot];
      if (entry === undefined) return true;
      this.disarm(entry);
      entry.onDue(instantMs);
      if (fired % firedAtOnce === 0 && isTurnOver()) return false;
    }
  }

  /** Can be interrupted, yet keeps the order: no entry of the slot fires before all have been moved. */
  #cascade(slot: number, isTurnOver: () => boolean): boolean {
    this.#cascading = slot;
    for (let moved = 1; ; moved++) {
      const entry = this.#heads[slot];
      if (entry === undefined) break;
      this.#unlink(entry);
      this.#link(entry, required(entry.dueMs, "The due time of an armed entry"));
      if (moved % movedAtOnce === 0 && isTurnOver()) return false;
    }
    this.#cascading = -1;
    return true;
  }

  #moveTo(ms: number): void {
    const high = Math.floor(ms / lowRange);
    const low = ms % lowRange;
    if (high < this.#high || (high === this.#high && low < this.#low)) return;
    this.#high = high;
    this.#low = low;
  }

  #slotFor(dueMs: number): number {
    let high = Math.floor(dueMs / lowRange);
    // Not by `%`, which calls a function for numbers above 2^31.
    let low = Math.ceil(dueMs - high * lowRange);
    if (high < this.#high || (high === this.#high && low < this.#low)) {
      high = this.#high;
      low = this.#low;
    }
    const highDifference = high ^ this.#high;
    if (highDifference !== 0) {
      if (highDifference < 0x100) return 3 * slots + (high & 0xff);
      if (highDifference < 0x10000) return 4 * slots + ((high >>> 8) & 0xff);
      return 5 * slots + ((high >>> 16) & 0xff);
    }
    const lowDifference = low ^ this.#low;
    if (lowDifference < 0x100) return low & 0xff;
    if (lowDifference < 0x10000) return slots + ((low >>> 8) & 0xff);
    return 2 * slots + ((low >>> 16) & 0xff);
  }

  #startOf(slot: number): number {
    const group = slot % slots;
    switch (Math.floor(slot / slots)) {
      case 0:
        return this.#high * lowRange + ((this.#low & ~0xff) | group);
      case 1:
        return this.#high * lowRange + ((this.#low & ~0xffff) | (group << 8));
      case 2:
        return this.#high * lowRange + (group << 16);
      case 3:
        return ((this.#high & ~0xff) | group) * lowRange;
      case 4:
        return ((this.#high & ~0xffff) | (group << 8)) * lowRange;
      default:
        return (group << 16) * lowRange;
    }
  }

  #firstOccupied(): number {
    if (this.#count === 0) return -1;
    for (let word = 0; word < words * levels; word++) {
      const bits = this.#occupied[word] ?? 0;
      if (bits !== 0) return word * 32 + (31 - Math.clz32(bits & -bits));
    }
    return -1;
  }

  #link(entry: TimerEntry, dueMs: number): void {
    const slot = this.#slotFor(dueMs);
    const tail = this.#tails[slot];
    entry.timerSlot = slot;
    entry.timerPrevious = tail;
    entry.timerNext = undefined;
    if (tail === undefined) {
      this.#heads[slot] = entry;
      this.#occupied[slot >>> 5] = (this.#occupied[slot >>> 5] ?? 0) | (1 << (slot & 31));
    } else {
      tail.timerNext = entry;
    }
    this.#tails[slot] = entry;
  }

  #unlink(entry: TimerEntry): void {
    const slot = entry.timerSlot;
    const { timerPrevious: previous, timerNext: next } = entry;
    if (previous === undefined) this.#heads[slot] = next;
    else previous.timerNext = next;
    if (next === undefined) this.#tails[slot] = previous;
    else next.timerPrevious = previous;
    if (this.#heads[slot] === undefined)
      this.#occupied[slot >>> 5] = (this.#occupied[slot >>> 5] ?? 0) & ~(1 << (slot & 31));
    entry.timerSlot = -1;
    entry.timerNext = undefined;
    entry.timerPrevious = undefined;
  }
}
