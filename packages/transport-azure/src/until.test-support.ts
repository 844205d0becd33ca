// Real, also while a test has fake timers.
const { setTimeout: later } = globalThis;

/** Resolves with the first result that is not empty, looking again and again: only the test's own time limits it. */
export async function until<Result>(
  look: () => Result | Promise<Result>,
): Promise<Exclude<Result, false | undefined>> {
  for (;;) {
    const result = await look();
    if (result !== false && result !== undefined) return result as Exclude<Result, false | undefined>;
    await new Promise((resolve) => later(resolve, 5));
  }
}
