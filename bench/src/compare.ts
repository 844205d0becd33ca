/** One thing to time. An asynchronous one does a whole batch of work per call. */
export type Work = () => unknown;

/** What must hold between the subject and its baseline. */
export interface Comparison {
  readonly name: string;
  readonly baseline: Work;
  readonly subject: Work;
  /** `"rate"`: the subject's rate over the baseline's must reach the target; `"time"`: its time over the baseline's must stay below. */
  readonly unit: "rate" | "time";
  readonly target: number;
  /** Awaited before every eight calls of a side, and not timed. */
  readonly prepare?: (side: "baseline" | "subject") => Promise<void>;
  /** How long a sample takes at least, in milliseconds. Default 4. */
  readonly sampleMs?: number;
  /** How many units of work a call of either side does. Default 1. */
  readonly unitsPerCall?: { readonly baseline: number; readonly subject: number };
}

/** A figure and what it should be. */
export interface Result {
  readonly suite: string;
  readonly name: string;
  readonly median: number;
  readonly min: number;
  readonly max: number;
  readonly target: number;
  /** Whether more is better (`"at-least"`) or less (`"at-most"`). */
  readonly bound: "at-least" | "at-most";
  /** Microseconds per unit of work, medians, for orientation only. */
  readonly baselineUs?: number;
  readonly subjectUs?: number;
}

// Short samples and many rounds: other work on the machine then spoils few rounds, and the median passes them by.
const defaultSampleMs = 4;
const warmUpMs = 150;

/**
 * Times both sides in turn, round by round, and takes the ratio within each round, so that drift of the machine cancels out. The
 * order within a round alternates.
 */
export async function compare(suite: string, comparison: Comparison, rounds: number): Promise<Result> {
  const { unit, target, sampleMs = defaultSampleMs } = comparison;
  const units = comparison.unitsPerCall ?? { baseline: 1, subject: 1 };
  await sample(comparison, "baseline", warmUpMs);
  await sample(comparison, "subject", warmUpMs);
  const ratios: number[] = [];
  const times = { baseline: [] as number[], subject: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? (["baseline", "subject"] as const) : (["subject", "baseline"] as const);
    for (const side of order) times[side].push((await sample(comparison, side, sampleMs)) / units[side]);
    const [baselineUs, subjectUs] = [times.baseline[round]!, times.subject[round]!];
    ratios.push(unit === "rate" ? baselineUs / subjectUs : subjectUs / baselineUs);
  }
  return {
    suite,
    name: comparison.name,
    ...spread(ratios),
    target,
    bound: unit === "rate" ? "at-least" : "at-most",
    baselineUs: median(times.baseline),
    subjectUs: median(times.subject),
  };
}

/** The middle value, and the ends, of some figures. */
export function spread(figures: readonly number[]): { median: number; min: number; max: number } {
  return { median: median(figures), min: Math.min(...figures), max: Math.max(...figures) };
}

/** Whether a result reaches its target. */
export function holds({ median: figure, target, bound }: Result): boolean {
  return bound === "at-least" ? figure >= target : figure <= target;
}

function median(figures: readonly number[]): number {
  const sorted = figures.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Keeps results alive, so that no compiler may leave the work out. @public */
export let sink: unknown;

/** Microseconds per call of one side, over at least the given time. */
async function sample(comparison: Comparison, side: "baseline" | "subject", minMs: number): Promise<number> {
  const { [side]: work, prepare } = comparison;
  let calls = 0;
  let elapsed = 0;
  do {
    if (prepare !== undefined) await prepare(side);
    const start = performance.now();
    for (let i = 0; i < 8; i++) {
      const result = work();
      sink = result instanceof Promise ? await result : result;
    }
    elapsed += performance.now() - start;
    calls += 8;
  } while (elapsed < minMs);
  return (elapsed * 1000) / calls;
}
