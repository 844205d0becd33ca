/** A program that a folder of the workspace offers by its name, as in `pnpm reliability attack`. */
export interface Program {
  /** What a run without findings shows. */
  readonly shows: string;
  /** How long it takes with its defaults, on two idle cores. */
  readonly takes: string;
  /** Its options, as in a usage line: `[--seconds 300] [--seed n]`. */
  readonly options?: string;
  /** Its options with `--quick`: a run of a minute at most, as CI does it. */
  readonly quick?: readonly string[];
  readonly run: () => Promise<unknown>;
}

/** The programs of a folder by their names. */
export type Programs = Readonly<Record<string, Program>>;

/** Runs the program that the command line names, with the rest of the line as its options. Without a name prints the table of them all. */
export async function runProgram(command: string, programs: Programs): Promise<void> {
  const [name, ...options] = process.argv.slice(2);
  const program = name === undefined ? undefined : programs[name];
  if (name === undefined || program === undefined) {
    const isAsked = name === undefined || name === "--help";
    if (!isAsked) console.error(`There is no "pnpm ${command} ${name}".\n`);
    console.log(describePrograms(command, programs));
    process.exitCode = isAsked ? 0 : 1;
  } else if (options.includes("--help")) {
    console.log(describeProgram(`${command} ${name}`, program));
  } else {
    const given = options.flatMap((option) => (option === "--quick" ? (program.quick ?? []) : option));
    process.argv.splice(2, process.argv.length, ...given);
    await program.run();
  }
}

/** The table of programs: how long each takes, and what it shows. */
export function describePrograms(command: string, programs: Programs): string {
  const rows = Object.entries(programs).map(([name, { takes, shows }]) => [name, takes, shows] as const);
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  "));
  const hint =
    "--help after a name lists its options; --quick is a run of a minute at most; --seed repeats a run.";
  return [`pnpm ${command} <name> [options]`, "", ...lines, "", hint].join("\n");
}

function describeProgram(command: string, { options = "", quick, shows }: Program): string {
  const short = quick === undefined ? "" : `\n--quick stands for: ${quick.join(" ") || "no other options"}`;
  return `pnpm ${command} ${options}\n\n${shows}${short}`;
}
