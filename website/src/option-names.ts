import { readdirSync, readFileSync } from "node:fs";
import { site } from "./paths.js";

/** Every option in the tables of the staged pages, with the pages that have it. */
export function optionNames(): ReadonlyMap<string, readonly string[]> {
  const pagesOf = new Map<string, string[]>();
  const pages = readdirSync(site, { recursive: true, encoding: "utf8" }).filter(
    (name) => name.endsWith(".md") && !/^(?:\.vitepress|api|public)/.test(name),
  );
  for (const page of pages) {
    const text = readFileSync(site + page, "utf8");
    for (const [table] of text.matchAll(/^<!-- options \w+ -->\n[\s\S]*?^<!-- \/options -->/gm)) {
      for (const [, name = ""] of table.matchAll(/^\| `([^`]+)` \|/gm)) {
        const found = pagesOf.get(name) ?? [];
        pagesOf.set(name, [...found, page.replace(/\.md$/, "").replaceAll("\\", "/")]);
      }
    }
  }
  return pagesOf;
}
