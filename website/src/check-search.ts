import { readdirSync, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import MiniSearch from "minisearch";
import { optionNames } from "./option-names.js";
import { output } from "./paths.js";
import { searchOptions } from "./search-options.js";
import { searchQueries } from "./search-queries.js";

// Asks the built site's search index what users ask, and says which expected page is not among the first results.

/** How many results a reader looks through: what the search box shows without scrolling. */
const looksThrough = 8;

/** How many results the search box shows at all. */
const shown = 16;

/** What a browser loads for the first search, in KiB of gzip. */
const maxKilobytes = 150;

const chunks = `${output}assets/chunks/`;
const file = readdirSync(chunks).find((name) => name.startsWith("@localSearchIndexroot"));
if (file === undefined) throw new Error("The site has no search index: build it first.");
const kilobytes = gzipSync(readFileSync(chunks + file)).length / 1024;
const { default: index } = await import(pathToFileURL(chunks + file).href);
const search = MiniSearch.loadJSON<{ title: string }>(index, {
  fields: ["title", "titles", "text"],
  storeFields: ["title", "titles"],
  ...searchOptions,
  ...searchOptions.options,
});

const missed = searchQueries.flatMap(([query, page]) => {
  const pages = search.search(query).map(({ id }) => pageOf(String(id)));
  const place = pages.indexOf(page);
  return place >= 0 && place < looksThrough
    ? []
    : [`"${query}" → ${page} at ${place + 1}, after ${[...new Set(pages)].slice(0, 4).join(", ")}`];
});
// A name that is a common word, such as `from`, is looked for with the title of its page.
const options = [...optionNames()];
const byName = options.filter(([name, pages]) => isFound(name, pages));
const unfound = options
  .filter(
    ([name, pages]) => !isFound(name, pages) && !pages.some((page) => isFound(`${name} ${page}`, pages)),
  )
  .map(([name, pages]) => `the option ${name} is not found in ${pages.join(", ")}`);

const tooLarge = kilobytes > maxKilobytes ? [`The index has ${kilobytes.toFixed(0)} KB in gzip.`] : [];
const findings = [...missed, ...unfound, ...tooLarge];
for (const line of findings) console.error(line);
console.log(`${searchQueries.length - missed.length} of ${searchQueries.length} queries find their page.`);
console.log(
  `${byName.length} of ${options.length} options are found by their name, ${options.length - byName.length - unfound.length} more with their page's.`,
);
console.log(`The first search loads ${kilobytes.toFixed(0)} KB in gzip, at most ${maxKilobytes}.`);
process.exitCode = findings.length === 0 ? 0 : 1;

function isFound(query: string, pages: readonly string[]): boolean {
  const found = search.search(query).slice(0, shown);
  return found.some(({ id }) => pages.includes(pageOf(String(id))));
}

function pageOf(id: string): string {
  return id.replace(/^\//, "").replace(/(?:\.html)?(?:#.*)?$/, "");
}
