import { startChild } from "./child.js";
import type { Line, OpenSides, Probe, Suite } from "./probe.js";
import { type Work, warmUp } from "./sample.js";
import type { OpenSide, Side } from "./side.js";

/** Work of two sides in this process. */
export interface Comparison extends Pick<Line, "name" | "target" | "unitsPerCall"> {
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

/** Two sides that modules open, each by its `openSide` with these arguments and the name of the side. */
export interface ApartComparison extends Omit<Comparison, "baseline" | "subject"> {
  readonly subject: URL;
  /** Default: that of the subject. */
  readonly baseline?: URL;
  readonly args: readonly string[];
}

/** V8 compiles a little differently in every process, so a figure comes from several processes of each side. */
const processes = 7;
const program = new URL("./side.js", import.meta.url);

/**
 * Times each side in separate processes. In one process they would share a library's buffers and compiled code, and one side would pay for
 * collecting the other's garbage.
 */
export function comparisonApart({ subject, baseline = subject, args, ...line }: ApartComparison): Probe {
  return {
    lines: [line],
    openings: processes,
    // The first sample that a process is asked for is no measure: of 4 ms, it took up to eight times as long as those that follow.
    warmUps: 1,
    async open(): Promise<OpenSides> {
      const start = (module: URL, side: string) => startChild(program, [module.href, ...args, side]);
      const children = [await start(baseline, "baseline"), await start(subject, "subject")] as const;
      return {
        sides: {
          baseline: () => children[0].process.ask("sample"),
          subject: () => children[1].process.ask("sample"),
        },
        close: async () => void (await Promise.all(children.map((child) => child.process.kill()))),
      };
    },
  };
}

/** A comparison whose sides are opened in separate processes. */
export interface SidedComparison extends Omit<Comparison, "baseline" | "subject"> {
  readonly baseline: () => Promise<Side> | Side;
  readonly subject: () => Promise<Side> | Side;
}

/** Comparisons of one module, by the names of the parts of its suite. */
export type SidedComparisons = Readonly<Record<string, SidedComparison>>;

/** The suite of a module, which must export {@link sideOpener} of the same comparisons as `openSide`. */
export function suiteApart(module: string, comparisons: SidedComparisons): Suite {
  const parts = Object.entries(comparisons).map(([part, { baseline: _, subject: __, ...line }]) => [
    part,
    () => comparisonApart({ ...line, subject: new URL(module), args: [part] }),
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
