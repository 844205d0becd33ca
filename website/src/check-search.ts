import { readdirSync } from "node:fs";
import { pathToFileURL } from "node:url";
import MiniSearch from "minisearch";
import { output } from "./paths.js";
import { searchOptions } from "./search-options.js";
import { searchQueries } from "./search-queries.js";

// Asks the built site's search index what users ask, and says which expected page is not among the first results.

/** How many results a reader looks through: what the search box shows without scrolling. */
const looksThrough = 8;

const chunks = `${output}assets/chunks/`;
const file = readdirSync(chunks).find((name) => name.startsWith("@localSearchIndexroot"));
if (file === undefined) throw new Error("The site has no search index: build it first.");
const { default: index } = await import(pathToFileURL(chunks + file).href);
const search = MiniSearch.loadJSON<{ title: string }>(index, {
  fields: ["title", "titles", "text"],
  storeFields: ["title", "titles"],
  ...searchOptions,
});

const missed = searchQueries.flatMap(([query, page]) => {
  const pages = search.search(query).map(({ id }) => pageOf(String(id)));
  const place = pages.indexOf(page);
  return place >= 0 && place < looksThrough
    ? []
    : [`"${query}" → ${page} at ${place + 1}, after ${[...new Set(pages)].slice(0, 4).join(", ")}`];
});
for (const line of missed) console.error(line);
console.log(`${searchQueries.length - missed.length} of ${searchQueries.length} queries find their page.`);
process.exitCode = missed.length === 0 ? 0 : 1;

function pageOf(id: string): string {
  return id.replace(/^\//, "").replace(/(?:\.html)?(?:#.*)?$/, "");
}
