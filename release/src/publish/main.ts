import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readOptions } from "waybill-harness/options.js";
import { openScratch } from "waybill-harness/waiting.js";
import { isReleased } from "../changelog.js";
import { currentVersion, root } from "../workspace.js";
import { openLocalRegistry } from "./local-registry.js";
import { publishAll } from "./publish-all.js";
import { tryAsNewcomer } from "./try-as-newcomer.js";

// With --dry-run publishes to a registry on this machine and installs from there; without it publishes. release/README.md has the whole way.

const { "dry-run": isDryRun } = readOptions({ "dry-run": false });
await (isDryRun ? dryRun() : release());

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
      `CHANGELOG.md has no dated entries for ${version}: run “pnpm release version ${version}”.`,
    );
  const tags = execFileSync("git", ["tag", "--points-at", "HEAD"], { cwd: root, encoding: "utf8" });
  if (!tags.split("\n").includes(`v${version}`)) throw new Error(`This commit has no tag v${version}.`);
  using scratch = openScratch("release");
  const published = await publishAll({ folder: scratch.path, provenance: true });
  console.log(`Published ${published} packages as ${version}.`);
}
