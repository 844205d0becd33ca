import { readFile } from "node:fs/promises";
import { type Command, CommanderError } from "commander";
import pc from "picocolors";
import { describeError } from "./errors/describe-error.js";
import { exitCodes } from "./errors/exit-codes.js";
import { withoutSecrets } from "./errors/without-secrets.js";
import { printable } from "./output/printable.js";
import { isColorful } from "./output/terminal.js";
import { createProgram } from "./program.js";

/** Runs the command with its arguments and sets the exit code of the process; never rejects. */
export async function run(args: readonly string[]): Promise<void> {
  process.stdout.on("error", endWithOutput);
  // Nobody is left to tell; the exit code still does.
  process.stderr.on("error", () => {});
  const program = createProgram(await version());
  for (const command of commandsOf(program)) {
    command
      .exitOverride()
      .configureOutput({ writeErr: (text) => process.stderr.write(printable(withoutSecrets(text))) })
      .showHelpAfterError("(--help tells more)");
  }
  try {
    await program.parseAsync(args, { from: "user" });
  } catch (error) {
    process.exitCode = report(error);
  }
}

/** What the parser complains of is written already. */
function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  const { text, exitCode } = describeError(error);
  const { red } = pc.createColors(isColorful(process.stderr));
  process.stderr.write(`${red("error:")} ${printable(text)}\n`);
  return exitCode;
}

function commandsOf(command: Command): Command[] {
  return [command, ...command.commands.flatMap((each) => commandsOf(each as Command))];
}

async function version(): Promise<string> {
  const manifest = await readFile(new URL("../package.json", import.meta.url), "utf8");
  return (JSON.parse(manifest) as { version: string }).version;
}

/** Whoever read the output has enough, as `head` does; or it cannot be written, for example because the disk is full. */
function endWithOutput(error: NodeJS.ErrnoException): never {
  if (error.code === "EPIPE") process.exit(exitCodes.ok);
  process.stderr.write(`error: the standard output cannot be written: ${error.message}\n`);
  process.exit(exitCodes.failed);
}
