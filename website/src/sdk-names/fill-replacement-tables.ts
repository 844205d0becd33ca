import { fillMarked } from "waybill-harness/fill-marked.js";
import { administrationTypes, inheritedMembers, otherTypes } from "./administration.js";
import { type Replacements, replacementTables } from "./replacements.js";
import { membersOf } from "./sdk-declarations.js";

/**
 * Fills every table of a page that stands between `<!-- replaces Name -->` and `<!-- /replaces -->` with what stands in the place of the
 * members of that type of `@azure/service-bus`. Throws when there is no such table.
 */
export function fillReplacementTables(page: string): string {
  return fillMarked(page, "replaces", drawTable);
}

/** The names of the tables that a page can have. */
export const replacementTableNames: readonly string[] = [
  ...Object.keys(replacementTables),
  "administration",
  "others",
];

function drawTable(name: string): string {
  if (name === "administration") return drawAdministration();
  const rows = name === "others" ? otherTypes : replacementTables[name];
  if (rows === undefined) throw new Error(`There is no list of replacements for "${name}".`);
  return drawReplacements(name === "others" || name === "functions" ? "@azure/service-bus" : name, rows);
}

function drawReplacements(heading: string, rows: Replacements): string {
  const lines = Object.entries(rows).map(
    ([name, text]) => `| \`${name}\` | ${text.replaceAll("|", "\\|")} |`,
  );
  return [`| \`${heading}\` | with waybill |`, "|---|---|", ...lines].join("\n");
}

function drawAdministration(): string {
  const lines = administrationTypes.map((type) => {
    const inherited = type === "ServiceBusAdministrationClient" ? inheritedMembers : [];
    const members = [...membersOf(type), ...inherited].map((name) => `\`${name}\``);
    return `| \`${type}\` | ${members.join(", ")} |`;
  });
  return ["| type | members |", "|---|---|", ...lines].join("\n");
}
