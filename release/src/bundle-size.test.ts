import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { build as buildPage, type Rollup } from "vite";
import { describe, expect, it } from "vitest";

const run = promisify(execFile);
const here = fileURLToPath(new URL(".", import.meta.url));
const installPage = await readFile(new URL("../../docs/install.md", import.meta.url), "utf8");

interface Sizes {
  readonly minified: number;
  readonly compressed: number;
}

/** One file, as bundlers make it for a function or a command. */
async function bundle(source: string): Promise<Uint8Array> {
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir: here },
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    platform: "node",
  });
  const [output] = outputFiles;
  if (output === undefined) throw new Error("esbuild made nothing");
  return output.contents;
}

/** The files of a web page, the first and those that are loaded later. */
async function bundleForPage(source: string): Promise<readonly Rollup.OutputChunk[]> {
  const main = join(here, "virtual-main.js");
  const built = await buildPage({
    configFile: false,
    logLevel: "error",
    root: here,
    plugins: [
      {
        name: "virtual-main",
        resolveId: (id) => (id === main ? id : undefined),
        load: (id) => (id === main ? source : undefined),
      },
    ],
    build: {
      write: false,
      modulePreload: false,
      rollupOptions: { input: main },
    },
  });
  return (built as Rollup.RollupOutput).output.filter((file) => file.type === "chunk");
}

/** Whether a file is the first one, or one that is imported by it without `import()`. */
function isAtStart(fileName: string, chunks: readonly Rollup.OutputChunk[]): boolean {
  const chunk = chunks.find((each) => each.fileName === fileName);
  if (chunk?.isEntry) return true;
  return chunks.some((each) => each.imports.includes(fileName) && isAtStart(each.fileName, chunks));
}

function sizesOf(chunks: readonly Rollup.OutputChunk[]): Sizes {
  const files = chunks.map(({ code }) => sizeOf(new TextEncoder().encode(code)));
  return {
    minified: files.reduce((sum, { minified }) => sum + minified, 0),
    compressed: files.reduce((sum, { compressed }) => sum + compressed, 0),
  };
}

function sizeOf(bytes: Uint8Array): Sizes {
  return { minified: bytes.length, compressed: gzipSync(bytes, { level: 9 }).length };
}

/** Runs a module in a folder without `node_modules`. */
async function runAlone(source: Uint8Array | string, from = tmpdir()): Promise<string> {
  const folder = await mkdtemp(join(from, "waybill-bundle-"));
  try {
    const path = join(folder, "main.mjs");
    await writeFile(path, source);
    return (await run(process.execPath, [path])).stdout.trim();
  } finally {
    await rm(folder, { recursive: true });
  }
}

const schema = '{ type: "object", required: ["id"] }';

const programs: readonly [what: string, source: string, kilobytes: readonly number[]][] = [
  [
    "`createPipeline` and `json()`",
    `import { createPipeline } from "@waybill/core";
     import { json } from "@waybill/serializer-json";
     console.log(createPipeline({ serializer: json() }));`,
    [91, 32, 35, 36],
  ],
  [
    "`WaybillClient` alone",
    `import { WaybillClient } from "@waybill/core";
     console.log(new WaybillClient(globalThis.transport, globalThis.options));`,
    [117, 40, 76, 71],
  ],
  [
    "`WaybillClient` and `json()`",
    `import { WaybillClient } from "@waybill/core";
     import { json } from "@waybill/serializer-json";
     console.log(new WaybillClient(globalThis.transport, { serializer: json() }));`,
    [133, 45, 81, 78],
  ],
  [
    "all exports of both, used or not",
    `import * as core from "@waybill/core";
     import * as json from "@waybill/serializer-json";
     console.log({ ...core, ...json });`,
    [159, 53, 86, 83],
  ],
];

describe("in a bundle", () => {
  it.each(programs)("%s does not exceed the sizes in the docs", async (what, source, kilobytes) => {
    const files = await bundleForPage(source);
    const start = sizesOf(files.filter(({ fileName }) => isAtStart(fileName, files)));
    const all = sizesOf(files);
    const single = sizeOf(await bundle(source));
    const sizes = [start.minified, start.compressed, all.compressed, single.compressed];
    expect(sizes.map((size, index) => size <= kilobytes[index]! * 1000 || size)).toEqual(
      sizes.map(() => true),
    );
    const rows = installPage.split("\n").map((line) => line.split("|").map((cell) => cell.trim()));
    expect(rows).toContainEqual(["", what, ...kilobytes.map((size) => `${size} KB`), ""]);
  });

  it("a JSON Schema is validated with the jsonSchema that includes ajv", async () => {
    const source = `import { json } from "@waybill/serializer-json";
      import { jsonSchema } from "@waybill/serializer-json/json-schema";
      const { serialize } = json({ schema: jsonSchema(${schema}) });
      const context = { maxDepth: 9, applicationProperties: {} };
      const write = (value) => { try { return serialize(value, context).bytes.length; } catch (error) { return error.code; } };
      console.log(write({ id: 1 }), write({}));`;
    expect(await runAlone(await bundle(source))).toBe("8 serialization-failed");
  });

  it("a JSON Schema reports the solution if ajv cannot be loaded, as in a page", async () => {
    const source = `import { json } from "@waybill/serializer-json";
      globalThis.process.getBuiltinModule = undefined;
      try { json({ schema: ${schema} }); } catch (error) { console.log(error.message); }`;
    const solution =
      /a JSON Schema needs ajv, .* take jsonSchema from "@waybill\/serializer-json\/json-schema"/;
    expect(await runAlone(await bundle(source))).toMatch(solution);
    const [page] = await bundleForPage(source);
    expect(page?.code).not.toContain("uniqueItems");
    expect(await runAlone(page?.code ?? "")).toMatch(solution);
  });
});

describe("without a bundle", () => {
  it("ajv is loaded with the first JSON Schema, not before", async () => {
    const source = `import { createRequire } from "node:module";
      import { json } from "@waybill/serializer-json";
      const { cache } = createRequire(import.meta.url);
      const isLoaded = () => Object.keys(cache).some((path) => /[/]ajv[/]/.test(path.replaceAll("\\\\", "/")));
      json();
      json({ schema: (value) => value });
      const before = isLoaded();
      json({ schema: ${schema} });
      console.log(before, isLoaded());`;
    expect(await runAlone(source, here)).toBe("false true");
  });
});
