import type { Census, RetirementVerdict } from "@waybill/migration/census";
import type { DeadLetterSurvey } from "@waybill/migration/repair";
import Table from "cli-table3";
import { colors } from "./colors.js";
import { orders } from "./fixture.js";

/** Prints a sentence of the story. */
export function say(text: string): void {
  console.log(text);
}

/** Prints the waiting messages of the orders' consumers, a line per kind. */
export function showCensus({ groups }: Census): void {
  const table = newTable(["where", "state", "content type", "version", "read by", "messages"]);
  for (const group of groups.filter(({ entityPath }) => entityPath === orders)) {
    table.push([
      group.subQueue === undefined ? orders : `${orders}/$DeadLetterQueue`,
      group.state,
      group.mediaType,
      group.messageVersion ?? "?",
      group.serializer ?? colors.red(group.reason ?? "nobody"),
      group.count,
    ]);
  }
  console.log(table.length === 0 ? "Census: nothing waits." : table.toString());
}

/** Prints the content of a dead-letter queue, and how today's chain reads it. */
export function showSurvey({ peeked, decodable, groups }: DeadLetterSurvey): void {
  const table = newTable(["dead-lettered because", "content type", "version", "read by now", "messages"]);
  for (const { deadLetterReason, mediaType, messageVersion, serializer, reason, count } of groups)
    table.push([
      deadLetterReason ?? "",
      mediaType,
      messageVersion ?? "?",
      serializer ?? colors.red(String(reason)),
      count,
    ]);
  console.log(table.toString());
  say(`The current chain reads ${decodable} of ${peeked}.`);
}

/** Prints a verdict with all its reasons. */
export function showVerdict({ target, answer, reasons }: RetirementVerdict): void {
  const name = "serializer" in target ? target.serializer : `${target.messageType} version ${target.version}`;
  if (answer === "yes") say(colors.green(`Retire ${name}: yes, safe to retire.`));
  else say(colors.yellow(`Retire ${name}: ${answer === "no" ? "no" : "not known"}, because`));
  for (const { text, todo } of reasons) say(`  - ${text}\n    ${todo}`);
}

function newTable(head: readonly string[]): Table.Table {
  return new Table({
    head: head.map((title) => colors.bold(title)),
    colAligns: head.map((title) => (title === "messages" ? "right" : "left")),
    chars: { mid: "", "left-mid": "", "mid-mid": "", "right-mid": "" },
    // By default the library colours heads and borders even without a terminal.
    style: { head: [], border: [] },
  });
}
