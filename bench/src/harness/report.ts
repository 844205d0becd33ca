import { required } from "@waybill/foundation";
import { figure } from "waybill-harness/figures.js";
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
    `${sign(result)} ${result.target}`,
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
  const verdict = verdictOf(result);
  if (verdict === "holds" || result.shortfall === undefined) return verdict === "holds" ? "holds" : "MISSED";
  const accepted = `${sign(result)} ${result.shortfall.accepted}`;
  return verdict === "short" ? `short; ${accepted} holds` : `MISSED ${accepted}, too`;
}

function sign({ bound }: Result): string {
  return bound === "at-least" ? "≥" : "≤";
}

function cpu({ baselineCpuUs, subjectCpuUs }: Result): string {
  return baselineCpuUs === undefined ? "" : `${time(baselineCpuUs)}, ${time(subjectCpuUs)}`;
}

function time(microseconds: number | undefined): string {
  if (microseconds === undefined) return "";
  return microseconds >= 1000 ? `${(microseconds / 1000).toFixed(2)} ms` : `${microseconds.toFixed(2)} µs`;
}
