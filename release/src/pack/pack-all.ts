import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { packPackage } from "./pack-package.js";

const packages = fileURLToPath(new URL("../../../packages/", import.meta.url));

/** Packs packages of ours, with all of ours that they depend on, into a folder; the paths of the tarballs. */
export async function packAll(wanted: readonly string[], folder: string): Promise<string[]> {
  const names = new Set(wanted);
  for (const name of names) for (const needed of await neededBy(name)) names.add(needed);
  return await Promise.all(
    Array.from(names, async (name) => {
      const path = join(folder, `${name}.tgz`);
      await writeFile(path, await packPackage(`${packages}${name}/`));
      return path;
    }),
  );
}

async function neededBy(name: string): Promise<string[]> {
  const manifest = JSON.parse(await readFile(`${packages}${name}/package.json`, "utf8"));
  const all = await readdir(packages);
  return all.filter((other) => manifest.dependencies?.[`@waybill/${other}`] !== undefined);
}
