import type { ResolvedPipelineOptions } from "./options.js";

/**
 * The default of `maxItems`: one item for each 4 bytes, more than ordinary bodies have, within these bounds. `min` is enough for any JSON
 * body of 256 KB, the largest in a standard namespace; `max` items of any kind fit into a heap of 512 MB.
 */
const defaultMaxItems = Object.freeze({ bytesPerItem: 4, min: 131_072, max: 1_048_576 });

/** This many items are harmless, and so is any body of this many bytes, which cannot have more items. */
export const harmlessItems = 32_768;

/** Limits are divided by this for a body that may have crashed a process. */
const tightenedBy = 10;

/** How many items a body of this many bytes may have. */
export type MaxItems = (byteLength: number) => number;

/** The limit on items that an option sets, or the default. */
export function resolveMaxItems(option: number | undefined): MaxItems {
  if (option !== undefined) return () => option;
  const { bytesPerItem, min, max } = defaultMaxItems;
  return (byteLength) =>
    byteLength <= min * bytesPerItem ? min : Math.min(max, Math.floor(byteLength / bytesPerItem));
}

/**
 * The options for a body that may have crashed a process: a tenth of `maxItems` and of `maxBodyBytes`, the two that limit memory, but not
 * less than `harmlessItems`.
 */
export function tightened(options: ResolvedPipelineOptions): ResolvedPipelineOptions {
  const { maxItemsIn, maxBodyBytes } = options;
  const max = Math.max(harmlessItems, tenth(maxItemsIn(Number.MAX_SAFE_INTEGER)));
  return Object.freeze({
    ...options,
    isTightened: true,
    maxBodyBytes: Math.min(maxBodyBytes, Math.max(harmlessItems, tenth(maxBodyBytes))),
    maxItemsIn: (byteLength: number) => Math.min(max, maxItemsIn(byteLength)),
  });
}

function tenth(limit: number): number {
  return Math.ceil(limit / tightenedBy);
}
