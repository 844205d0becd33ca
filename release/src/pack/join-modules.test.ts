import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { expect, it } from "vitest";
import { joinModules } from "./join-modules.js";

/** An unpacked package with two entry points that need the same class, and a module that is loaded later. */
const files = {
  "dist/index.js": `
    import { join } from "node:path";
    import { Box } from "./parts/box.js";
    export { Box };
    export const isRelative = !join("a").startsWith("/");
    export const later = async () => (await import("./parts/later.js")).later;`,
  "dist/extra.js": `import { Box } from "./parts/box.js"; export const box = new Box();`,
  "dist/parts/box.js": `export class Box { open() { throw new Error("empty"); } }`,
  "dist/parts/later.js": `import "missing-package"; export const later = 1;`,
  "dist/index.d.ts": "export {};",
};

async function unpacked(name: string) {
  const folder = await mkdtemp(join(tmpdir(), "waybill-join-"));
  const exports = {
    ".": { types: "./dist/index.d.ts", default: "./dist/index.js" },
    "./extra": { default: "./dist/extra.js" },
    "./package.json": "./package.json",
  };
  await writeFile(join(folder, "package.json"), JSON.stringify({ name, type: "module", exports }));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return {
    folder,
    load: async (path: string) => await import(pathToFileURL(join(folder, path)).href),
    read: async (path: string) => await readFile(join(folder, path), "utf8"),
    list: async () => (await readdir(join(folder, "dist"), { recursive: true })).sort(),
    [Symbol.asyncDispose]: async () => await rm(folder, { recursive: true }),
  };
}

it("joins the modules of a package into its entry points, which share their classes", async () => {
  await using pack = await unpacked("@waybill/broker");
  await joinModules(pack.folder);
  const names = (await pack.list()).map((name) => name.replace(/-[A-Z0-9]{8}\.js$/, ".js"));
  expect([...new Set(names)]).toEqual([
    "chunk.js",
    "extra.js",
    "index.d.ts",
    "index.js",
    "later.js",
    "parts",
  ]);
  const index = await pack.load("dist/index.js");
  const { box } = await pack.load("dist/extra.js");
  expect(box).toBeInstanceOf(index.Box);
  expect(index.isRelative).toBe(true);
  // Other packages are not joined, and neither are modules that are loaded later.
  await expect(index.later()).rejects.toThrow("missing-package");
  // Stack traces have the names of the methods in the sources.
  expect(() => box.open()).toThrow(expect.objectContaining({ stack: expect.stringContaining("Box.open") }));
});

it("does not change packages that users put into their bundles", async () => {
  await using pack = await unpacked("@waybill/core");
  await joinModules(pack.folder);
  expect(await pack.read("dist/parts/box.js")).toBe(files["dist/parts/box.js"]);
});

it("joins what users put into their bundles so that bundlers can leave out parts of it", async () => {
  await using pack = await unpacked("@waybill/foundation");
  await joinModules(pack.folder);
  await writeFile(join(pack.folder, "user.js"), 'export { isRelative } from "./dist/index.js";');
  const { outputFiles } = await build({
    absWorkingDir: pack.folder,
    entryPoints: ["user.js"],
    bundle: true,
    platform: "node",
    format: "esm",
    external: ["missing-package"],
    write: false,
  });
  const text = outputFiles.map((file) => file.text).join("");
  expect(text).toContain("isRelative");
  expect(text).not.toContain("Box");
});
