import { quoted } from "../errors/wire-text.js";
import { kindOf } from "./known-options.js";

/** What `typeof` may ask of an option. */
interface OptionTypes {
  readonly boolean: boolean;
  readonly function: (...args: never) => unknown;
  readonly string: string;
}

/** The value, when it is one of the choices of an option. Throws `TypeError` otherwise; `name` begins its text. */
export function requireOneOf<Choice extends string>(
  name: string,
  value: unknown,
  choices: readonly Choice[],
): Choice {
  const found = choices.find((choice) => choice === value);
  if (found !== undefined) return found;
  const texts = choices.map((choice) => `"${choice}"`);
  const last = texts.pop() ?? "";
  const expected = texts.length === 0 ? last : `${texts.join(", ")} or ${last}`;
  throw new TypeError(
    `${name} must be ${expected}, not ${typeof value === "string" ? quoted(value) : kindOf(value)}.`,
  );
}

/** Throws `TypeError` unless the value of an option has a type; `name` begins its text. */
export function requireType<Type extends keyof OptionTypes>(
  name: string,
  value: unknown,
  type: Type,
): asserts value is OptionTypes[Type] {
  if (typeof value !== type) throw new TypeError(`${name} must be a ${type}; got ${kindOf(value)}.`);
}
