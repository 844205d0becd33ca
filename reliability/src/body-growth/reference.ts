import { timeOf } from "./time-of.js";

/** What `JSON.parse` takes for the reference text on the machine for which the bars were chosen, in milliseconds. */
const referenceMs = 7;

/** Objects with keys of their own: like the slowest bodies, they cost the engine more for memory than for their bytes. */
const text = JSON.stringify(
  Array.from({ length: 12_000 }, (_, id) => ({ [`key ${id}`]: [id], b: `item ${id}` })),
);

/** How fast this machine is now, measured beside the work, by work that no change of waybill's changes. */
export class Reference {
  #fastest = Number.POSITIVE_INFINITY;

  /** How many times as long as on the machine for which the bars were chosen; at least 1. Measures once more. */
  slowness(): number {
    this.#fastest = Math.min(
      this.#fastest,
      timeOf(() => JSON.parse(text)),
    );
    return Math.max(1, this.#fastest / referenceMs);
  }
}
