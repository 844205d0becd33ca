/** A repeatable source of integers below a bound. */
export type Random = (below: number) => number;

/** Integers below a bound, the same ones for the same seed (mulberry32). */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** One of some values. */
export function pick<Value>(values: readonly Value[], random: Random): Value {
  return values[random(values.length)] as Value;
}
