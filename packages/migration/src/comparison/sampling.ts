/** Maximum number of asynchronous comparisons in progress; further messages are not compared. */
export const maxRunning = 100;

/** The default share of messages that is compared. */
export const defaultSampleRate = 0.01;

/** Throws `TypeError` unless the rate is a number from 0 to 1. */
export function checkSampleRate(rate: number): number {
  if (typeof rate === "number" && rate >= 0 && rate <= 1) return rate;
  throw new TypeError(`sampleRate must be a number from 0 to 1, not ${String(rate)}.`);
}
