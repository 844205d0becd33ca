import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Packs a workspace package as `pnpm publish` would, workspace versions replaced, and returns the tarball's bytes. */
export async function packPackage(directory: string): Promise<Uint8Array> {
  const target = await mkdtemp(join(tmpdir(), "waybill-pack-"));
  try {
    const tarball = join(target, "package.tgz");
    const [command, ...leading] = packageManager();
    await run(command, [...leading, "pack", "--out", tarball], { cwd: directory });
    return await readFile(tarball);
  } finally {
    await rm(target, { recursive: true });
  }
}

// The pnpm that runs this script, so that both have one version.
function packageManager(): [string, ...string[]] {
  const path = process.env.npm_execpath;
  if (path === undefined || !path.includes("pnpm")) return ["npx", "-y", "pnpm@12"];
  return /\.[cm]?js$/.test(path) ? [process.execPath, path] : [path];
}
