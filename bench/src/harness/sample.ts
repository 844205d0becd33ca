import type { Figures } from "./probe.js";

/** One thing to time. An asynchronous one does a whole batch of work per call. */
export type Work = () => unknown;

/** How work is sampled. */
export interface SampleOptions {
  /** Awaited before every eight calls, and not timed. */
  readonly prepare?: () => Promise<void>;
  /**
   * Minimum duration of a sample, in milliseconds: short, so that other work on the machine disturbs only a few rounds, which the median ignores,
   * and long enough that about as many collections of garbage fall into each sample. Default 20, and 200 for asynchronous work, which leaves more.
   */
  readonly sampleMs?: number;
  /** The warm-up in milliseconds, in which V8 compiles it. Default 750, which also a slow machine needs, and 3,000 for asynchronous work. */
  readonly warmUpMs?: number;
}

/** Keeps results alive, so that no compiler may leave the work out. @public */
export let sink: unknown;

/** The default durations of warm-ups and samples, in milliseconds. */
const synchronous = { warmUpMs: 750, sampleMs: 20 };
const asynchronous = { warmUpMs: 3_000, sampleMs: 200 };

/**
 * Warms up some work, then yields its samples: microseconds per call, and of processor time of this process (`cpuUs`), which other work on the
 * machine disturbs less. Asynchronous work calls many small functions, and gets faster for tens of thousands of calls.
 */
export async function warmUp(work: Work, options: SampleOptions = {}): Promise<() => Promise<Figures>> {
  const { prepare } = options;
  await prepare?.();
  const first = work();
  await first;
  const defaults = first instanceof Promise ? asynchronous : synchronous;
  await sample(work, options.warmUpMs ?? defaults.warmUpMs, prepare);
  return () => sample(work, options.sampleMs ?? defaults.sampleMs, prepare);
}

async function sample(work: Work, minMs: number, prepare?: () => Promise<void>): Promise<Figures> {
  let calls = 0;
  let elapsed = 0;
  let cpuUs = 0;
  let start = performance.now();
  let startUsage = process.cpuUsage();
  do {
    if (prepare !== undefined) {
      cpuUs += sinceUs(startUsage);
      await prepare();
      startUsage = process.cpuUsage();
      start = performance.now() - elapsed;
    }
    for (let i = 0; i < 8; i++) {
      const result = work();
      sink = result instanceof Promise ? await result : result;
    }
    calls += 8;
    elapsed = performance.now() - start;
  } while (elapsed < minMs);
  cpuUs += sinceUs(startUsage);
  return { us: (elapsed * 1000) / calls, cpuUs: cpuUs / calls };
}

/** Begins to measure; the returned function gives the microseconds since then. */
export function stopwatch(): () => Figures {
  const startUsage = process.cpuUsage();
  const start = performance.now();
  return () => ({ us: (performance.now() - start) * 1000, cpuUs: sinceUs(startUsage) });
}

function sinceUs(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return user + system;
}
