/** Iterates over what a promise resolves with; if it rejects, the first step does. */
export function iterateLater<Value>(
  iterating: Promise<AsyncIterableIterator<Value, undefined>>,
): AsyncIterableIterator<Value, undefined> {
  // Whoever takes the first step gets the error.
  iterating.catch(() => {});
  return {
    next: async () => (await iterating).next(),
    return: async () => {
      const iterator = await iterating.catch(() => undefined);
      await iterator?.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
