/** One thing to time. An asynchronous one does a whole batch of work per call. */
export type Work = () => unknown;

/** How work is sampled. */
export interface SampleOptions {
  /** Awaited before every eight calls, and not timed. */
  readonly prepare?: () => Promise<void>;
  /**
   * How long a sample takes at least, in milliseconds. Default 4: with short samples and many rounds other work on the machine spoils few
   * rounds, and the median passes them by.
   */
  readonly sampleMs?: number;
  /** How long the engine has to compile it, in milliseconds. Default 150, and 6,000 for what is asynchronous. */
  readonly warmUpMs?: number;
}

/** Keeps results alive, so that no compiler may leave the work out. @public */
export let sink: unknown;

/** How long the engine has to compile work of each kind, in milliseconds. */
const WARM_UP_MS = { synchronous: 150, asynchronous: 6_000 };

/**
 * Lets the engine compile some work; its samples then come one after the other, in microseconds per call. What is asynchronous runs through many
 * small functions, and gets faster for tens of thousands of calls.
 */
export async function warmUp(work: Work, options: SampleOptions = {}): Promise<() => Promise<number>> {
  const { prepare, sampleMs = 4 } = options;
  await prepare?.();
  const first = work();
  await first;
  const warmUpMs = WARM_UP_MS[first instanceof Promise ? "asynchronous" : "synchronous"];
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
