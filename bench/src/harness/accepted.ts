import { readFileSync } from "node:fs";
import { figure } from "waybill-harness/figures.js";
import type { Result } from "./measure.js";

/** The figures of earlier runs that later ones are compared with: `bench/accepted.json`, or what `bench --json` has printed. */
export interface Accepted {
  readonly date: string;
  readonly machine: string;
  readonly results: readonly Pick<Result, "suite" | "name" | "median">[];
}

/** A line may be worse than the accepted figure by this factor. */
const tolerance = 1.05;

/** Reads the accepted figures, or those of another file. */
export function readAccepted(file: string | URL = new URL("../../accepted.json", import.meta.url)): Accepted {
  return JSON.parse(readFileSync(file, "utf8"));
}

/** Whether a line is worse than its accepted figure by more than 5 %. A line without one is new, and has not fallen. */
export function hasFallen({ suite, name, median, bound }: Result, accepted: Accepted): boolean {
  const before = acceptedFigure({ suite, name }, accepted);
  if (before === undefined) return false;
  return bound === "at-least" ? median * tolerance < before : median > before * tolerance;
}

/** Measures again, up to twice, while lines have fallen; the best run of each line counts, because other work on the machine only makes it worse. */
export async function measureAgainst(
  accepted: Accepted,
  measureOnce: () => Promise<readonly Result[]>,
): Promise<readonly Result[]> {
  let best = await measureOnce();
  for (let again = 0; again < 2 && best.some((result) => hasFallen(result, accepted)); again++) {
    const others = await measureOnce();
    best = best.map((result) => others.reduce((a, b) => (isBetter(b, a) ? b : a), result));
  }
  return best;
}

/** One line for each that has fallen, with both figures. */
export function describeFallen(results: readonly Result[], accepted: Accepted): string[] {
  return results
    .filter((result) => hasFallen(result, accepted))
    .map((result) => {
      const before = figure(acceptedFigure(result, accepted) ?? Number.NaN);
      return `${result.suite}: ${result.name}: ${figure(result.median)}, accepted ${before}`;
    });
}

function isBetter(one: Result, other: Result): boolean {
  if (one.name !== other.name) return false;
  return one.bound === "at-least" ? one.median > other.median : one.median < other.median;
}

function acceptedFigure(
  { suite, name }: Pick<Result, "suite" | "name">,
  { results }: Accepted,
): number | undefined {
  return results.find((line) => line.suite === suite && line.name === name)?.median;
}
