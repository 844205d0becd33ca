import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { packAll } from "./pack-all.js";

/** Runs a program to its end. Rejects when it exits with an error, with what it printed. */
export const run = promisify(execFile);

/** A folder outside the workspace in which a user's program is, removed when it is disposed of. */
export interface Consumer extends AsyncDisposable {
  readonly folder: string;
  /** Packs packages of ours, with those that they need, and installs the tarballs with npm, beside others. */
  install(packages: readonly string[], others?: readonly string[]): Promise<void>;
}

/** Opens an empty folder of a package of these modules. */
export async function openConsumer(name: string, type: "module" | "commonjs" = "module"): Promise<Consumer> {
  const folder = await mkdtemp(join(tmpdir(), `waybill-${name}-`));
  await writeFile(join(folder, "package.json"), JSON.stringify({ name: "consumer", private: true, type }));
  return {
    folder,
    async install(packages, others = []) {
      const tarballs = await packAll(packages, folder);
      await npmInstall(folder, [...tarballs, ...others]);
      console.log(`installed ${tarballs.length} tarballs in ${folder}, on Node ${process.version}`);
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}

/** Installs packages with npm. */
export async function npmInstall(folder: string, packages: readonly string[]): Promise<void> {
  await run("npm", ["install", "--no-audit", "--no-fund", "--prefer-offline", ...packages], { cwd: folder });
}
