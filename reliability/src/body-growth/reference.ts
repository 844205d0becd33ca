import { timeOf } from "../fuzz/time-of.js";

/** What `JSON.parse` takes for the reference text on the machine for which the bars were chosen, in milliseconds. */
const referenceMs = 7;

/** Objects with keys of their own: like the slowest bodies, they cost the engine more for memory than for their bytes. */
const text = JSON.stringify(
  Array.from({ length: 12_000 }, (_, id) => ({ [`key ${id}`]: [id], b: `item ${id}` })),
);

/** What a page of new memory takes on that machine, in milliseconds. */
const referencePageMs = 0.001;

/** An array of so many items is in memory of its own, which the operating system provides page by page. */
const itemsOfPages = 262_144;

/** The processor time of some work, and how many pages of new memory the operating system provided meanwhile. */
export interface Cost {
  readonly ms: number;
  readonly pages: number;
}

/** How this machine compares with the one for which the bars were chosen. */
export interface Pace {
  /** How many times as long the same work takes; at least 1. */
  readonly slowness: number;
  /** How much longer a page of new memory takes, in milliseconds; at least 0. A virtual machine may get each page from its host first. */
  readonly pageMs: number;
}

export function costOf(work: () => unknown): Cost {
  const before = process.resourceUsage().minorPageFault;
  const ms = timeOf(work);
  return { ms, pages: process.resourceUsage().minorPageFault - before };
}

/** What the work would have taken there, in milliseconds. Pages count apart: Avro's byte strings need 69 for each, its local timestamps 3. */
export function referenceMsOf(cost: Cost, { slowness, pageMs }: Pace): number {
  return withUsualPages(cost, pageMs) / slowness;
}

/** Measured by work that no change of waybill's changes, which suffers from a busy machine like the work beside it. */
export function paceNow(): Pace {
  const { ms, pages } = costOf(() => new Array(itemsOfPages).fill(0));
  const pageMs = pages === 0 ? 0 : Math.max(0, ms / pages - referencePageMs);
  const parsing = costOf(() => JSON.parse(text));
  return { slowness: Math.max(1, withUsualPages(parsing, pageMs) / referenceMs), pageMs };
}

/** At least half of the time remains, however long pages take: the bar has to catch what is slow. */
function withUsualPages({ ms, pages }: Cost, pageMs: number): number {
  return Math.max(ms / 2, ms - pages * pageMs);
}

/** The less forgiving of both in each. */
export function fasterOf(a: Pace, b: Pace): Pace {
  return { slowness: Math.min(a.slowness, b.slowness), pageMs: Math.min(a.pageMs, b.pageMs) };
}
