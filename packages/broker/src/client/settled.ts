/** The answer of every operation that has nothing to wait for and nothing to tell: one promise, made once. */
export const settled: Promise<void> = Promise.resolve();
