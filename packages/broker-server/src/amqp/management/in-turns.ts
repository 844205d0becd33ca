/**
 * Calls a function with each item, in turns that `pause` waits for, and resolves with all results. All items are processed; then the first
 * error is thrown.
 */
export async function inTurns<Item, Result>(
  items: readonly Item[],
  pause: () => Promise<void>,
  act: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Promise<Result>[] = [];
  for (const item of items) {
    const result = act(item);
    // The caller that waits for all of them gets the error; until then, this avoids an unhandled rejection.
    result.catch(() => {});
    results.push(result);
    await pause();
  }
  return Promise.all(results);
}
