/** How many messages, sessions or rules one call processes before other work gets a turn. */
export const stride = 2_000;

/** Resolves after other pending work had a turn. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
