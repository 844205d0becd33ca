import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { openBrowser } from "./open-browser.js";
import { root } from "./paths.js";
import { drawingsOf, pictureOf } from "./pictures.js";

// Draws the Mermaid blocks of docs/ as SVG, in a browser, into docs/pictures, and removes pictures that no page has any more.

const folder = `${root}docs/pictures/`;
mkdirSync(folder, { recursive: true });
const pages = readdirSync(`${root}docs`, { recursive: true, encoding: "utf8" }).filter(
  (name) => name.endsWith(".md") && !name.includes("node_modules"),
);
const drawings = pages.flatMap((name) => drawingsOf(readFileSync(`${root}docs/${name}`, "utf8")));
const wanted = new Map(drawings.map((drawing) => [pictureOf(drawing), drawing]));
// Pictures of other makes stand in the same folder.
const existing = readdirSync(folder).filter((name) => /^[0-9a-f]{16}\.svg$/.test(name));
for (const name of existing) if (!wanted.has(name)) rmSync(folder + name);

const mermaid = join(dirname(createRequire(import.meta.url).resolve("mermaid")), "mermaid.min.js");
const browser = await openBrowser();
try {
  const page = await browser.newPage();
  await page.setContent("<!doctype html><body></body>");
  await page.addScriptTag({ path: mermaid });
  for (const [name, drawing] of wanted) {
    if (existing.includes(name)) continue;
    const svg = await page.evaluate(draw, drawing);
    writeFileSync(folder + name, `${svg}\n`);
    console.log(`drew docs/pictures/${name}`);
  }
} finally {
  await browser.close();
}

/** Runs in the page. Plain SVG texts, because HTML in an SVG is not shown where it is an image. */
async function draw(drawing: string): Promise<string> {
  const { mermaid } = globalThis as unknown as {
    mermaid: {
      initialize(options: object): void;
      render(id: string, text: string): Promise<{ svg: string }>;
    };
  };
  mermaid.initialize({
    startOnLoad: false,
    theme: "neutral",
    htmlLabels: false,
    flowchart: { htmlLabels: false, useMaxWidth: true },
  });
  return (await mermaid.render("drawing", drawing)).svg;
}
