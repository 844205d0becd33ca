import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "vite";
import { expect, it } from "vitest";

const maxBytes = 60 * 1024;

it("is at most 60 KB in total, compressed, without inline scripts, inline styles or eval", async () => {
  const outDir = await mkdtemp(join(tmpdir(), "waybill-page-"));
  try {
    const page = fileURLToPath(new URL("../page/", import.meta.url));
    await build({
      root: page,
      configFile: join(page, "vite.config.ts"),
      build: { outDir },
      logLevel: "silent",
    });
    const names = await readdir(outDir, { recursive: true, withFileTypes: true });
    const files = names.filter((each) => each.isFile()).map(({ parentPath, name }) => join(parentPath, name));
    const contents = await Promise.all(files.map((file) => readFile(file)));
    expect(contents.reduce((sum, content) => sum + gzipSync(content).length, 0)).toBeLessThanOrEqual(
      maxBytes,
    );
    const html = await readFile(join(outDir, "index.html"), "utf8");
    expect(html).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\son\w+=|https?:/);
    for (const content of contents)
      expect(content.toString()).not.toMatch(/\beval\(|new Function\(|document\.write/);
  } finally {
    await rm(outDir, { recursive: true });
  }
});
