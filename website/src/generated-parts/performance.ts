import { readFileSync } from "node:fs";
import { figure } from "waybill-harness/figures.js";

interface BenchFile {
  readonly date: string;
  readonly machine: string;
  readonly runtime: string;
  readonly rounds: number;
  readonly results: readonly BenchResult[];
}

interface BenchResult {
  readonly suite: string;
  readonly name: string;
  readonly median: number;
  readonly min: number;
  readonly max: number;
  readonly target: number;
  readonly bound: "at-least" | "at-most";
}

/** The figures of the last `pnpm bench --json` that was kept, with date and machine. */
export function drawPerformance(root: string): string {
  const bench: BenchFile = JSON.parse(readFileSync(`${root}bench/results.json`, "utf8"));
  const suites = [...new Set(bench.results.map(({ suite }) => suite))];
  return [
    `Measured on ${bench.date}: ${bench.machine}, ${bench.runtime}, ${bench.rounds} rounds.`,
    ...suites.map((suite) => drawSuite(suite, bench.results)),
  ].join("\n\n");
}

function drawSuite(suite: string, results: readonly BenchResult[]): string {
  const rows = results
    .filter((result) => result.suite === suite)
    .map(({ name, median, min, max, target, bound }) => {
      const sign = bound === "at-least" ? "≥" : "≤";
      return `| ${name.replaceAll("|", "\\|")} | ${figure(median)} | ${figure(min)} – ${figure(max)} | ${sign} ${target} |`;
    });
  return [`### ${suite}`, "", "| what | ratio | min – max | target |", "|---|---|---|---|", ...rows].join(
    "\n",
  );
}
