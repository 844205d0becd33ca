/**
 * Does something with each item, in turns that `pause` waits for, and resolves with all results. Every item has its try; then the first
 * failure is thrown.
 */
export async function inTurns<Item, Result>(
  items: readonly Item[],
  pause: () => Promise<void>,
  act: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Promise<Result>[] = [];
  for (const item of items) {
    const result = act(item);
    // Whoever waits for all of them gets it; until then it is nobody's.
    result.catch(() => {});
    results.push(result);
    await pause();
  }
  return Promise.all(results);
}
