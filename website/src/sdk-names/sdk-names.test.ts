import { readFileSync } from "node:fs";
import { errorCodes } from "@waybill/core";
import { describe, expect, it } from "vitest";
import { administrationTypes, otherTypes } from "./administration.js";
import { replacementTableNames } from "./fill-replacement-tables.js";
import { replacementTables } from "./replacements.js";
import { exportedNames } from "./sdk-declarations.js";

const page = readFileSync(new URL("../../../docs/coming-from-azure-service-bus.md", import.meta.url), "utf8");

describe("the replacements of the SDK's names", () => {
  it("have each exported name once: in a table, in a table of members, or among the others", () => {
    const known = [
      ...Object.keys(replacementTables),
      ...Object.keys(replacementTables.functions ?? {}),
      ...administrationTypes,
      ...Object.keys(otherTypes),
    ];
    expect(exportedNames.length).toBeGreaterThan(60);
    expect(exportedNames.filter((name) => !known.includes(name))).toEqual([]);
    expect(known.filter((name) => name !== "functions" && !exportedNames.includes(name))).toEqual([]);
  });

  it("are on the page, each table once", () => {
    const shown = [...page.matchAll(/<!-- replaces (\w+) -->/g)].map(([, name]) => name);
    expect(shown.toSorted()).toEqual(replacementTableNames.toSorted());
  });

  it("have error codes of waybill", () => {
    const named = Object.values(replacementTables.ServiceBusErrorCode ?? {}).flatMap((text) =>
      [...text.matchAll(/`([\w-]+)`/g)].map(([, code]) => code),
    );
    expect(named.filter((code) => !Object.hasOwn(errorCodes, code ?? ""))).toEqual([]);
  });
});
