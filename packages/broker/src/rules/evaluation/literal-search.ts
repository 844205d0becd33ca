/** Finds a text within another, like `indexOf`. */
export type Search = (text: string, from: number) => number;

/** Shorter texts cannot repeat themselves enough to matter. */
const minLength = 16;

/**
 * Compiles the search for a text. `indexOf` is fastest, but takes quadratic time for a repetitive text within a repetitive text; such a
 * text is found in one pass (Knuth, Morris and Pratt).
 */
export function compileSearch(wanted: string): Search {
  const native: Search = (text, from) => text.indexOf(wanted, from);
  if (wanted.length < minLength) return native;
  const borders = bordersOf(wanted);
  let longest = 0;
  for (const border of borders) longest = Math.max(longest, border);
  return longest * 4 < wanted.length ? native : (text, from) => searchOnce(wanted, borders, text, from);
}

/** For each prefix of a text, the length of its longest proper prefix that is also its suffix. */
function bordersOf(text: string): Int32Array {
  const borders = new Int32Array(text.length);
  for (let at = 1, length = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    while (length > 0 && text.charCodeAt(length) !== code) length = borders[length - 1] as number;
    if (text.charCodeAt(length) === code) length++;
    borders[at] = length;
  }
  return borders;
}

function searchOnce(wanted: string, borders: Int32Array, text: string, from: number): number {
  for (let at = from, length = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    while (length > 0 && wanted.charCodeAt(length) !== code) length = borders[length - 1] as number;
    if (wanted.charCodeAt(length) === code) length++;
    if (length === wanted.length) return at + 1 - length;
  }
  return -1;
}
