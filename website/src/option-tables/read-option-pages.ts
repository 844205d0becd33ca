import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fillGenerated } from "../generated-parts/fill-generated.js";
import { fillReplacementTables } from "../sdk-names/fill-replacement-tables.js";
import { type OptionInterface, readInterfaces } from "./interface-table.js";
import { fillOptionTables } from "./page-tables.js";

/** A page of documentation as it is, and as it is with its option tables filled from the sources. */
export interface OptionPage {
  readonly path: string;
  readonly text: string;
  readonly filled: string;
}

/** Reads the README of every package and the pages under docs of a workspace root, which ends with a slash. */
export function readOptionPages(root: string): OptionPage[] {
  const names = readdirSync(`${root}packages`).sort();
  const known = new Map(names.map((name) => [name, interfacesOf(`${root}packages/${name}/src/`)]));
  const core = known.get("core") ?? [];
  const readmes = names
    .filter((name) => existsSync(`${root}packages/${name}/README.md`))
    // A package's own interfaces hide those of core that have the same name.
    .map((name) =>
      readOptionPage(`${root}packages/${name}/README.md`, [...core, ...(known.get(name) ?? [])]),
    );
  // Where a page is nobody's own, core's interfaces hide those of other packages that have the same name.
  const all = [...[...known.values()].flat(), ...core];
  const docs = readdirSync(`${root}docs`, { recursive: true, encoding: "utf8" })
    .sort()
    .filter((name) => name.endsWith(".md") && !name.includes("node_modules"))
    .map((name) => readOptionPage(`${root}docs/${name}`, all));
  return [...readmes, ...docs];
}

function readOptionPage(path: string, interfaces: readonly OptionInterface[]): OptionPage {
  const text = readFileSync(path, "utf8");
  const filled = fillOptionTables(text, new Map(interfaces.map((one) => [one.name, one])));
  return { path, text, filled: fillGenerated(fillReplacementTables(filled)) };
}

function interfacesOf(directory: string): OptionInterface[] {
  return readdirSync(directory, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
    .flatMap((path) => readInterfaces(path, readFileSync(directory + path, "utf8")));
}
