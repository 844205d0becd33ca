import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type ExportedName, readPackages, root } from "./workspace-packages.js";

const packages = readPackages();

/** The entry points of packages, by the name of their snapshot: `core` is `@waybill/core`, `core-serializer` is `@waybill/core/serializer`. */
const entryPoints = packages.flatMap(({ name, manifest, files }) =>
  Object.keys(manifest.exports ?? {})
    .filter((subpath) => !subpath.endsWith(".json"))
    .map((subpath) => {
      const door = subpath.slice("./".length);
      const path = `src/${door || "index"}.ts`;
      return {
        packageName: name,
        snapshot: door ? `${name}-${door}` : name,
        exports: files.find((file) => file.path === path)?.exports,
      };
    }),
);

describe.each(entryPoints)("the entry point $snapshot", ({ snapshot, exports }) => {
  it("exports what its snapshot lists", async () => {
    expect(exports).toBeDefined();
    expect(exports?.map(({ name }) => name)).not.toContain("*");
    await expect(listing(exports ?? [])).toMatchFileSnapshot(`public-names/${snapshot}.txt`);
  });
});

it("the main entry point of core has only what applications need: at most 70 names, 25 of them values", () => {
  const names = entryPoints.find(({ snapshot }) => snapshot === "core")?.exports ?? [];
  expect(names.length).toBeLessThanOrEqual(70);
  expect(names.filter(({ isType }) => !isType).length).toBeLessThanOrEqual(25);
});

it.each([
  ["broker", 70],
  ["amqp", 70],
])("the main entry point of %s has only what its users need: at most %i names", (snapshot, most) => {
  const names = entryPoints.find((entry) => entry.snapshot === snapshot)?.exports ?? [];
  expect(names.length).toBeGreaterThan(0);
  expect(names.length).toBeLessThanOrEqual(most);
});

it.each(packages)("each name of @waybill/$name has one home", ({ name }) => {
  const doors = entryPoints.filter(({ packageName }) => packageName === name);
  const names = doors.flatMap(({ exports = [] }) => exports.map((exported) => exported.name));
  expect(names.filter((one, place) => names.indexOf(one) < place).sort()).toEqual([]);
});

/** Names that two packages export with the same meaning: the broker has no dependency, so it declares its own. */
const sharedNames = [
  "ApplicationProperties",
  "ApplicationPropertyValue",
  "EveryProperty",
  "MessageId",
  "MessageState",
  "ReceiveMode",
];

it("no name is exported by two packages with different meanings, unless one passes on the other's", () => {
  const packagesOf = new Map<string, Set<string>>();
  for (const { packageName, exports = [] } of entryPoints) {
    for (const { name } of exports.filter(({ from = "" }) => !from.startsWith("@waybill/")))
      packagesOf.set(name, (packagesOf.get(name) ?? new Set()).add(packageName));
  }
  const twice = [...packagesOf].filter(([, packageNames]) => packageNames.size > 1).map(([name]) => name);
  expect(twice.sort()).toEqual(sharedNames);
});

describe.each(packages)("@waybill/$name", ({ files }) => {
  it("names every export and has no default", () => {
    expect(files.flatMap((file) => file.exports.map((exported) => exported.name))).not.toContain("default");
  });
});

it("has no snapshot of a removed package", () => {
  const known = entryPoints.map(({ snapshot }) => `${snapshot}.txt`);
  expect(readdirSync(`${root}test/public-names`).filter((file) => !known.includes(file))).toEqual([]);
});

function listing(exports: readonly ExportedName[]): string {
  const lines = exports.map(({ name, isType }) => `${isType ? "type " : "value"} ${name}`);
  return lines
    .sort()
    .map((line) => `${line}\n`)
    .join("");
}
