import { required } from "@waybill/foundation";
import { figure, sign } from "waybill-harness/figures.js";
import { type Result, verdictOf } from "./measure.js";

/** The results as a table, one line each, with the target and whether it is met. */
export function toTable(results: readonly Result[]): string {
  const rows = results.map((result) => [
    result.suite,
    result.name,
    time(result.baselineUs),
    time(result.subjectUs),
    cpu(result),
    `${figure(result.median)} (${figure(result.min)}–${figure(result.max)})`,
    `${sign(result.bound)} ${result.target}`,
    verdict(result),
  ]);
  const header = [
    "suite",
    "what",
    "baseline",
    "waybill",
    "CPU of both",
    "ratio, median (min–max)",
    "target",
    "",
  ];
  const widths = header.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => required(row[column]).length)),
  );
  return [header, ...rows]
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(required(widths[column])))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function verdict(result: Result): string {
  const mustHold = result.shortfall?.mustHold;
  const limit = mustHold === undefined ? "" : `${sign(result.bound)} ${mustHold}`;
  const missed = limit === "" ? "MISSED" : `MISSED ${limit}, too`;
  return { holds: "holds", short: `short; ${limit} holds`, missed }[verdictOf(result)];
}

function cpu({ baselineCpuUs, subjectCpuUs }: Result): string {
  return baselineCpuUs === undefined ? "" : `${time(baselineCpuUs)}, ${time(subjectCpuUs)}`;
}

function time(microseconds: number | undefined): string {
  if (microseconds === undefined) return "";
  return microseconds >= 1000 ? `${(microseconds / 1000).toFixed(2)} ms` : `${microseconds.toFixed(2)} µs`;
}
