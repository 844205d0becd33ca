import { isLeafType, type LeafType, leafTypes } from "./contract-type.js";

/**
 * The type of a member if the bytes do not show it: a list, a dictionary, or a leaf type. Lists of objects that may have a single item need
 * `"array"`, strings that may be `"0"` or `"1"` need `"string"`, members of type `"char"`, `"unsignedLong"` and `"double"` need these.
 */
export type DotnetHint = "array" | "dictionary" | LeafType;

/**
 * Hints by path: names of members joined by dots, as in `"Lines.Sku"`. Items of lists add nothing to the path, values of dictionaries add
 * `*`. The root is `""`.
 */
export type DotnetHints = Readonly<Record<string, DotnetHint>>;

/** Copies and checks hints. Throws `TypeError` for one that is not known. */
export function resolveHints(hints: DotnetHints | undefined): ReadonlyMap<string, DotnetHint> | undefined {
  if (hints === undefined) return undefined;
  if (typeof hints !== "object" || hints === null)
    throw new TypeError("dotnetBinary: hints must be an object of paths.");
  const entries = Object.entries(hints);
  for (const [path, hint] of entries) {
    if (hint !== "array" && hint !== "dictionary" && !isLeafType(hint)) {
      throw new TypeError(
        `dotnetBinary: the hint at ${JSON.stringify(path)} must be "array", "dictionary" or one of ${leafTypes.join(", ")}.`,
      );
    }
  }
  return entries.length === 0 ? undefined : new Map(entries);
}
