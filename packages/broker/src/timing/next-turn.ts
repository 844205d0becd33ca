/** How many messages, sessions or rules one call looks at before everything else has its turn. */
export const STRIDE = 2_000;

/** Resolves once everything else that is due has had its turn. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
