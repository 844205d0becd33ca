type Path = readonly (string | number)[];

/** A JSON text once for each of its members, at any depth, with that member of another type: by the member's JSON pointer. */
export function damagedTexts(text: string): readonly (readonly [pointer: string, damaged: string])[] {
  const whole: unknown = JSON.parse(text);
  return pathsOf(whole).map((path) => [`/${path.join("/")}`, JSON.stringify(damagedAt(whole, path))]);
}

/** The pointers of those members whose damage a reader does not notice. */
export function unnoticed(text: string, accepts: (damaged: string) => boolean): readonly string[] {
  return damagedTexts(text)
    .filter(([, damaged]) => accepts(damaged))
    .map(([pointer]) => pointer);
}

function pathsOf(value: unknown): readonly Path[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => [
    [key],
    ...pathsOf(member).map((path) => [key, ...path]),
  ]);
}

function damagedAt(value: unknown, [key, ...rest]: Path): unknown {
  if (key === undefined) return typeof value === "string" ? 7 : "damaged";
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<string, unknown>;
  copy[key] = damagedAt(copy[key], rest);
  return copy;
}
