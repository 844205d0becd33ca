/** The result of operations with nothing to wait for and no value: one shared promise. */
export const settled: Promise<void> = Promise.resolve();
