/** What has to happen to a message: its number decides. */
export type Kind = "good" | "abandoned" | "poison";

/** 1 % poison, 10 % abandoned at their first delivery. */
export function kindOf(number: number): Kind {
  if (number % 100 === 7) return "poison";
  return number % 10 === 3 ? "abandoned" : "good";
}
