import { percentile } from "waybill-harness/figures.js";

/** How much the samples of one process, in chronological order, may grow. */
export interface GrowthOptions {
  /** Allowed growth as a part of the first value. */
  readonly ratio: number;
  /** Allowed growth in addition, in the samples' unit. */
  readonly slack: number;
}

/** Fewer samples than this are not enough. */
const fewest = 6;

/**
 * Whether samples grow: compares the median of their last third with the median of their first. `undefined` if there are too few samples.
 */
export function measureGrowth(
  samples: readonly number[],
  { ratio, slack }: GrowthOptions,
): { readonly from: number; readonly to: number; readonly isFlat: boolean } | undefined {
  if (samples.length < fewest) return undefined;
  const third = Math.floor(samples.length / 3);
  const from = percentile(samples.slice(0, third), 50);
  const to = percentile(samples.slice(-third), 50);
  return { from, to, isFlat: to <= from * (1 + ratio) + slack };
}
