import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "./run-program.js";

const cache = fileURLToPath(new URL("../../node_modules/.cache/", import.meta.url));

/** Installs what a manifest needs once, in a folder kept for tools. Returns the path of a program in its `node_modules`. */
export async function installTool(name: string, manifest: object, program: string): Promise<string> {
  const folder = join(cache, `waybill-${name}`);
  const path = join(folder, "node_modules", program);
  if (!existsSync(path)) {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "package.json"), JSON.stringify({ private: true, ...manifest }));
    await run("npm", ["install", "--no-audit", "--no-fund"], { cwd: folder });
  }
  return path;
}
