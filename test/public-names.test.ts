import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type ExportedName, readPackages, root } from "./workspace-packages.js";

const packages = readPackages();

describe.each(packages)("@waybill/$name", ({ name, files }) => {
  const index = files.find(({ path }) => path === "src/index.ts")!;

  it("exports what its snapshot lists", async () => {
    await expect(listing(index.exports)).toMatchFileSnapshot(`public-names/${name}.txt`);
  });

  it("names every export and has no default", () => {
    expect(index.exports.map((exported) => exported.name)).not.toContain("*");
    expect(files.flatMap((file) => file.exports.map((exported) => exported.name))).not.toContain("default");
  });
});

it("keeps no snapshot of a package that is gone", () => {
  const known = packages.map(({ name }) => `${name}.txt`);
  expect(readdirSync(`${root}test/public-names`).filter((file) => !known.includes(file))).toEqual([]);
});

function listing(exports: readonly ExportedName[]): string {
  const lines = exports.map(({ name, isType }) => `${isType ? "type " : "value"} ${name}`);
  return lines
    .sort()
    .map((line) => `${line}\n`)
    .join("");
}
