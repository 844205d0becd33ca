import Table from "cli-table3";
import type { Tally } from "./audit.js";
import { colors } from "./colors.js";
import { eras, type Fate, treatments } from "./plan.js";

const ordinals = ["1st", "2nd", "3rd"];

/** Draws the outcomes: a block per era, a line per way to send; with colours only if the terminal has them. */
export function drawTable(tallies: readonly Tally[]): string {
  const table = newTable("era", "how they travelled");
  for (const { title } of eras) {
    const ofEra = tallies.filter(({ era }) => era === title);
    const lines = treatments
      .map((treatment) => ({
        ...treatment,
        met: ofEra.filter((tally) => tally.treatment === treatment.title),
      }))
      .filter(({ met }) => met.length > 0);
    table.push([
      colors.cyan(colors.bold(title)),
      column([...lines.map((line) => line.title), colors.bold("together")]),
      column([...lines.map(({ met }) => sum(met)), colors.bold(sum(ofEra))]),
      column([...lines.map(({ met }) => decodedText(met)), colors.bold(sum(ofEra, "decoded"))]),
      column([
        ...lines.map(({ met }) => colors.yellow(deadLetteredText(met))),
        colors.bold(sum(ofEra, "dead-lettered")),
      ]),
    ]);
  }
  const totals = [sum(tallies), sum(tallies, "decoded"), sum(tallies, "dead-lettered")];
  table.push([colors.bold("all eras"), "", ...totals.map((total) => colors.bold(total))]);
  return table.toString();
}

/** An empty table of what was sent, and how it ended. */
export function newTable(...sent: readonly [string, string]) {
  return new Table({
    head: [...sent, "sent", "decoded, by", "dead-lettered, because"].map(colors.bold),
    colAligns: ["left", "left", "right", "left", "left"],
    // By default the library colours heads and borders even without a terminal.
    style: { head: [], border: [] },
  });
}

function column(lines: readonly string[]): string {
  return lines.join("\n");
}

function decodedText(tallies: readonly Tally[]): string {
  return grouped(tallies, (fate) =>
    fate.status === "decoded" ? `${fate.serializer}, ${ordinals[fate.position]} in the chain` : undefined,
  );
}

function deadLetteredText(tallies: readonly Tally[]): string {
  return grouped(tallies, (fate) => (fate.status === "dead-lettered" ? fate.reason : undefined));
}

function grouped(tallies: readonly Tally[], label: (fate: Fate) => string | undefined): string {
  const counts = new Map<string, number>();
  for (const { fate, count } of tallies) {
    const text = label(fate);
    if (text !== undefined) counts.set(text, (counts.get(text) ?? 0) + count);
  }
  return [...counts].map(([text, count]) => `${aligned(count)} ${text}`).join(" · ");
}

function sum(tallies: readonly Tally[], status?: Fate["status"]): string {
  return aligned(
    tallies
      .filter(({ fate }) => status === undefined || fate.status === status)
      .reduce((total, { count }) => total + count, 0),
  );
}

function aligned(count: number): string {
  return count.toLocaleString("en-US").padStart(4);
}
