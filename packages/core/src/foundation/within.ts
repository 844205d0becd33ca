import type { Scheduler } from "./scheduler.js";

/** Resolves with whether the work was done in time; the work goes on otherwise. Rejects if it failed in time. */
export async function isDoneWithin(
  work: Promise<unknown>,
  durationMs: number,
  scheduler: Scheduler,
): Promise<boolean> {
  if (durationMs === Number.POSITIVE_INFINITY) {
    await work;
    return true;
  }
  // Nobody waits for it any more once the time is up.
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
