/** The expected outcome of a message, by its number. */
export type Kind = "good" | "abandoned" | "poison";

/** 1 % undeserializable, 10 % abandoned at their first delivery. */
export function kindOf(number: number): Kind {
  if (number % 100 === 7) return "poison";
  return number % 10 === 3 ? "abandoned" : "good";
}
