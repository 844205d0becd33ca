/** One thing to time. An asynchronous one does a whole batch of work per call. */
export type Work = () => unknown;

/** How work is sampled. */
export interface SampleOptions {
  /** Awaited before every eight calls, and not timed. */
  readonly prepare?: () => Promise<void>;
  /**
   * Minimum duration of a sample, in milliseconds. Default 4: with short samples and many rounds, other work on the machine disturbs only a few
   * rounds, which the median ignores.
   */
  readonly sampleMs?: number;
  /** The warm-up in milliseconds, in which V8 compiles it. Default 150, and 6,000 for asynchronous work. */
  readonly warmUpMs?: number;
}

/** Keeps results alive, so that no compiler may leave the work out. @public */
export let sink: unknown;

/** The default warm-ups, in milliseconds. */
const warmUpTimesMs = { synchronous: 150, asynchronous: 6_000 };

/**
 * Warms up some work, then yields its samples in microseconds per call. Asynchronous work calls many small functions, and gets faster for tens of
 * thousands of calls.
 */
export async function warmUp(work: Work, options: SampleOptions = {}): Promise<() => Promise<number>> {
  const { prepare, sampleMs = 4 } = options;
  await prepare?.();
  const first = work();
  await first;
  const warmUpMs = warmUpTimesMs[first instanceof Promise ? "asynchronous" : "synchronous"];
  await sample(work, options.warmUpMs ?? warmUpMs, prepare);
  return () => sample(work, sampleMs, prepare);
}

async function sample(work: Work, minMs: number, prepare?: () => Promise<void>): Promise<number> {
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
