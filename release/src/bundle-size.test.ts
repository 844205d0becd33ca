import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";

const run = promisify(execFile);
const here = fileURLToPath(new URL(".", import.meta.url));
const installPage = await readFile(new URL("../../docs/install.md", import.meta.url), "utf8");

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

describe("in a bundle", () => {
  const budgets: [what: string, source: string, minifiedKB: number, gzipKB: number][] = [
    [
      "`createPipeline` and `json()`",
      `import { createPipeline } from "@waybill/core";
       import { json } from "@waybill/serializer-json";
       console.log(createPipeline({ serializer: json() }));`,
      100,
      35,
    ],
    [
      "`WaybillClient` alone",
      `import { WaybillClient } from "@waybill/core";
       console.log(new WaybillClient(globalThis.transport, globalThis.options));`,
      210,
      67,
    ],
    [
      "`WaybillClient` and `json()`",
      `import { WaybillClient } from "@waybill/core";
       import { json } from "@waybill/serializer-json";
       console.log(new WaybillClient(globalThis.transport, { serializer: json() }));`,
      230,
      74,
    ],
    [
      "all exports of both, used or not",
      `import * as core from "@waybill/core";
       import * as json from "@waybill/serializer-json";
       console.log({ ...core, ...json });`,
      240,
      79,
    ],
  ];
  it.each(budgets)("%s does not exceed the size in the docs", async (what, source, minifiedKB, gzipKB) => {
    const bytes = await bundle(source);
    expect(bytes.length).toBeLessThanOrEqual(minifiedKB * 1000);
    expect(gzipSync(bytes, { level: 9 }).length).toBeLessThanOrEqual(gzipKB * 1000);
    const rows = installPage.split("\n").map((line) => line.split("|").map((cell) => cell.trim()));
    expect(rows).toContainEqual(["", what, `${minifiedKB} KB`, `${gzipKB} KB`, ""]);
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

  it("a JSON Schema reports the solution if ajv cannot be loaded", async () => {
    const source = `import { json } from "@waybill/serializer-json";
      process.getBuiltinModule = undefined;
      try { json({ schema: ${schema} }); } catch (error) { console.log(error.message); }`;
    expect(await runAlone(await bundle(source))).toMatch(
      /a JSON Schema needs ajv, .* take jsonSchema from "@waybill\/serializer-json\/json-schema"/,
    );
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
