/**
 * The full name of a .NET type without its assembly: `Shop.OrderPlaced` of `Shop.OrderPlaced, Shop, Version=1.0.0.0`. Commas within the brackets of
 * generic types do not end it.
 */
export function dotnetFullName(name: string): string {
  let depth = 0;
  for (let index = 0; index < name.length; index++) {
    const char = name[index];
    if (char === "[") depth++;
    else if (char === "]") depth--;
    else if (char === "," && depth === 0) return name.slice(0, index).trim();
  }
  return name.trim();
}

/** The types of a list with semicolons, without those that are empty. */
export function typeList(list: string | undefined): string[] {
  return (list ?? "")
    .split(";")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}
