import { parseArgs } from "node:util";

type Defaults = Readonly<Record<string, string | number | boolean>>;
type Widened<Value> = Value extends number ? number : Value extends boolean ? boolean : string;

/** What a command line said of each option: a value of the type of its default, or the default. */
export type Options<Names extends Defaults> = { readonly [Name in keyof Names]: Widened<Names[Name]> };

/**
 * Reads the options of a program: `--name value` for each default, `--name` and `--no-name` for those that are booleans. Throws `TypeError`
 * for an option that there is not, and for text where a number belongs.
 */
export function readOptions<const Names extends Defaults>(
  defaults: Names,
  argv: readonly string[] = process.argv.slice(2),
): Options<Names> {
  const names = Object.entries(defaults);
  const options = Object.fromEntries(
    names.map(([name, value]) => [
      name,
      { type: typeof value === "boolean" ? "boolean" : "string" } as const,
    ]),
  );
  const { values } = parseArgs({ args: [...argv], options, allowNegative: true });
  const read = names.map(([name, value]) => {
    const given = values[name] ?? value;
    return [name, typeof value === "number" ? toNumber(name, given) : given];
  });
  return Object.fromEntries(read) as Options<Names>;
}

/** A seed for a run whose command line names none. */
export function newSeed(): number {
  return Date.now() % 2 ** 31;
}

function toNumber(name: string, given: string | number | boolean): number {
  const number = Number(given);
  if (given === "" || Number.isNaN(number))
    throw new TypeError(`${name} must be a number, but is "${given}".`);
  return number;
}
