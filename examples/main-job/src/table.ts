import Table from "cli-table3";
import pc from "picocolors";
import type { Tally } from "./audit.js";
import { eras, type Fate, treatments } from "./plan.js";

const ordinals = ["1st", "2nd", "3rd"];

/** Draws what became of the messages: a block per era, a line per way to travel; colours only where the terminal has them. */
export function drawTable(tallies: readonly Tally[]): string {
  const table = new Table({
    head: ["era", "how they travelled", "sent", "decoded, by", "dead-lettered, because"].map(pc.bold),
    colAligns: ["left", "left", "right", "left", "left"],
    // The library would colour heads and borders by itself, terminal or not.
    style: { head: [], border: [] },
  });
  for (const { title } of eras) {
    const ofEra = tallies.filter(({ era }) => era === title);
    const lines = treatments
      .map((treatment) => ({ treatment, met: ofEra.filter((tally) => tally.treatment === treatment.title) }))
      .filter(({ met }) => met.length > 0);
    table.push([
      pc.cyan(pc.bold(title)),
      lines.map(({ treatment }) => treatment.title).join("\n"),
      lines.map(({ met }) => sum(met)).join("\n"),
      lines.map(({ met }) => decodedText(met)).join("\n"),
      lines.map(({ met }) => pc.yellow(deadLetteredText(met))).join("\n"),
    ]);
    table.push(["", pc.bold("together"), pc.bold(String(sum(ofEra))), decodedText(ofEra), totalOf(ofEra)]);
  }
  table.push([
    pc.bold("all"),
    "",
    pc.bold(String(sum(tallies))),
    totalOf(tallies, "decoded"),
    totalOf(tallies),
  ]);
  return table.toString();
}

function decodedText(tallies: readonly Tally[]): string {
  return grouped(tallies, (fate) =>
    fate.status === "decoded" ? `${fate.serializer}, ${ordinals[fate.position]} in the chain` : undefined,
  );
}

function deadLetteredText(tallies: readonly Tally[]): string {
  return grouped(tallies, (fate) => (fate.status === "dead-lettered" ? fate.reason : undefined));
}

function totalOf(tallies: readonly Tally[], status: Fate["status"] = "dead-lettered"): string {
  return pc.bold(String(sum(tallies.filter(({ fate }) => fate.status === status))));
}

function grouped(tallies: readonly Tally[], label: (fate: Fate) => string | undefined): string {
  const counts = new Map<string, number>();
  for (const { fate, count } of tallies) {
    const text = label(fate);
    if (text !== undefined) counts.set(text, (counts.get(text) ?? 0) + count);
  }
  return [...counts].map(([text, count]) => `${count} ${text}`).join(" · ");
}

function sum(tallies: readonly Tally[]): number {
  return tallies.reduce((total, { count }) => total + count, 0);
}
