import { isPromise } from "./is-promise.js";

/** Calls a hook of the application's. What it throws, or rejects with when it is asynchronous, is ignored, as is documented of each. */
export function callHook(hook: () => unknown): void {
  try {
    const result = hook();
    if (isPromise(result)) result.then(undefined, () => {});
  } catch {
    // See above.
  }
}
