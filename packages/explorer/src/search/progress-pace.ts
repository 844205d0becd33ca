/** How often progress is told, in milliseconds: each line wakes up the page, which draws itself anew. */
const intervalInMs = 100;

/** Says when progress is to be told: at once, and then a few times a second. */
export function progressPace(): { isDue(): boolean } {
  let nextAt = Number.NEGATIVE_INFINITY;
  return {
    isDue() {
      const now = performance.now();
      if (now < nextAt) return false;
      nextAt = now + intervalInMs;
      return true;
    },
  };
}
