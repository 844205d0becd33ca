import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const cache = fileURLToPath(new URL("../../../node_modules/.cache/", import.meta.url));

/** Installs a release of Node once, from the package `node`. The path of its command. */
export async function installNode(release: string): Promise<string> {
  const folder = join(cache, `waybill-node-${release}`);
  const node = join(
    folder,
    "node_modules",
    "node",
    "bin",
    process.platform === "win32" ? "node.exe" : "node",
  );
  if (!existsSync(node)) {
    await mkdir(folder, { recursive: true });
    const manifest = { private: true, dependencies: { node: release } };
    await writeFile(join(folder, "package.json"), JSON.stringify(manifest));
    await run("npm", ["install", "--no-audit", "--no-fund"], { cwd: folder });
  }
  return node;
}
