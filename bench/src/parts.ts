/** What a suite measures, by the names under which a part of it can be run alone. */
export type Parts<Measured> = Readonly<Record<string, () => Promise<Measured>>>;

/** One part of a suite, or all in order. Throws `TypeError` for a part that there is not. */
export function chooseParts<Measured>(
  suite: string,
  parts: Parts<Measured>,
  part: string | undefined,
): (() => Promise<Measured>)[] {
  if (part === undefined) return Object.values(parts);
  const measure = parts[part];
  if (measure === undefined)
    throw new TypeError(
      `The suite "${suite}" has no part "${part}". Parts: ${Object.keys(parts).join(", ")}.`,
    );
  return [measure];
}
