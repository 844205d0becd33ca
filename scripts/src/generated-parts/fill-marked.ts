/**
 * Fills every part of a page that stands between `<!-- kind name -->` and `<!-- /kind -->` with what is drawn for its name, which may be missing.
 */
export function fillMarked(page: string, kind: string, draw: (name: string) => string): string {
  const marks = new RegExp(`(<!-- ${kind}(?: ([\\w -]+?))? -->\\n)[\\s\\S]*?(<!-- \\/${kind} -->)`, "g");
  return page.replace(marks, (_, start: string, name: string | undefined, end: string) => {
    return `${start}\n${draw(name ?? "")}\n\n${end}`;
  });
}
