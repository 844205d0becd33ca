import type { WaybillError } from "./error.js";
import { decodeFailure } from "./failure.js";

/** How many items a byte string counts as, because it takes as much memory as four other values. */
export const byteStringItems = 4;

/** The failure of a body that is nested too deeply. */
export function depthExceeded(maxDepth: number): WaybillError {
  return decodeFailure("depth-exceeded", `The body is nested deeper than ${maxDepth} levels (maxDepth).`);
}

/** The failure of a body with a name by which careless code would change prototypes: `__proto__`, or `prototype` under this key, `constructor`. */
export function keyForbidden(key: string): WaybillError {
  const what = key === "__proto__" ? '"__proto__"' : '"prototype" under "constructor"';
  return decodeFailure("key-forbidden", `The body has a key ${what}.`);
}

/** The failure of a text that is not what it should be. */
export function utf8Invalid(): WaybillError {
  return decodeFailure("utf8-invalid", "The body is not valid UTF-8.");
}

/** The failure of a body with too many items. */
export function itemsExceeded(maxItems: number): WaybillError {
  return decodeFailure("items-exceeded", `The body holds more than ${maxItems} items (maxItems).`);
}
