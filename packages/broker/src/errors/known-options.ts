/** The names of all options of an interface, as keys of an object; TypeScript rejects an object that lacks one. The values are ignored. */
export type OptionNames<Options extends object> = { readonly [Name in keyof Required<Options>]: unknown };

/**
 * Throws `TypeError` for an unknown option and suggests the closest known name, because a misspelt option would have no effect. The text
 * begins with `where`, for example the name of the function. Options that are `undefined` are ignored.
 */
export function requireKnownOptions<Options extends object>(
  where: string,
  options: Options,
  names: OptionNames<Options>,
): void {
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw new TypeError(`${where}: options must be an object; got ${kindOf(options)}.`);
  }
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || Object.hasOwn(names, name)) continue;
    const quoted = JSON.stringify(
      name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name,
    );
    throw new TypeError(`${where}: there is no option ${quoted}; ${suggestion(name, Object.keys(names))}`);
  }
}

/** The end of an error text about an unknown name: suggests the closest known name, else lists all. */
export function suggestion(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  return nearest === undefined ? `it has ${known.toSorted().join(", ")}.` : `did you mean "${nearest}"?`;
}

/** Longer names are not compared. */
const MAX_NAME_LENGTH = 64;

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : `a ${typeof value}`;
}

function nearestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > MAX_NAME_LENGTH) return undefined;
  const given = name.toLowerCase();
  const near = known
    .map((each) => ({ each, edits: editsBetween(given, each.toLowerCase()) }))
    .filter(({ each, edits }) => edits <= Math.max(2, each.length / 3) || isPart(given, each.toLowerCase()))
    .sort((one, other) => one.edits - other.edits);
  return near[0]?.each;
}

function isPart(given: string, known: string): boolean {
  return (given.length > 3 && known.includes(given)) || (known.length > 3 && given.includes(known));
}

/** The Levenshtein distance of two texts. */
function editsBetween(from: string, to: string): number {
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const replaced = (last[column - 1] ?? 0) + (from[row - 1] === to[column - 1] ? 0 : 1);
      current.push(Math.min((last[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, replaced));
    }
    last = current;
  }
  return last[to.length] ?? 0;
}
