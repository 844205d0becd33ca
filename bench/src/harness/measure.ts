import { type Bound, reaches } from "waybill-harness/figures.js";
import type { Figures, Line, OpenSides, Probe, Shortfall } from "./probe.js";

/** A measured line of the table. */
export interface Result {
  readonly suite: string;
  readonly name: string;
  /** How often it was measured; the median counts. */
  readonly rounds: number;
  readonly median: number;
  readonly min: number;
  readonly max: number;
  readonly target: number;
  readonly shortfall?: Shortfall | undefined;
  /** Whether more is better (`"at-least"`) or less (`"at-most"`). */
  readonly bound: Bound;
  /** Microseconds per unit of work, medians, for orientation only. */
  readonly baselineUs?: number;
  readonly subjectUs?: number;
  /** The same of processor time, where the sides report it: on a busy machine it says more. */
  readonly baselineCpuUs?: number;
  readonly subjectCpuUs?: number;
}

type Rounds = Readonly<Record<string, readonly Figures[]>>;

/** Measures a probe: its sides in turn, and the ratio within each round, so that drift of the machine cancels out. */
export async function measure(suite: string, probe: Probe, asked: number): Promise<Result[]> {
  console.error(`${suite}: ${probe.lines[0]?.name}`);
  const { openings = 1, rounds = () => asked, warmUps = 0 } = probe;
  const figures: Record<string, Figures[]> = {};
  for (let opening = 0; opening < openings; opening++) {
    const opened = await probe.open();
    try {
      await takeTurns(opened, Math.ceil(rounds(asked) / openings), warmUps, figures);
    } finally {
      await opened.close?.();
    }
  }
  return probe.lines.map((line) => ({ suite, name: line.name, ...resultOf(line, figures) }));
}

/** Measures each side once per round; the order alternates. */
export async function takeTurns(
  { sides }: OpenSides,
  rounds: number,
  warmUps: number,
  figures: Record<string, Figures[]> = {},
): Promise<Rounds> {
  const names = Object.keys(sides);
  for (let round = -warmUps; round < rounds; round++) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const figure = await sides[name]?.();
      if (round >= 0 && figure !== undefined) figures[name] = [...(figures[name] ?? []), figure];
    }
  }
  return figures;
}

function resultOf(line: Line, rounds: Rounds) {
  const { unit, unitsPerCall: units, figure = "us", target, shortfall } = line;
  const subject = figuresOf(rounds, line.subject ?? "subject", figure, units?.subject);
  if (unit === "figure") return { ...spread(subject), target, shortfall, bound: "at-most" } as const;
  const baseline = figuresOf(rounds, line.baseline ?? "baseline", figure, units?.baseline);
  const [over, under] = unit === "rate" ? [baseline, subject] : [subject, baseline];
  return {
    ...spread(over.map((one, round) => one / (under[round] ?? Number.NaN))),
    target,
    shortfall,
    bound: unit === "rate" ? "at-least" : "at-most",
    baselineUs: median(baseline),
    subjectUs: median(subject),
    ...(figure === "us" && cpuOf(line, rounds)),
  } as const;
}

function cpuOf({ baseline = "baseline", subject = "subject", unitsPerCall }: Line, rounds: Rounds) {
  const baselineCpuUs = median(figuresOf(rounds, baseline, "cpuUs", unitsPerCall?.baseline));
  const subjectCpuUs = median(figuresOf(rounds, subject, "cpuUs", unitsPerCall?.subject));
  return Number.isNaN(baselineCpuUs) || Number.isNaN(subjectCpuUs) ? {} : { baselineCpuUs, subjectCpuUs };
}

/** A figure of a side, round by round, per unit of work. */
export function figuresOf(rounds: Rounds, side: string, figure: string, units = 1): number[] {
  const found = rounds[side] ?? [];
  return found.map((one) => (figureOf(one, figure) ?? Number.NaN) / units);
}

function figureOf(figures: Figures, name: string): number | undefined {
  if (typeof figures === "number") return name === "cpuUs" ? undefined : figures;
  return figures[name];
}

/** Whether a result reaches its target; is short of it, but not of what must hold meanwhile; or is missed. */
export function verdictOf({ median, bound, target, shortfall }: Result): "holds" | "short" | "missed" {
  if (reaches(median, bound, target)) return "holds";
  return reaches(median, bound, shortfall?.mustHold ?? target) ? "short" : "missed";
}

/** The middle value. */
export function median(figures: readonly number[]): number {
  const sorted = figures.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [low = Number.NaN, high = Number.NaN] = sorted.slice(middle - 1, middle + 1);
  return sorted.length % 2 === 1 ? (sorted[middle] ?? Number.NaN) : (low + high) / 2;
}

function spread(figures: readonly number[]) {
  return {
    rounds: figures.length,
    median: median(figures),
    min: Math.min(...figures),
    max: Math.max(...figures),
  };
}
