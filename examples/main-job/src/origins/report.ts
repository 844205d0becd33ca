import { colors } from "../colors.js";
import { newTable } from "../table.js";
import type { OriginsResult, OriginTally } from "./run-origins.js";

/** The report of the second part: a line per origin, and whether everything arrived as planned. */
export function originsReport(result: OriginsResult): string {
  const { tallies, findings, durationMs } = result;
  const table = newTable("origin", "written by");
  for (const tally of tallies) table.push(row(tally));
  return [
    "",
    colors.bold(`One queue and one chain for messages of ${tallies.length} origins`),
    "",
    table.toString(),
    "",
    findings.length === 0
      ? colors.green(
          `As planned, in ${(durationMs / 1000).toFixed(1)} s: of ${sum(tallies, ({ sent }) => sent)} messages of ${tallies.length} origins ` +
            `${sum(tallies, ({ decoded }) => decoded)} decoded and deeply equal to their sources, ` +
            `${sum(tallies, deadLetters)} dead-lettered byte for byte, none lost.`,
        )
      : [
          colors.red(`${findings.length} differences from the plan:`),
          ...findings.map((one) => `  ${one}`),
        ].join("\n"),
  ].join("\n");
}

function row({ origin, sent, decoded, deadLettered }: OriginTally): string[] {
  return [
    colors.cyan(origin.title),
    origin.writtenBy,
    String(sent),
    `${decoded} ${origin.readBy ?? "needs no serializer"}`,
    colors.yellow([...deadLettered].map(([reason, count]) => `${count} ${reason}`).join(" · ")),
  ];
}

function deadLetters({ deadLettered }: OriginTally): number {
  return [...deadLettered.values()].reduce((total, count) => total + count, 0);
}

function sum(tallies: readonly OriginTally[], count: (tally: OriginTally) => number): number {
  return tallies.reduce((total, tally) => total + count(tally), 0);
}
