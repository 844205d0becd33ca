import { required } from "@waybill/foundation";
import { timeOf } from "../fuzz/time-of.js";
import type { Dimension, Sized } from "./dimensions.js";
import { costOf, fasterOf, paceNow, referenceMsOf } from "./reference.js";

/** The sizes that are compared, as multiples of the smallest. */
const multiples = [1, 2, 4, 8] as const;

/** More than the largest size costs if time is linear and the machine is busy, and less than eight, what it costs if time is quadratic. */
const mostGrowth = 3;

const mebibyte = 1024 * 1024;

/** In milliseconds, for what is read or written; twice what the library beneath takes where that is more. */
const barPerMebibyte = 100;

/** Fastest of so many rounds; a suspicion is tried again, because another process may have slowed down the large sizes. */
const rounds = 3;
const mostRounds = 12;

/** The smallest size of the last repetition. */
const largestStart = mebibyte;

/** The measurement of one dimension. */
export interface Growth {
  /** The time for a byte of the largest size, divided by that of the smallest: 1 if time is linear, 8 if it is quadratic. */
  readonly growth: number;
  /** In the largest size, on the machine for which the bars were chosen. */
  readonly msPerMebibyte: number;
  /** Undefined if it is as it has to be. */
  readonly fault: string | undefined;
}

/**
 * Does the work of a size of `smallest` bytes and of up to eight times as many. What seems to grow faster is measured again in larger sizes, where neither the caches of the processor nor those of the engine change the picture any more; time that is quadratic remains so.
 */
export function measureGrowth(dimension: Dimension, smallest: number): Growth {
  let measured = measureOnce(dimension, smallest);
  for (
    let size = smallest * 4;
    measured.growth > mostGrowth && !isSlow(measured, size) && size <= largestStart;
    size *= 4
  )
    measured = measureOnce(dimension, size);
  return measured;
}

/** Whether the largest of these sizes would take seconds: then there is no doubt. */
function isSlow({ growth, msPerMebibyte }: Growth, smallest: number): boolean {
  return growth * msPerMebibyte * ((smallest * 8) / mebibyte) > 10_000;
}

/**
 * All sizes do the work for the same number of bytes in a round: small ones do it several times. Of each size the fastest round counts, and for the
 * bar the round that is fastest beside the reference.
 */
function measureOnce({ ofSize, hasBar }: Dimension, smallest: number): Growth {
  const sizes = multiples.map((multiple) => ofSize(smallest * multiple));
  const fastest = sizes.map(() => Number.POSITIVE_INFINITY);
  const { bytes, work, bare } = sizes[3] as Sized;
  let msPerMebibyte = Number.POSITIVE_INFINITY;
  const leastBar = hasBar ? barPerMebibyte : Number.POSITIVE_INFINITY;
  let bar: number = leastBar;
  let measured: Growth | undefined;
  for (let round = 0; round < rounds || (round < mostRounds && measured?.fault !== undefined); round++) {
    const before = paceNow();
    for (const [index, size] of sizes.entries()) {
      const times = (multiples[3] as number) / (multiples[index] as number);
      fastest[index] = Math.min(fastest[index] as number, msPerByte(size, times));
    }
    const cost = costOf(work);
    const bareCost = bare === undefined ? undefined : costOf(bare);
    const pace = fasterOf(before, paceNow());
    const ms = referenceMsOf(cost, pace) * (mebibyte / bytes);
    if (ms < msPerMebibyte) {
      msPerMebibyte = ms;
      const bareMs = bareCost === undefined ? 0 : referenceMsOf(bareCost, pace) * (mebibyte / bytes);
      bar = Math.max(leastBar, 2 * bareMs);
    }
    const growth = (fastest[3] as number) / (fastest[0] as number);
    measured = { growth, msPerMebibyte, fault: faultOf(growth, msPerMebibyte, bar) };
  }
  return required(measured);
}

function faultOf(growth: number, msPerMebibyte: number, bar: number): string | undefined {
  if (growth > mostGrowth) return "it grows faster";
  return msPerMebibyte > bar ? `more than ${bar.toFixed(0)} ms per MiB` : undefined;
}

function msPerByte({ bytes, work }: Sized, times: number): number {
  return (
    timeOf(() => {
      for (let time = 0; time < times; time++) work();
    }) /
    (times * bytes)
  );
}
