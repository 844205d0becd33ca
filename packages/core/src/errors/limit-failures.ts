import type { WaybillError } from "./error.js";
import { decodeFailure } from "./failure.js";

/** How many items a byte string counts as, because it takes as much memory as four other values. */
export const byteStringItems = 4;

/** The failure of a body that is nested too deeply. */
export function depthExceeded(maxDepth: number): WaybillError {
  return decodeFailure("depth-exceeded", `The body is nested deeper than ${maxDepth} levels (maxDepth).`);
}

/** The failure of a body with too many items. */
export function itemsExceeded(maxItems: number): WaybillError {
  return decodeFailure("items-exceeded", `The body holds more than ${maxItems} items (maxItems).`);
}
