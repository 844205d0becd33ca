import type { SqlExpression, SqlPredicate } from "./ast.js";

/** The cost of evaluating a rule, in comparisons as counted by `rule-work.ts`: a fixed part, and one per KB of a message's properties. */
export interface RuleCost {
  readonly fixed: number;
  readonly perKilobyte: number;
}

export const noCost: RuleCost = Object.freeze({ fixed: 0, perKilobyte: 0 });

/** The base cost of a rule, and the extra cost of its action. */
const rule = 200;
const action = 5_000;
/** An operator, a property or a constant. */
const node = 60;
const characters = 1024;
/** The length assumed for patterns read from properties. */
const assumedPatternLength = 1024;

/** The cost of a correlation filter with this many conditions. */
export function costOfConditions(count: number): RuleCost {
  return { fixed: rule + count * node, perKilobyte: 0 };
}

/** The cost of a predicate if all of it must be evaluated. */
export function costOfPredicate(predicate: SqlPredicate): RuleCost {
  let nodes = 0;
  let words = 0;
  // Grows while it is iterated, which avoids recursion.
  const parts: (SqlPredicate | SqlExpression)[] = [predicate];
  for (const part of parts) {
    nodes++;
    if (part.type === "like") words += wordsOf(part.pattern);
    parts.push(...partsOf(part));
  }
  return { fixed: rule + nodes * node, perKilobyte: words * characters };
}

/** Adds the cost of an action, which makes its own copy. */
export function withAction({ fixed, perKilobyte }: RuleCost): RuleCost {
  return { fixed: fixed + action, perKilobyte };
}

export function addCosts(a: RuleCost, b: RuleCost): RuleCost {
  return { fixed: a.fixed + b.fixed, perKilobyte: a.perKilobyte + b.perKilobyte };
}

/** Comparisons per character of the text matched with a pattern. */
function wordsOf(pattern: SqlExpression): number {
  const isKnown = pattern.type === "constant" && typeof pattern.value === "string";
  const length = isKnown ? (pattern.value as string).length : assumedPatternLength;
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
