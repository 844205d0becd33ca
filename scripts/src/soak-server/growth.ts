import { percentile } from "../run/figures.js";

/** Samples of one process in the order of time, and what they may grow by. */
export interface GrowthOptions {
  /** Share of the first value that the last may have in addition. */
  readonly ratio: number;
  /** In the samples' unit, in addition to that. */
  readonly slack: number;
}

/** Fewer samples than this tell nothing. */
const FEWEST = 6;

/**
 * Whether samples grow: the median of their last third against that of their first. `undefined` where they are too few to tell.
 */
export function measureGrowth(
  samples: readonly number[],
  { ratio, slack }: GrowthOptions,
): { readonly from: number; readonly to: number; readonly isFlat: boolean } | undefined {
  if (samples.length < FEWEST) return undefined;
  const third = Math.floor(samples.length / 3);
  const from = percentile(samples.slice(0, third), 50);
  const to = percentile(samples.slice(-third), 50);
  return { from, to, isFlat: to <= from * (1 + ratio) + slack };
}
