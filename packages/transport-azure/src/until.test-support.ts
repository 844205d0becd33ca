/** Resolves with the first result that is not empty, looking again and again: only the test's own time limits it. */
export async function until<Result>(
  look: () => Result | Promise<Result>,
): Promise<Exclude<Result, false | undefined>> {
  for (;;) {
    const result = await look();
    if (result !== false && result !== undefined) return result as Exclude<Result, false | undefined>;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
