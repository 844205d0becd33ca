import type { SupervisedProcess } from "waybill-harness/supervised-process.js";
import { startChild } from "./child.js";
import type { Line, OpenSides, Probe, Suite } from "./probe.js";
import { type Work, warmUp } from "./sample.js";
import type { OpenSide, Side } from "./side.js";

/** Work of two sides in this process. */
export interface Comparison extends Pick<Line, "name" | "target" | "shortfall" | "unitsPerCall"> {
  readonly baseline: Work;
  readonly subject: Work;
  readonly unit: "rate" | "time";
}

/** Times both sides in this process, in short samples. */
export function comparison({ baseline, subject, ...line }: Comparison): Probe {
  return {
    lines: [line],
    open: async () => ({ sides: { baseline: await warmUp(baseline), subject: await warmUp(subject) } }),
  };
}

/** The processes of sides. */
interface SideProcesses {
  /** The arguments of `openSide`, before the name of the side. */
  readonly args: readonly string[];
  /** Flags of Node.js. Default: none. */
  readonly flags?: readonly string[] | undefined;
}

/** Two sides that modules open, each by its `openSide`. */
export interface ApartComparison extends Omit<Comparison, "baseline" | "subject">, SideProcesses {
  readonly subject: URL;
  /** Default: that of the subject. */
  readonly baseline?: URL;
}

/** V8 compiles a little differently in every process, so a figure comes from several processes of each side. */
const processes = 5;
const program = new URL("./side.js", import.meta.url);

/**
 * Memory that was freed stays with the process: glibc neither returns it to the system nor maps large pieces anew. What it takes to touch a page for the first
 * time depends on the machine: less than a microsecond, or tens of them where the host of a virtual machine gives and takes its memory.
 */
const keptMemory = {
  MALLOC_TRIM_THRESHOLD_: String(2 ** 30),
  MALLOC_MMAP_THRESHOLD_: String(2 ** 25),
  MALLOC_TOP_PAD_: String(2 ** 26),
};

/**
 * Times each side in separate processes. In one process they would share a library's buffers and compiled code, and one side would pay for
 * collecting the other's garbage.
 */
export function comparisonApart({
  subject,
  baseline = subject,
  args,
  flags,
  ...line
}: ApartComparison): Probe {
  // One after the other: while both warm up, they would do less in the same time.
  return inProcesses(line, async () => ({
    baseline: await startSides(baseline, ["baseline"], { args, flags }),
    subject: await startSides(subject, ["subject"], { args, flags }),
  }));
}

/**
 * Times both sides in the same process, and does so in several: for what is added to some work, in a process that does both. The module's `openSide`
 * gets these arguments and the name of the side.
 */
export function comparisonTogether({ module, args, flags, ...line }: TogetherComparison): Probe {
  return inProcesses(line, async () => {
    const both = await startSides(module, ["baseline", "subject"], { args, flags });
    return { baseline: both, subject: both };
  });
}

/** Two sides that a module opens. */
export interface TogetherComparison extends Omit<Comparison, "baseline" | "subject">, SideProcesses {
  readonly module: URL;
}

function inProcesses(
  line: Line,
  start: () => Promise<Readonly<Record<"baseline" | "subject", SupervisedProcess>>>,
): Probe {
  return {
    lines: [line],
    openings: processes,
    // The first sample that a process is asked for is no measure: of 4 ms, it took up to eight times as long as those that follow.
    warmUps: 1,
    async open(): Promise<OpenSides> {
      const { baseline, subject } = await start();
      return {
        sides: { baseline: () => baseline.ask("baseline"), subject: () => subject.ask("subject") },
        close: async () => void (await Promise.all([baseline.kill(), subject.kill()])),
      };
    },
  };
}

async function startSides(
  module: URL,
  names: readonly string[],
  { args, flags }: SideProcesses,
): Promise<SupervisedProcess> {
  return (await startChild(program, [module.href, names.join(","), ...args], flags, keptMemory)).process;
}

/** A comparison whose sides are opened in separate processes. */
export interface SidedComparison extends Omit<Comparison, "baseline" | "subject"> {
  readonly baseline: () => Promise<Side> | Side;
  readonly subject: () => Promise<Side> | Side;
}

/** Comparisons of one module, by the names of the parts of its suite. */
export type SidedComparisons = Readonly<Record<string, SidedComparison>>;

/** The suite of a module, which must export {@link sideOpener} of the same comparisons as `openSide`: each side in processes of its own. */
export function suiteApart(module: string, comparisons: SidedComparisons): Suite {
  return suiteOf(comparisons, (part, line) =>
    comparisonApart({ ...line, subject: new URL(module), args: [part] }),
  );
}

/** The same with both sides in each process. */
export function suiteTogether(module: string, comparisons: SidedComparisons): Suite {
  return suiteOf(comparisons, (part, line) =>
    comparisonTogether({ ...line, module: new URL(module), args: [part] }),
  );
}

function suiteOf(
  comparisons: SidedComparisons,
  probeOf: (part: string, line: Omit<SidedComparison, "baseline" | "subject">) => Probe,
): Suite {
  const parts = Object.entries(comparisons).map(([part, { baseline: _, subject: __, ...line }]) => [
    part,
    () => probeOf(part, line),
  ]);
  return Object.fromEntries(parts);
}

/** Opens a side of a part, in its own process. */
export function sideOpener(comparisons: SidedComparisons): OpenSide {
  return (part = "", side = "") => {
    const comparison = comparisons[part];
    if (comparison === undefined) throw new TypeError(`There is no comparison "${part}".`);
    return side === "baseline" ? comparison.baseline() : comparison.subject();
  };
}
