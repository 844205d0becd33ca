import type { SqlExpression, SqlPredicate } from "./ast.js";

/** What running a rule costs, in comparisons as `rule-work.ts` counts them: by itself, and for each KB of a message's properties. */
export interface RuleCost {
  readonly fixed: number;
  readonly perKilobyte: number;
}

export const NO_COST: RuleCost = Object.freeze({ fixed: 0, perKilobyte: 0 });

/** Any rule costs so much, its action so much more. */
const RULE = 200;
const ACTION = 5_000;
/** An operator, a property or a constant. */
const NODE = 60;
const CHARACTERS = 1024;
/** A pattern out of a property is taken for a long one. */
const LONGEST_PATTERN = 1024;

/** What a correlation filter with so many conditions costs. */
export function costOfConditions(count: number): RuleCost {
  return { fixed: RULE + count * NODE, perKilobyte: 0 };
}

/** What a predicate costs on a message on which nothing is decided early. */
export function costOfPredicate(predicate: SqlPredicate): RuleCost {
  let nodes = 0;
  let words = 0;
  // Grows while it is walked, which needs no recursion.
  const parts: (SqlPredicate | SqlExpression)[] = [predicate];
  for (const part of parts) {
    nodes++;
    if (part.type === "like") words += wordsOf(part.pattern);
    parts.push(...partsOf(part));
  }
  return { fixed: RULE + nodes * NODE, perKilobyte: words * CHARACTERS };
}

/** With an action, which makes a copy of its own. */
export function withAction({ fixed, perKilobyte }: RuleCost): RuleCost {
  return { fixed: fixed + ACTION, perKilobyte };
}

export function addCosts(a: RuleCost, b: RuleCost): RuleCost {
  return { fixed: a.fixed + b.fixed, perKilobyte: a.perKilobyte + b.perKilobyte };
}

/** Comparisons for each character of the text that a pattern is matched with. */
function wordsOf(pattern: SqlExpression): number {
  const isKnown = pattern.type === "constant" && typeof pattern.value === "string";
  const length = isKnown ? (pattern.value as string).length : LONGEST_PATTERN;
  return Math.ceil(length / 32);
}

function partsOf(part: SqlPredicate | SqlExpression): readonly (SqlPredicate | SqlExpression)[] {
  switch (part.type) {
    case "not":
    case "sign":
      return [part.operand];
    case "and":
    case "or":
    case "comparison":
    case "arithmetic":
      return [part.left, part.right];
    case "in":
      return [part.operand, ...part.candidates];
    case "like":
      return [part.operand, part.pattern];
    case "is-null":
    case "exists":
      return [part.property];
    case "property-function":
      return [part.name];
    default:
      return [];
  }
}
