import { Child } from "./child.js";
import type { Line, OpenSides, Probe } from "./probe.js";
import { type Work, warmUp } from "./sample.js";

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
  /** Default that of the subject. */
  readonly baseline?: URL;
  readonly args: readonly string[];
}

/** The engine compiles a little differently in every process, so a figure comes from several of each side. */
const processes = 7;
const program = new URL("./side.js", import.meta.url);

/**
 * Times each side in processes of its own. Within one process the two would share what neither has alone: a library's buffers and
 * compiled code, and the garbage collector, which makes one side pay for what the other leaves behind.
 */
export function comparisonApart({ subject, baseline = subject, args, ...line }: ApartComparison): Probe {
  return {
    lines: [line],
    openings: processes,
    async open(): Promise<OpenSides> {
      const start = (module: URL, side: string) => Child.start(program, [module.href, ...args, side]);
      const children = [await start(baseline, "baseline"), await start(subject, "subject")] as const;
      return {
        sides: { baseline: () => children[0].ask("sample"), subject: () => children[1].ask("sample") },
        close: async () => void (await Promise.all(children.map((child) => child.stop()))),
      };
    },
  };
}
