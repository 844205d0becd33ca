import { type Command, CommanderError } from "commander";
import { exitCodes } from "./errors/exit-codes.js";
import { withoutSecrets } from "./errors/without-secrets.js";
import { printable } from "./output/printable.js";
import { createProgram } from "./program.js";
import { readVersion } from "./version.js";

/** Runs the command with its arguments and sets the exit code of the process; never rejects. */
export async function run(args: readonly string[]): Promise<void> {
  process.stdout.on("error", endWithOutput);
  // Errors cannot be printed then; the exit code still reports the outcome.
  process.stderr.on("error", () => {});
  const program = createProgram(await readVersion());
  for (const command of commandsOf(program)) {
    command
      .exitOverride()
      .configureOutput({ writeErr: (text) => process.stderr.write(printable(withoutSecrets(text))) })
      .showHelpAfterError("(--help shows more)");
  }
  try {
    await program.parseAsync(args, { from: "user" });
  } catch (error) {
    process.exitCode = await report(error);
  }
}

/** Prints an error and returns the exit code; commander has already printed its own errors. */
async function report(error: unknown): Promise<number> {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  const [{ describeError }, { isColorful }, { default: pc }] = await Promise.all([
    import("./errors/describe-error.js"),
    import("./output/terminal.js"),
    import("picocolors"),
  ]);
  const { text, exitCode } = describeError(error);
  const { red } = pc.createColors(isColorful(process.stderr));
  process.stderr.write(`${red("error:")} ${printable(text)}\n`);
  return exitCode;
}

function commandsOf(command: Command): Command[] {
  return [command, ...command.commands.flatMap((each) => commandsOf(each as Command))];
}

/** The reader of the output has closed it, as `head` does, or the output cannot be written, for example because the disk is full. */
function endWithOutput(error: NodeJS.ErrnoException): never {
  if (error.code === "EPIPE") process.exit(exitCodes.ok);
  process.stderr.write(`error: the standard output cannot be written: ${error.message}\n`);
  process.exit(exitCodes.failed);
}
