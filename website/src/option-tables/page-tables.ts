import { fillMarked } from "waybill-harness/fill-marked.js";
import { drawOptionTable, type OptionInterface, type OptionRow } from "./interface-table.js";

/**
 * Fills every table of a page that stands between `<!-- options Name -->` and `<!-- /options -->` with the options of that interface,
 * or of several that are named, inherited ones last. Throws when there is no such interface.
 */
export function fillOptionTables(page: string, interfaces: ReadonlyMap<string, OptionInterface>): string {
  return fillMarked(page, "options", (names) =>
    drawOptionTable(names.split(" ").flatMap((name) => allRows(name, interfaces))),
  );
}

function allRows(name: string, interfaces: ReadonlyMap<string, OptionInterface>): OptionRow[] {
  const found = interfaces.get(name);
  if (found === undefined) throw new Error(`There is no interface "${name}".`);
  return [...found.rows, ...found.parents.flatMap((parent) => allRows(parent, interfaces))];
}
