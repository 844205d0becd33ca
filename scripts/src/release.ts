import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { datedChangelog, isReleased } from "./release/changelog.js";
import { openLocalRegistry } from "./release/local-registry.js";
import { publishAll } from "./release/publish.js";
import { tryAsNewcomer } from "./release/try-as-newcomer.js";
import { currentVersion, root, setVersion } from "./release/workspace.js";
import { openScratch } from "./run/waiting.js";

// All packages have one version. `pnpm release --version X` sets it, `pnpm release --dry-run` publishes to a registry on this machine and
// installs from there, `pnpm release` publishes; RELEASING.md has the whole way.

const { values: options } = parseArgs({
  options: { "dry-run": { type: "boolean", default: false }, version: { type: "string" } },
});

if (options.version !== undefined) prepareVersion(options.version);
else if (options["dry-run"]) await dryRun();
else await release();

function prepareVersion(version: string): void {
  const path = `${root}CHANGELOG.md`;
  const date = new Date().toISOString().slice(0, 10);
  writeFileSync(path, datedChangelog(readFileSync(path, "utf8"), version, date));
  const changed = setVersion(version);
  console.log(`CHANGELOG.md and ${changed.length} manifests have version ${version}.`);
}

async function dryRun(): Promise<void> {
  using scratch = openScratch("release");
  const folder = scratch.path;
  const registry = await openLocalRegistry(folder);
  try {
    await writeFile(join(folder, ".npmrc"), registry.npmrc);
    const published = await publishAll({ folder, provenance: false });
    if (published === 0) throw new Error("Nothing was published.");
    await tryAsNewcomer(join(folder, "newcomer"), registry.npmrc);
    console.log(`\nThe dry run published ${published} packages, and a new program could use them.`);
  } finally {
    await registry.close();
  }
}

/** Publishes with provenance, from the workflow alone: only there can npm attest where the packages come from. */
async function release(): Promise<void> {
  const version = currentVersion();
  if (process.env.GITHUB_ACTIONS !== "true")
    throw new Error("A release is published by the workflow “Publish”; try it here with --dry-run.");
  if (!isReleased(readFileSync(`${root}CHANGELOG.md`, "utf8"), version))
    throw new Error(
      `CHANGELOG.md has no dated entries for ${version}: run “pnpm release --version ${version}”.`,
    );
  const tags = execFileSync("git", ["tag", "--points-at", "HEAD"], { cwd: root, encoding: "utf8" });
  if (!tags.split("\n").includes(`v${version}`)) throw new Error(`This commit has no tag v${version}.`);
  using scratch = openScratch("release");
  const published = await publishAll({ folder: scratch.path, provenance: true });
  console.log(`Published ${published} packages as ${version}.`);
}
