import { Command } from "commander";
import type { ExitCode } from "../errors/exit-codes.js";

/** A command of `waybill`. */
export class WaybillCommand extends Command {
  /** Adds examples to the end of the help, and what else is to be said there. */
  examples(text: string): this {
    return this.addHelpText("after", `\nExamples:${text}`);
  }

  /** Runs an action, whose result is the exit code. Loads it only when the command runs, so that `--help` is fast. */
  runs<Args extends unknown[]>(load: () => Promise<(...args: Args) => Promise<ExitCode>>): this {
    return this.action(async (...args: Args) => {
      const action = await load();
      process.exitCode = await action(...args);
    });
  }
}
