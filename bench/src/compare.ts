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
  /**
   * How long a sample of either side takes; shorter ones are as many more. Default 4. Where one side makes much garbage that lives on, samples have to be so short that
   * most hold no collection: else about every second sample of either side holds one, and the median is whichever kind is more frequent.
   */
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
const usualSampleMs = 4;
const warmUpMs = 150;

/**
 * Times both sides in turn, round by round, and takes the ratio within each round, so that drift of the machine cancels out. The
 * order within a round alternates.
 */
export async function compare(suite: string, comparison: Comparison, rounds: number): Promise<Result> {
  const { baseline, subject, unit, target, sampleMs = usualSampleMs } = comparison;
  const units = comparison.unitsPerCall ?? { baseline: 1, subject: 1 };
  await sample(baseline, warmUpMs);
  await sample(subject, warmUpMs);
  const ratios: number[] = [];
  const times = { baseline: [] as number[], subject: [] as number[] };
  for (let round = 0; round < rounds * (usualSampleMs / sampleMs); round++) {
    const baselineFirst = round % 2 === 0;
    const first = await sample(baselineFirst ? baseline : subject, sampleMs);
    const second = await sample(baselineFirst ? subject : baseline, sampleMs);
    const baselineUs = (baselineFirst ? first : second) / units.baseline;
    const subjectUs = (baselineFirst ? second : first) / units.subject;
    times.baseline.push(baselineUs);
    times.subject.push(subjectUs);
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

/** Microseconds per call, over at least the given time. */
async function sample(work: Work, minMs: number): Promise<number> {
  let calls = 0;
  const start = performance.now();
  let elapsed = 0;
  do {
    for (let i = 0; i < 8; i++) {
      const result = work();
      sink = result instanceof Promise ? await result : result;
    }
    calls += 8;
    elapsed = performance.now() - start;
  } while (elapsed < minMs);
  return (elapsed * 1000) / calls;
}
