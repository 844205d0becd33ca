/** In milliseconds. Waiting for the processor is not counted, and neither is what other threads of this process do meanwhile. */
export function timeOf(work: () => void): number {
  const startedMs = performance.now();
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return Math.min(performance.now() - startedMs, (user + system) / 1000);
}
