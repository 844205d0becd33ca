import type { ExitCode } from "../errors/exit-codes.js";

/** What a command does: its answer is the exit code. It is loaded when the command runs, so that help and a broker are there at once. */
export function exiting<Args extends unknown[]>(
  load: () => Promise<(...args: Args) => Promise<ExitCode>>,
): (...args: Args) => Promise<void> {
  return async (...args) => {
    const action = await load();
    process.exitCode = await action(...args);
  };
}
