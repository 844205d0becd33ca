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
  /** How many units of work a call of either side does. Default 1. */
  readonly unitsPerCall?: { readonly baseline: number; readonly subject: number } | undefined;
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
const defaultWarmUpMs = 150;

/**
 * Times both sides in turn, round by round, and takes the ratio within each round, so that drift of the machine cancels out. The
 * order within a round alternates.
 */
export async function compare(suite: string, comparison: Comparison, rounds: number): Promise<Result> {
  const { baseline, subject } = comparison;
  await warmUp(baseline);
  await warmUp(subject);
  const pairs = await takeTurns(
    () => sample(baseline),
    () => sample(subject),
    rounds,
  );
  return toResult(suite, comparison, pairs);
}

/** The times of both sides in one round, in microseconds per call. */
export interface Pair {
  readonly baselineUs: number;
  readonly subjectUs: number;
}

/** Times both sides once a round; the order within a round alternates. */
export async function takeTurns(
  baseline: () => Promise<number>,
  subject: () => Promise<number>,
  rounds: number,
): Promise<Pair[]> {
  const pairs: Pair[] = [];
  for (let round = 0; round < rounds; round++) {
    if (round % 2 === 0) {
      const baselineUs = await baseline();
      pairs.push({ baselineUs, subjectUs: await subject() });
    } else {
      const subjectUs = await subject();
      pairs.push({ baselineUs: await baseline(), subjectUs });
    }
  }
  return pairs;
}

/** The median of the ratios within each round. */
export function toResult(
  suite: string,
  comparison: Omit<Comparison, "baseline" | "subject">,
  pairs: readonly Pair[],
): Result {
  const { unit, target } = comparison;
  const units = comparison.unitsPerCall ?? { baseline: 1, subject: 1 };
  const times = { baseline: [] as number[], subject: [] as number[] };
  const ratios = pairs.map((pair) => {
    const baselineUs = pair.baselineUs / units.baseline;
    const subjectUs = pair.subjectUs / units.subject;
    times.baseline.push(baselineUs);
    times.subject.push(subjectUs);
    return unit === "rate" ? baselineUs / subjectUs : subjectUs / baselineUs;
  });
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

/** Lets the engine compile a side. */
export async function warmUp(
  work: Work,
  minMs = defaultWarmUpMs,
  prepare?: () => Promise<void>,
): Promise<void> {
  await sample(work, minMs, prepare);
}

/** Microseconds per call, over at least the given time, without that of the preparation of every eight calls. */
export async function sample(
  work: Work,
  minMs = defaultSampleMs,
  prepare?: () => Promise<void>,
): Promise<number> {
  let calls = 0;
  let elapsed = 0;
  let start = performance.now();
  do {
    if (prepare !== undefined) {
      await prepare();
      start = performance.now() - elapsed;
    }
    for (let i = 0; i < 8; i++) {
      const result = work();
      sink = result instanceof Promise ? await result : result;
    }
    calls += 8;
    elapsed = performance.now() - start;
  } while (elapsed < minMs);
  return (elapsed * 1000) / calls;
}
