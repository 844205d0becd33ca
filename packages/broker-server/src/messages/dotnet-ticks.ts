const EPOCH_TICKS = 621_355_968_000_000_000n;
const TICKS_PER_MS = 10_000n;

/** A date in .NET ticks: units of 100 ns since the year 1. */
export function toDotNetTicks(at: Date): bigint {
  return EPOCH_TICKS + BigInt(at.getTime()) * TICKS_PER_MS;
}
