import { quoted } from "../text/quoted-text.js";
import { isObject } from "./is-object.js";

/**
 * An object whose keys are the names of all options of an interface, for example their defaults. TypeScript reports a missing name; the
 * values do not matter.
 */
export type OptionNames<Options extends object> = { readonly [Name in keyof Required<Options>]: unknown };

/**
 * Throws `TypeError` for an unknown option, because a misspelt one would be ignored; it suggests the most similar name. `where` begins the
 * message, for example with the name of the function. An option that is `undefined` counts as left out. `elsewhere` maps options of
 * other libraries to what replaces them here.
 */
export function requireKnownOptions<Options extends object>(
  where: string,
  options: Options,
  names: OptionNames<Options>,
  elsewhere: Readonly<Record<string, string>> = {},
): void {
  requireOptions(where, options);
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || Object.hasOwn(names, name)) continue;
    if (Object.hasOwn(elsewhere, name)) {
      throw new TypeError(`${where}: there is no option ${quoted(name)}: ${elsewhere[name]}.`);
    }
    throw new TypeError(
      `${where}: there is no option ${quoted(name)}; ${nameSuggestion(name, Object.keys(names))}`,
    );
  }
}

/** The default of each option of an interface; undefined for one without a default. */
type DefaultsOf<Options extends object> = {
  readonly [Name in keyof Required<Options>]: Options[Name] | undefined;
};

/** Options of which those with a default are set. */
type WithDefaults<Options extends object, Defaults extends DefaultsOf<Options>> = {
  readonly [Name in keyof Required<Options>]: undefined extends Defaults[Name]
    ? Options[Name]
    : Exclude<Options[Name], undefined>;
};

/** Options of which all are set. */
export type Resolved<Options extends object> = {
  readonly [Name in keyof Required<Options>]: Exclude<Options[Name], undefined>;
};

/** The options, with the defaults of those that are left out, or null. Throws like {@link requireKnownOptions}. */
export function withDefaults<Options extends object, Defaults extends DefaultsOf<Options>>(
  where: string,
  options: Options,
  defaults: Defaults,
): WithDefaults<Options, Defaults> {
  requireKnownOptions(where, options, defaults);
  const given = Object.entries(options).filter(([, value]) => value !== undefined && value !== null);
  return { ...defaults, ...Object.fromEntries(given) } as WithDefaults<Options, Defaults>;
}

/** Throws `TypeError` unless `options` is an object. */
export function requireOptions(where: string, options: unknown): asserts options is object {
  if (isObject(options) && !Array.isArray(options)) return;
  throw new TypeError(`${where}: options must be an object; got ${kindOf(options)}.`);
}

/** The types that `requireType` checks with `typeof`. */
interface OptionTypes {
  readonly boolean: boolean;
  readonly function: (...args: never) => unknown;
  readonly string: string;
}

/** `never` for choices that lack one of the texts which the type of the value has. */
type Complete<Value, Choices extends readonly string[]> = string extends Value
  ? unknown
  : Extract<Value, string> extends Choices[number]
    ? unknown
    : never;

/**
 * The value, if it is one of the choices of an option. Throws `TypeError` otherwise; `name` begins its message. Does not compile if the type of the
 * value has a text that is not among the choices.
 */
export function requireOneOf<Value, const Choices extends readonly string[]>(
  name: string,
  value: Value,
  choices: Choices & Complete<Value, Choices>,
): Choices[number] {
  const found = choices.find((choice) => choice === value);
  if (found !== undefined) return found;
  const texts = choices.map((choice) => `"${choice}"`);
  const last = texts.pop() ?? "";
  const expected = texts.length === 0 ? last : `${texts.join(", ")} or ${last}`;
  throw new TypeError(
    `${name} must be ${expected}, not ${typeof value === "string" ? quoted(value) : kindOf(value)}.`,
  );
}

/** Throws `TypeError` unless the value of an option has this type; `name` begins its message. */
export function requireType<Type extends keyof OptionTypes>(
  name: string,
  value: unknown,
  type: Type,
): asserts value is OptionTypes[Type] {
  if (typeof value !== type) throw new TypeError(`${name} must be a ${type}; got ${kindOf(value)}.`);
}

/** The kind of a value for errors, never its content. A function is named, because the caller often forgot to call it. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "an array";
  if (typeof value === "function")
    return value.name === "" ? "a function" : `the function ${quoted(value.name)}`;
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** The end of an error about an unknown name: suggests the most similar known name, else lists all. */
export function nameSuggestion(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  return nearest === undefined
    ? `it has ${known.toSorted().join(", ")}.`
    : `did you mean ${quoted(nearest)}?`;
}

/** The most similar name, ignoring case; undefined if none is similar. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > 64) return undefined;
  const given = name.toLowerCase();
  const distances = known.map((each) => [each, distance(given, each.toLowerCase())] as const);
  const near = distances.filter(
    ([each, edits]) => edits <= Math.max(2, Math.min(each.length, given.length) / 3),
  );
  const begun = distances.filter(([each]) => given.length > 3 && isPartOf(given, each.toLowerCase()));
  return [...near, ...begun].reduce<readonly [string, number] | undefined>(
    (best, each) => (best === undefined || each[1] < best[1] ? each : best),
    undefined,
  )?.[0];
}

function isPartOf(given: string, known: string): boolean {
  return known.includes(given) || (known.length > 3 && given.includes(known));
}

/** How many characters must be removed, inserted, replaced or swapped with their neighbour. Source: Damerau–Levenshtein, restricted. */
function distance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwap = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current.push(
        Math.min(
          (last[column] ?? 0) + 1,
          (current[column - 1] ?? 0) + 1,
          (last[column - 1] ?? 0) + (isSame ? 0 : 1),
          row > 1 && column > 1 && isSwap ? (beforeLast[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    beforeLast = last;
    last = current;
  }
  return last[to.length] ?? 0;
}
