import { parseSync, Visitor } from "oxc-parser";

/** A part of a text. */
interface Place {
  readonly start: number;
  readonly end: number;
}

/** A change of one place of a source file that its tests should notice: this part of the text, and what stands there instead. */
export interface Mutation extends Place {
  readonly replacement: string;
  /** The expression or statement that it changes. */
  readonly within: Place;
  /** What is evaluated instead of the whole expression; undefined if a statement is left out. */
  readonly instead: string | undefined;
}

/** What an operator is replaced by. Comparisons lose or gain their edge, connectives and signs change. */
const otherOperators: Readonly<Record<string, string>> = {
  "===": "!==",
  "!==": "===",
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "+": "-",
  "-": "+",
  "*": "/",
  "&&": "||",
  "||": "&&",
  "??": "&&",
  "+=": "-=",
  "-=": "+=",
};

/**
 * Every mutation of a TypeScript file: operators, conditions, branches, constants, and statements that are left out. Not keys, nor the values of
 * option names, of which only the keys are read, nor those of `Record<…, true>`, which could not be others. Throws for a file that does not parse.
 */
export function mutationsOf(path: string, text: string): Mutation[] {
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const found: Mutation[] = [];
  const textOf = ({ start, end }: Place) => text.slice(start, end);
  const replace = ({ start, end }: Place, replacement: string) => {
    const within = { start, end };
    if (textOf(within) !== replacement) found.push({ start, end, replacement, within, instead: replacement });
  };
  const leaveOut = ({ start, end }: Place) =>
    found.push({ start, end, replacement: ";", within: { start, end }, instead: undefined });
  /** Parentheses keep the operands what they are, but nothing can be assigned to what stands in them. */
  const operator = (node: Place & { left: Place; right: Place; operator: string }, isAssignment = false) => {
    const { left, right } = node;
    const replacement = otherOperators[node.operator];
    const start = text.indexOf(node.operator, left.end);
    if (replacement === undefined || start < 0 || start >= right.start) return;
    const target = isAssignment ? textOf(left) : `(${textOf(left)})`;
    const instead = `${target} ${replacement} (${textOf(right)})`;
    const within = { start: node.start, end: node.end };
    found.push({ start, end: start + node.operator.length, replacement, within, instead });
  };
  const fixed: Place[] = [];
  new Visitor({
    VariableDeclarator({ id, init }) {
      if (init !== null && /: OptionNames</.test(text.slice(id.start, init.start))) fixed.push(init);
    },
    TSSatisfiesExpression({ expression, typeAnnotation }) {
      if (/^Record<.*, true>$/.test(textOf(typeAnnotation))) fixed.push(expression);
    },
    CallExpression({ callee, arguments: args }) {
      if (textOf(callee) === "requireKnownOptions") fixed.push(...args);
    },
    TSLiteralType: ({ literal }) => void fixed.push(literal),
    Property: ({ key }) => void fixed.push(key),
    BinaryExpression: (node) => operator(node),
    LogicalExpression: (node) => operator(node),
    AssignmentExpression: (node) => operator(node, true),
    UnaryExpression(node) {
      if (node.operator === "!") replace(node, textOf(node.argument));
      // Only the sign of such a number counts: where a text is not found, or what comes first.
      if (textOf(node) === "-1") fixed.push(node);
    },
    IfStatement({ test }) {
      replace(test, "true");
      replace(test, "false");
    },
    ConditionalExpression(node) {
      replace(node, `(${textOf(node.consequent)})`);
      replace(node, `(${textOf(node.alternate)})`);
    },
    ExpressionStatement(node) {
      const { type } = node.expression;
      if (type === "CallExpression" || type === "AwaitExpression" || type === "AssignmentExpression")
        leaveOut(node);
    },
    ReturnStatement(node) {
      // `undefined` is as good as `false` to whoever asks whether it is true.
      if (node.argument === null || ["undefined", "false"].includes(textOf(node.argument))) return;
      const { start, end } = node;
      found.push({
        start,
        end,
        replacement: "return undefined;",
        within: node.argument,
        instead: "undefined",
      });
    },
    ThrowStatement: leaveOut,
    Literal(node) {
      if (fixed.some((place) => isIn(node, place))) return;
      if (typeof node.value === "boolean") replace(node, String(!node.value));
      // A millisecond or a byte more is no difference to anybody where there are thousands.
      if (typeof node.value === "number")
        replace(node, String(node.value < 1_000 ? node.value + 1 : node.value * 2));
    },
  }).visit(program);
  return found;
}

function isIn(inner: Place, outer: Place): boolean {
  return inner.start >= outer.start && inner.end <= outer.end;
}

/**
 * The text with all of the mutations by their numbers, each behind a switch: it is on where `isMutation` of its number is true. So the
 * text is compiled once for all of them.
 */
export function withSwitches(text: string, mutations: ReadonlyMap<number, Mutation>): string {
  // An outer expression comes before the ones in it.
  const left = [...mutations].sort(
    ([, a], [, b]) => a.within.start - b.within.start || b.within.end - a.within.end,
  );
  const between = (start: number, end: number): string => {
    let switched = "";
    let at = start;
    for (let first = left[0]; first !== undefined && first[1].within.start < end; first = left[0]) {
      const { within } = first[1];
      const count = left.findIndex(([, other]) => !isSame(other.within, within));
      const same = left.splice(0, count < 0 ? left.length : count);
      switched += text.slice(at, within.start) + switchesOf(same, between(within.start, within.end));
      at = within.end;
    }
    return switched + text.slice(at, end);
  };
  return between(0, text.length);
}

/** One expression or statement with the switches of its mutations. */
function switchesOf(mutations: readonly (readonly [number, Mutation])[], original: string): string {
  return mutations.reduce(
    (inner, [number, { instead }]) =>
      instead === undefined
        ? `{ if (!isMutation(${number})) ${inner} }`
        : `(isMutation(${number}) ? (${instead}) : (${inner}))`,
    original,
  );
}

function isSame(a: Place, b: Place): boolean {
  return a.start === b.start && a.end === b.end;
}

/** The mutation in one line: `file:12: "a < b" → "a <= b"`. */
export function describeMutation(path: string, text: string, mutation: Mutation): string {
  const line = text.slice(0, mutation.start).split("\n").length;
  const whole = text.split("\n")[line - 1] ?? "";
  const lineStart = text.lastIndexOf("\n", mutation.start - 1) + 1;
  const end = Math.min(mutation.end - lineStart, whole.length);
  const after = whole.slice(0, mutation.start - lineStart) + mutation.replacement + whole.slice(end);
  return `${path}:${line}: ${whole.trim()}  →  ${after.trim()}`;
}
