/** Control characters, and those that a terminal or a log would not show as what they are: marks of direction, joiners, lone surrogates. */
const unprintable =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|\p{Surrogate}/gu;

/** The most of one key that a path shows, and of a path; both are in characters. */
const maxStepLength = 40;
const maxPathLength = 200;

/** Cuts a text to a number of UTF-16 code units without splitting a surrogate pair. */
export function truncate(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const last = text.charCodeAt(maxLength - 1);
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? maxLength - 1 : maxLength);
}

/** A text of so many UTF-16 code units at most; one that is longer ends with an ellipsis, and in no half of a surrogate pair. */
export function cut(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${truncate(text, maxLength - 1)}…`;
}

/** A text with everything escaped that does not print, as JSON escapes it. */
export function printable(text: string): string {
  return text.replace(unprintable, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/**
 * A name that came over the wire, as it may stand in an error or a dead-letter description: in quotes, with what does not print escaped, and
 * cut where it is longer than `maxLength` characters, for it may hold anything.
 */
export function quoted(text: string, maxLength = 128): string {
  const shown = truncate(text, maxLength);
  return `"${printable(shown.replace(/["\\]/g, "\\$&"))}${shown.length < text.length ? "…" : ""}"`;
}

/**
 * The place of an item in a body, as a quoted JSON pointer (RFC 6901); "its root" for no steps. Keys are payload, so each is cut, and so is
 * the path.
 */
export function quotedPath(steps: readonly PropertyKey[]): string {
  if (steps.length === 0) return "its root";
  const names = steps.map((step) => {
    const name = String(step).replaceAll("~", "~0").replaceAll("/", "~1");
    return `/${name.length > maxStepLength ? `${truncate(name, maxStepLength)}…` : name}`;
  });
  return quoted(names.join(""), maxPathLength);
}
