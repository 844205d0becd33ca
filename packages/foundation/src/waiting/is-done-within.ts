import type { Scheduler } from "./scheduler.js";

/** Resolves with whether the work finished in time; otherwise it continues. Rejects if it failed in time. */
export async function isDoneWithin(
  work: Promise<unknown>,
  durationMs: number,
  scheduler: Scheduler,
): Promise<boolean> {
  if (durationMs === Number.POSITIVE_INFINITY) {
    await work;
    return true;
  }
  // Once the time is up, its rejection is not awaited.
  work.catch(() => {});
  if (durationMs <= 0) return Promise.race([work.then(() => true), false]);
  let timeIsUp = () => {};
  const late = new Promise<boolean>((resolve) => (timeIsUp = () => resolve(false)));
  const timer = scheduler.schedule(durationMs, timeIsUp);
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    timer.cancel();
  }
}
