import { type Result, spread } from "../compare.js";

/**
 * Measures all sides in turn, round by round and in alternating order, after some rounds that do not count, in which the engines
 * compile what they run.
 */
export async function measureRounds<Side extends string, Figure>(
  sides: Readonly<Record<Side, () => Promise<Figure>>>,
  { rounds, warmUps = 1 }: { rounds: number; warmUps?: number },
): Promise<Record<Side, Figure[]>> {
  const names = Object.keys(sides) as Side[];
  const figures = Object.fromEntries(names.map((name) => [name, [] as Figure[]])) as Record<Side, Figure[]>;
  for (let round = -warmUps; round < rounds; round++) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const figure = await sides[name]();
      if (round >= 0) figures[name].push(figure);
    }
  }
  return figures;
}

/** Microseconds per message of both sides, round by round, as the ratio of their rates. */
export function rateRatio(
  name: string,
  subjectUs: readonly number[],
  baselineUs: readonly number[],
  target: number,
): Result {
  return {
    ...ofRounds(name, baselineUs, subjectUs, target, "at-least"),
    baselineUs: spread(baselineUs).median,
    subjectUs: spread(subjectUs).median,
  };
}

/** Microseconds of both sides, round by round, as the ratio of the times. */
export function timeRatio(
  name: string,
  subjectUs: readonly number[],
  baselineUs: readonly number[],
  target: number,
): Result {
  return {
    ...ofRounds(name, subjectUs, baselineUs, target, "at-most"),
    baselineUs: spread(baselineUs).median,
    subjectUs: spread(subjectUs).median,
  };
}

/** A figure that has to stay below its target. */
export function limit(name: string, figures: readonly number[], target: number): Result {
  return { suite: "server", name, ...spread(figures), target, bound: "at-most" };
}

function ofRounds(
  name: string,
  dividends: readonly number[],
  divisors: readonly number[],
  target: number,
  bound: Result["bound"],
): Result {
  const ratios = dividends.map((dividend, round) => dividend / divisors[round]!);
  return { suite: "server", name, ...spread(ratios), target, bound };
}
