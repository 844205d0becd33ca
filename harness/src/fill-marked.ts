import { readFileSync, writeFileSync } from "node:fs";

/**
 * Fills every part of a page that stands between `<!-- kind name -->` and `<!-- /kind -->` with what is drawn for its name, which may be missing.
 */
export function fillMarked(page: string, kind: string, draw: (name: string) => string): string {
  const marks = new RegExp(`(<!-- ${kind}(?: ([\\w -]+?))? -->\\n)[\\s\\S]*?(<!-- \\/${kind} -->)`, "g");
  return page.replace(marks, (_, start: string, name: string | undefined, end: string) => {
    return `${start}\n${draw(name ?? "")}\n\n${end}`;
  });
}

/** Writes a text into every part of a file that stands between `<!-- kind -->` and `<!-- /kind -->`. */
export function writeMarked(file: URL, kind: string, text: string): void {
  writeFileSync(
    file,
    fillMarked(readFileSync(file, "utf8"), kind, () => text),
  );
}
