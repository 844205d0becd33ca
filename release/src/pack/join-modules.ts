import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type BuildOptions, build } from "esbuild";

/** How modules of ours are joined: for Node, into a file for each entry point and each part that is loaded later, with the names of functions. */
export const joinedBuild = {
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20",
  keepNames: true,
} as const satisfies BuildOptions;

/**
 * The packages whose modules are published joined: those of which a process that has to be there at once loads all, and that nobody puts into
 * a bundle of their own. Node takes about a millisecond for each file.
 */
const joined: ReadonlySet<unknown> = new Set([
  "@waybill/amqp",
  "@waybill/broker",
  "@waybill/broker-server",
  "@waybill/cli",
]);

/**
 * Joined too, because such a process loads all of it, but users put it into their bundles: the statements that keep names where esbuild has to rename
 * would keep bundlers from leaving out what is not used.
 */
const foundation = "@waybill/foundation";

/**
 * Joins the compiled modules of an unpacked package into one file for each entry point and for each part that is loaded later. Names, lines and
 * comments stay as they are, so that stacks can be read; declarations stay apart. Other packages are left alone.
 */
export async function joinModules(directory: string): Promise<void> {
  const manifest = JSON.parse(await readFile(join(directory, "package.json"), "utf8"));
  if (!joined.has(manifest.name) && manifest.name !== foundation) return;
  const entryPoints = entryPointsOf(manifest);
  const dist = join(directory, "dist");
  const { outputFiles } = await build({
    ...joinedBuild,
    keepNames: manifest.name !== foundation,
    absWorkingDir: directory,
    entryPoints,
    outdir: dist,
    // Beside the entry points, so that a path relative to a module is the same for all.
    chunkNames: "[name]-[hash]",
    packages: "external",
    write: false,
  });
  await removeModules(dist);
  for (const { path, contents } of outputFiles) await writeFile(path, contents);
}

/** What a manifest's `exports` and `bin` lead to. */
function entryPointsOf({
  exports,
  bin = {},
}: Readonly<Record<string, Readonly<Record<string, unknown>>>>): string[] {
  const targets = [...Object.values(exports ?? {}), ...Object.values(bin)].map((target) =>
    typeof target === "object" && target !== null ? (target as { default: unknown }).default : target,
  );
  return targets.filter((target) => typeof target === "string").filter((target) => target.endsWith(".js"));
}

async function removeModules(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true }))
    if (entry.isFile() && entry.name.endsWith(".js")) await rm(join(entry.parentPath, entry.name));
}
