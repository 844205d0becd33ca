import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { packageManager } from "waybill-harness/package-manager.js";
import { run } from "waybill-harness/run-program.js";
import { openScratch } from "waybill-harness/waiting.js";
import { withAbsoluteLinks } from "./absolute-links.js";
import { joinModules } from "./join-modules.js";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** The address of the repository that a manifest names, without `.git`. */
export function repositoryOf(manifest: Readonly<Record<string, unknown>>): string {
  const { url } = manifest.repository as { url: string };
  return url.replace(/^git\+/, "").replace(/\.git$/, "");
}

/**
 * Packs a workspace package as it is published and returns the tarball's bytes: workspace versions are replaced, the README's links into
 * the repository are absolute, so that they work on a registry's page, and the modules of some are joined.
 */
export async function packPackage(directory: string): Promise<Uint8Array> {
  using scratch = openScratch("pack");
  const target = scratch.path;
  const tarball = join(target, "package.tgz");
  const [command, ...leading] = packageManager();
  await run(command, [...leading, "pack", "--out", tarball], { cwd: directory });
  await run("tar", ["-xzf", "package.tgz"], { cwd: target });
  const readme = join(target, "package", "README.md");
  const text = await readFile(readme, "utf8");
  const repository = repositoryOf(JSON.parse(await readFile(`${root}package.json`, "utf8")));
  await writeFile(readme, withAbsoluteLinks(text, repository, directory.slice(root.length)));
  await joinModules(join(target, "package"));
  await run("tar", ["-czf", "package.tgz", "package"], { cwd: target });
  return await readFile(tarball);
}
