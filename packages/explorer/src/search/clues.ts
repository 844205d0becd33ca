import { changingProperties } from "./message-texts.js";
import { expressionIn, type Needle, needle } from "./needle.js";
import type { SearchCriteria } from "./search-criteria.js";

/**
 * Whether a message can meet the criteria, by all of its texts, each ended by {@link textEnd}. It may say yes to a message that does not meet them,
 * never no to one that does.
 */
export type Clue = (texts: string) => boolean;

/** Ends each text of a message that is remembered. */
export const textEnd = "\u0000";

/** What all messages that meet the criteria have in their texts. */
export function clueOf({ text, value, property = "", propertyValue, reason }: SearchCriteria): Clue {
  const isChanging = changingProperties.some((name) => name.toLowerCase() === property.toLowerCase());
  const clues = [text, value, isChanging ? undefined : propertyValue, reason].flatMap((wanted) =>
    wanted === undefined ? [] : [clueFor(wanted)],
  );
  return (texts) => clues.every((clue) => clue(texts));
}

/** Some text of the message has one of these. */
export function clueOfAny(wanted: Iterable<string>): Clue {
  const needles: readonly Needle[] = Array.from(wanted, (text) => (texts: string) => texts.includes(text));
  return (texts) => needles.some((each) => each(texts));
}

function clueFor(wanted: string): Clue {
  const expression = expressionIn(wanted);
  if (expression === undefined) return needle(wanted);
  return (texts) => texts.split(textEnd).some((text) => expression.test(text));
}
