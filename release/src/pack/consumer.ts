import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { run } from "waybill-harness/run-program.js";
import { openScratch } from "waybill-harness/waiting.js";
import { packAll } from "./pack-all.js";

/** A folder outside the workspace in which a user's program is, removed when it is disposed of. */
export interface Consumer extends Disposable {
  readonly folder: string;
  /** Packs packages of ours, with those that they need, and installs the tarballs with npm, beside others. */
  install(packages: readonly string[], others?: readonly string[]): Promise<void>;
}

/** Opens an empty folder of a package of these modules. */
export async function openConsumer(name: string, type: "module" | "commonjs" = "module"): Promise<Consumer> {
  const scratch = openScratch(name);
  const folder = scratch.path;
  await writeFile(join(folder, "package.json"), JSON.stringify({ name: "consumer", private: true, type }));
  return {
    folder,
    async install(packages, others = []) {
      const tarballs = await packAll(packages, folder);
      await npmInstall(folder, [...tarballs, ...others]);
      console.log(`installed ${tarballs.length} tarballs in ${folder}, on Node ${process.version}`);
    },
    [Symbol.dispose]: () => scratch[Symbol.dispose](),
  };
}

/** Installs packages with npm. */
export async function npmInstall(folder: string, packages: readonly string[]): Promise<void> {
  await run("npm", ["install", "--no-audit", "--no-fund", "--prefer-offline", ...packages], { cwd: folder });
}
