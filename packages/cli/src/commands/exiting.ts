import type { ExitCode } from "../errors/exit-codes.js";

/** Runs a command's action, whose result is the exit code. Loads it only when the command runs, so that `--help` is fast. */
export function exiting<Args extends unknown[]>(
  load: () => Promise<(...args: Args) => Promise<ExitCode>>,
): (...args: Args) => Promise<void> {
  return async (...args) => {
    const action = await load();
    process.exitCode = await action(...args);
  };
}
