import { isPromise } from "./is-promise.js";

/** Calls a hook of the application and ignores errors that it throws or rejects with, as documented for each hook. */
export function callHook(hook: () => unknown): void {
  try {
    const result = hook();
    if (isPromise(result)) result.then(undefined, () => {});
  } catch {
    // See above.
  }
}
