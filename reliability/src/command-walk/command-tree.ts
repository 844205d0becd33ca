/** What the walk needs of a command of commander. */
export interface TreeCommand {
  readonly commands: readonly TreeCommand[];
  readonly options: readonly TreeOption[];
  readonly registeredArguments: readonly { readonly required: boolean }[];
  name(): string;
}

/** What the walk needs of an option. */
export interface TreeOption {
  readonly flags: string;
  readonly short?: string | undefined;
  readonly long?: string | undefined;
  /** Whether its value has to be given. */
  readonly required: boolean;
  /** Whether its value may be given. */
  readonly optional: boolean;
  readonly parseArg?: ((text: string, previous: unknown) => unknown) | undefined;
  readonly argChoices?: readonly string[] | undefined;
}

/** A command with the names that lead to it, without that of the program. */
export interface WalkedCommand {
  readonly path: readonly string[];
  readonly command: TreeCommand;
}

/** The commands of the compiled program, in the order of its help. */
export async function walkedCommands(): Promise<WalkedCommand[]> {
  const { createProgram } = (await import(
    new URL("../../../packages/cli/dist/program.js", import.meta.url).href
  )) as { createProgram(version: string): TreeCommand };
  return below(createProgram("0.0.0"), []);
}

/** The command that a command line runs. */
export function commandOf(args: readonly string[], commands: readonly WalkedCommand[]): WalkedCommand {
  const [program] = commands;
  if (program === undefined) throw new TypeError("The program has no commands.");
  let found = program;
  for (let length = 1; length <= args.length; length++) {
    const path = args.slice(0, length).join(" ");
    const next = commands.find((each) => each.path.join(" ") === path);
    if (next === undefined) break;
    found = next;
  }
  return found;
}

/** Whether a command line gives an option. */
export function hasOption(args: readonly string[], { short, long }: TreeOption): boolean {
  return args.some(
    (arg) => arg === short || arg === long || (long !== undefined && arg.startsWith(`${long}=`)),
  );
}

function below(command: TreeCommand, path: readonly string[]): WalkedCommand[] {
  if (command.name() === "help") return [];
  return [{ path, command }, ...command.commands.flatMap((each) => below(each, [...path, each.name()]))];
}
