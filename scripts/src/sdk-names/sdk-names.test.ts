import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { errorCodes } from "@waybill/core";
import { parseSync } from "oxc-parser";
import { describe, expect, it } from "vitest";
import { administrationTypes, otherTypes } from "./administration.js";
import { replacementTableNames } from "./fill-replacement-tables.js";
import { replacementTables } from "./replacements.js";

const page = readFileSync(new URL("../../../docs/coming-from-azure-service-bus.md", import.meta.url), "utf8");

/** The names that the SDK's declarations export, types included. */
function exportedNames(): string[] {
  const manifest = createRequire(import.meta.url).resolve("@azure/service-bus/package.json");
  const path = join(dirname(manifest), JSON.parse(readFileSync(manifest, "utf8")).types);
  const { module } = parseSync(path, readFileSync(path, "utf8"));
  return module.staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ exportName }) => exportName.name ?? []),
  );
}

describe("the replacements of the SDK's names", () => {
  it("have each exported name once: in a table, in a table of members, or among the others", () => {
    const known = [
      ...Object.keys(replacementTables),
      ...Object.keys(replacementTables.functions ?? {}),
      ...Object.keys(administrationTypes),
      ...Object.keys(otherTypes),
    ];
    expect(exportedNames().length).toBeGreaterThan(60);
    expect(exportedNames().filter((name) => !known.includes(name))).toEqual([]);
    expect(known.filter((name) => name !== "functions" && !exportedNames().includes(name))).toEqual([]);
  });

  it("stand on the page, each table once", () => {
    const shown = [...page.matchAll(/<!-- replaces (\w+) -->/g)].map(([, name]) => name);
    expect(shown.toSorted()).toEqual(replacementTableNames.toSorted());
  });

  it("name error codes that waybill has", () => {
    const named = Object.values(replacementTables.ServiceBusErrorCode ?? {}).flatMap((text) =>
      [...text.matchAll(/`([\w-]+)`/g)].map(([, code]) => code),
    );
    expect(named.filter((code) => !Object.hasOwn(errorCodes, code ?? ""))).toEqual([]);
  });
});
