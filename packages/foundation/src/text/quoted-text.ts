/** Control characters, and others that a terminal or log does not show: bidirectional control characters, joiners, lone surrogates. */
const unprintable =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|\p{Surrogate}/gu;

/** Maximum lengths of one path step and of a whole path, in characters. */
const maxStepLength = 40;
const maxPathLength = 200;

/** Truncates a text to a number of UTF-16 code units without splitting a surrogate pair. */
export function truncate(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const last = text.charCodeAt(maxLength - 1);
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? maxLength - 1 : maxLength);
}

/** Cuts a text to a number of UTF-16 code units, the last an ellipsis if it was longer, without splitting a surrogate pair. */
export function cut(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${truncate(text, maxLength - 1)}…`;
}

/** Escapes unprintable characters as JSON does. */
export function printable(text: string): string {
  return text.replace(unprintable, escaped);
}

/** A JSON text with the characters beyond ASCII escaped, for headers of HTTP. */
export function asciiJson(json: string): string {
  return json.replace(/[\u007f-\uffff]/g, escaped);
}

/** A UTF-16 code unit as JSON escapes it: `\u001b`. */
export function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/**
 * A name from the wire for an error or a dead-letter description: in quotes, with unprintable characters escaped, and truncated to
 * `maxLength` characters.
 */
export function quoted(text: string, maxLength = 128): string {
  const shown = truncate(text, maxLength);
  return `"${printable(shown.replace(/["\\]/g, "\\$&"))}${shown.length < text.length ? "…" : ""}"`;
}

/**
 * The path of an item in a body, as a quoted JSON pointer (RFC 6901); "its root" without steps. Keys are payload, so each is truncated, and
 * so is the path.
 */
export function describePath(steps: readonly PropertyKey[]): string {
  if (steps.length === 0) return "its root";
  const names = steps.map((step) => {
    const name = String(step).replaceAll("~", "~0").replaceAll("/", "~1");
    return `/${name.length > maxStepLength ? `${truncate(name, maxStepLength)}…` : name}`;
  });
  return quoted(names.join(""), maxPathLength);
}
