/** How many comparisons by asynchronous serializers may be in progress; messages beyond that are not compared. */
export const maxRunning = 100;

/** The share of messages that is compared when nothing else is said. */
export const defaultSampleRate = 0.01;

/** Throws `TypeError` for what is no share. */
export function checkSampleRate(rate: number): number {
  if (typeof rate === "number" && rate >= 0 && rate <= 1) return rate;
  throw new TypeError(`sampleRate must be a number from 0 to 1, not ${String(rate)}.`);
}
