import type { WaybillError } from "../errors/error.js";
import { decodeFailure } from "../errors/failure.js";
import type { ResolvedPipelineOptions } from "./options.js";

/**
 * How many items a body may hold when the options do not say: one for each 4 bytes, which ordinary bodies stay below, within these
 * bounds. No JSON body of 256 KB, the most that a standard namespace takes, holds more than the least; the most fit into a heap of 512 MB
 * whatever they are.
 */
const defaultMaxItems = Object.freeze({ bytesPerItem: 4, least: 131_072, most: 1_048_576 });

/** How many items a byte string counts as: one costs as much to make as four other values. */
export const byteStringItems = 4;

/** So many items hurt nobody, and a body of as many bytes holds no more. */
export const harmlessItems = 32_768;

/** What remains of a limit for a body that may have ended a process. */
const tightenedBy = 10;

/** How many items a body of so many bytes may hold. */
export type MaxItems = (byteLength: number) => number;

/** The limit on items that an option sets, or the default. */
export function resolveMaxItems(option: number | undefined): MaxItems {
  if (option !== undefined) return () => option;
  const { bytesPerItem, least, most } = defaultMaxItems;
  return (byteLength) => Math.min(most, Math.max(least, Math.floor(byteLength / bytesPerItem)));
}

/**
 * The options for a body whose reading may have ended a process: a tenth of `maxItems` and of `maxBodyBytes`, the two that memory goes
 * with, but no less than what is harmless.
 */
export function tightened(options: ResolvedPipelineOptions): ResolvedPipelineOptions {
  const { maxItemsIn, maxBodyBytes } = options;
  const most = Math.max(harmlessItems, tenth(maxItemsIn(Number.MAX_SAFE_INTEGER)));
  return Object.freeze({
    ...options,
    isTightened: true,
    maxBodyBytes: Math.min(maxBodyBytes, Math.max(harmlessItems, tenth(maxBodyBytes))),
    maxItemsIn: (byteLength: number) => Math.min(most, maxItemsIn(byteLength)),
  });
}

function tenth(limit: number): number {
  return Math.ceil(limit / tightenedBy);
}

/** The refusal of a body that is nested too deeply. */
export function depthExceeded(maxDepth: number): WaybillError {
  return decodeFailure("depth-exceeded", `The body is nested deeper than ${maxDepth} levels (maxDepth).`);
}

/** The refusal of a body that holds too many items. */
export function itemsExceeded(maxItems: number): WaybillError {
  return decodeFailure("items-exceeded", `The body holds more than ${maxItems} items (maxItems).`);
}
