import { existsSync, readdirSync, readFileSync } from "node:fs";
import { type OptionInterface, readInterfaces } from "./interface-table.js";
import { fillOptionTables } from "./page-tables.js";

/** A package's README as it is, and as it is with its option tables filled from the sources. */
export interface OptionPage {
  readonly path: string;
  readonly text: string;
  readonly filled: string;
}

/** Reads the README of every package under a workspace root, which ends with a slash. */
export function readOptionPages(root: string): OptionPage[] {
  const names = readdirSync(`${root}packages`).sort();
  const byPackage = new Map(names.map((name) => [name, interfacesOf(`${root}packages/${name}/src/`)]));
  const core = byPackage.get("core") ?? [];
  return names
    .filter((name) => existsSync(`${root}packages/${name}/README.md`))
    .map((name) => {
      const path = `${root}packages/${name}/README.md`;
      const text = readFileSync(path, "utf8");
      // A package's own interfaces hide those of core that have the same name.
      const interfaces = [...core, ...(byPackage.get(name) ?? [])];
      return {
        path,
        text,
        filled: fillOptionTables(text, new Map(interfaces.map((one) => [one.name, one]))),
      };
    });
}

function interfacesOf(directory: string): OptionInterface[] {
  return readdirSync(directory, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
    .flatMap((path) => readInterfaces(path, readFileSync(directory + path, "utf8")));
}
