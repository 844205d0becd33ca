import { readFile } from "node:fs/promises";
import { type Command, CommanderError } from "commander";
import { exitCodes } from "./errors/exit-codes.js";
import { withoutSecrets } from "./errors/without-secrets.js";
import { printable } from "./output/printable.js";

/** Runs the command with its arguments and sets the exit code of the process; never rejects. */
export async function run(args: readonly string[]): Promise<void> {
  process.stdout.on("error", endWithOutput);
  // Nobody is left to tell; the exit code still does.
  process.stderr.on("error", () => {});
  const program = await loadProgram(args[0]);
  for (const command of commandsOf(program)) {
    command
      .exitOverride()
      .configureOutput({ writeErr: (text) => process.stderr.write(printable(withoutSecrets(text))) })
      .showHelpAfterError("(--help tells more)");
  }
  try {
    await program.parseAsync(args, { from: "user" });
  } catch (error) {
    process.exitCode = await report(error);
  }
}

/** A broker has to be there at once: it does not wait for what the other commands load. */
async function loadProgram(command: string | undefined): Promise<Command> {
  if (command === "broker") return (await import("./broker-program.js")).createBrokerProgram(await version());
  return (await import("./program.js")).createProgram(await version());
}

/** What the parser complains of is written already. */
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
