import { searchWords } from "./search-words.js";

/**
 * What the search learns of a page, from its HTML: its text, and the words that people use for it elsewhere. The pages of the API are found by the
 * names of what a package exports: with all members they would be three quarters of what a browser loads for the first search. The headings between
 * them, such as "Interfaces", are the same on every page.
 */
export function searchTextOf(html: string, page: string): string {
  const headings = /<h([13])\b[^>]*>[\s\S]*?<\/h\1>/g;
  if (page.startsWith("api/")) return (html.match(headings) ?? []).join("\n");
  const words = searchWords[page.replace(/\.md$/, "")];
  return words === undefined ? html : html.replace(/<\/h1>/, `</h1><p>${words.join(". ")}.</p>`);
}
