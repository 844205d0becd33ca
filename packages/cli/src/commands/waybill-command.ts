import { Command, type ErrorOptions } from "commander";
import type { ExitCode } from "../errors/exit-codes.js";

/** What commander has besides its types: it refuses an option, and says which one may be meant. */
interface RefusesOptions {
  unknownOption(flag: string): never;
}

/** A command of `waybill`. */
export class WaybillCommand extends Command {
  /** An option that is misspelt is named rather than the one that is missing because of that. */
  override error(message: string, options?: ErrorOptions): never {
    const misspelt =
      options?.code === "commander.missingMandatoryOptionValue"
        ? this.args.find((arg) => arg.startsWith("--"))
        : undefined;
    if (misspelt !== undefined) (this as unknown as RefusesOptions).unknownOption(misspelt);
    super.error(message, options);
  }

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
