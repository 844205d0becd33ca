import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The workspace's root, with a slash at the end. */
export const root = fileURLToPath(new URL("../../", import.meta.url));

/** Those beside the packages that have a version, too. */
const rooms = ["harness/", "interop/", "release/", "reliability/", "website/"];

/** A package that is published. */
export interface PublishedPackage {
  readonly name: string;
  /** With a slash at the end. */
  readonly directory: string;
  /** The names of our packages that it needs. */
  readonly needs: readonly string[];
}

/** The version that all packages have. */
export function currentVersion(): string {
  return JSON.parse(readFileSync(`${root}package.json`, "utf8")).version;
}

/** The packages that are published, each after those that it needs. */
export function publishedPackages(): readonly PublishedPackage[] {
  const all = readdirSync(`${root}packages`)
    .sort()
    .map((name) => readPackage(`${root}packages/${name}/`))
    .filter((one) => one !== undefined);
  const ordered: PublishedPackage[] = [];
  const add = (one: PublishedPackage): void => {
    if (ordered.includes(one)) return;
    for (const need of one.needs) {
      const needed = all.find(({ name }) => name === need);
      if (needed !== undefined) add(needed);
    }
    ordered.push(one);
  };
  all.forEach(add);
  return ordered;
}

/** Sets the version of every manifest of the workspace. Returns the files that were changed. */
export function setVersion(version: string): readonly string[] {
  const folders = ["packages", "examples"].flatMap((folder) =>
    readdirSync(root + folder)
      .map((name) => `${folder}/${name}/`)
      .filter((path) => existsSync(`${root}${path}package.json`)),
  );
  return ["", ...folders, ...rooms].flatMap((folder) => {
    const path = `${root}${folder}package.json`;
    const text = readFileSync(path, "utf8");
    const changed = text.replace(/^ {2}"version": "[^"]*"/m, `  "version": "${version}"`);
    if (changed === text) return [];
    writeFileSync(path, changed);
    return [`${folder}package.json`];
  });
}

function readPackage(directory: string): PublishedPackage | undefined {
  const manifest = JSON.parse(readFileSync(`${directory}package.json`, "utf8"));
  if (manifest.private === true) return undefined;
  const needs = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
  return { name: manifest.name, directory, needs: needs.filter((name) => name.startsWith("@waybill/")) };
}
