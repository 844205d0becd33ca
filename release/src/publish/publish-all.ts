import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { run } from "waybill-harness/run-program.js";
import { packPackage } from "../pack/pack-package.js";
import { currentVersion, publishedPackages } from "../workspace.js";

/** How packages are published. */
export interface PublishOptions {
  /** A folder whose `.npmrc` names registry and account. Tarballs are kept in it. */
  readonly folder: string;
  /** Whether npm attests from which commit and workflow a package comes. Only in a workflow that may. */
  readonly provenance: boolean;
}

/**
 * Publishes every package, each after those that it needs. One that the registry has in this version is passed over, so that a release that
 * broke off can be run again.
 */
export async function publishAll({ folder, provenance }: PublishOptions): Promise<number> {
  const version = currentVersion();
  const tag = version.includes("-") ? "next" : "latest";
  await mkdir(join(folder, "tarballs"), { recursive: true });
  let published = 0;
  for (const { name, directory } of publishedPackages()) {
    if (await isPublished(`${name}@${version}`, folder)) {
      console.log(`${name}@${version} is already published`);
      continue;
    }
    const tarball = join(folder, "tarballs", `${name.replace("/", "-").slice(1)}-${version}.tgz`);
    await writeFile(tarball, await packPackage(directory));
    const attest = provenance ? ["--provenance"] : [];
    await run("npm", ["publish", tarball, "--access", "public", "--tag", tag, ...attest], { cwd: folder });
    console.log(`published ${name}@${version}`);
    published++;
  }
  return published;
}

async function isPublished(spec: string, folder: string): Promise<boolean> {
  try {
    const { stdout } = await run("npm", ["view", spec, "version"], { cwd: folder });
    return stdout.trim() !== "";
  } catch (error) {
    if (/E404|404/.test(String((error as { stderr?: unknown }).stderr))) return false;
    throw error;
  }
}
