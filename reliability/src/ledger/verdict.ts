const mostPrinted = 20;
const startedAtMs = performance.now();

/**
 * Ends a script the same way everywhere: prints the first violations, then one line with the outcome and the duration, and sets
 * the exit code. The same `seed` repeats a run.
 */
export function conclude(violations: readonly string[], success: string, seed?: number): void {
  for (const violation of violations.slice(0, mostPrinted)) console.error(violation);
  const failure = `${violations.length} violations${seed === undefined ? "" : `, seed ${seed}`}`;
  const seconds = ((performance.now() - startedAtMs) / 1000).toFixed(0);
  console.log(`${violations.length === 0 ? success : failure}, ${seconds} s`);
  process.exitCode = violations.length === 0 ? 0 : 1;
}
