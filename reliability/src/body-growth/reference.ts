import { timeOf } from "../fuzz/time-of.js";

/** What `JSON.parse` takes for the reference text on the machine for which the bars were chosen, in milliseconds. */
const referenceMs = 7;

/** Objects with keys of their own: like the slowest bodies, they cost the engine more for memory than for their bytes. */
const text = JSON.stringify(
  Array.from({ length: 12_000 }, (_, id) => ({ [`key ${id}`]: [id], b: `item ${id}` })),
);

/**
 * How many times as long this machine takes now as the one for which the bars were chosen; at least 1. Measured by work that no change of waybill's
 * changes, which suffers from a busy machine like the work beside it.
 */
export function slowness(): number {
  return Math.max(1, timeOf(() => JSON.parse(text)) / referenceMs);
}
