import { parseSync, Visitor } from "oxc-parser";

/** A change of one place of a source file that its tests should notice. */
export interface Mutation {
  readonly start: number;
  readonly end: number;
  /** What stands there instead. */
  readonly replacement: string;
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

/** A part of the syntax tree with its place in the text. */
interface Place {
  readonly start: number;
  readonly end: number;
}

/**
 * Every mutation of a TypeScript file: operators, conditions, branches, constants, and statements that are left out. Not the values of
 * `OptionNames`, of which only the keys are read, nor those of `Record<…, true>`, which could not be others. Throws for a file that does not parse.
 */
export function mutationsOf(path: string, text: string): Mutation[] {
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const found: Mutation[] = [];
  const replace = ({ start, end }: Place, replacement: string) => found.push({ start, end, replacement });
  const textOf = ({ start, end }: Place) => text.slice(start, end);
  const operatorBetween = (left: Place, right: Place, operator: string) => {
    const other = otherOperators[operator];
    const at = text.indexOf(operator, left.end);
    if (other === undefined || at < 0 || at >= right.start) return;
    replace({ start: at, end: at + operator.length }, other);
  };
  const condition = (test: Place) => {
    replace(test, "true");
    replace(test, "false");
  };
  const types = new Set<number>();
  const onlyKeys: Place[] = [];
  new Visitor({
    VariableDeclarator({ id, init }) {
      if (init !== null && /: OptionNames</.test(text.slice(id.start, init.start))) onlyKeys.push(init);
    },
    TSSatisfiesExpression({ expression, typeAnnotation }) {
      if (/^Record<.*, true>$/.test(textOf(typeAnnotation))) onlyKeys.push(expression);
    },
    TSLiteralType: ({ literal }) => void types.add(literal.start),
    BinaryExpression: ({ left, right, operator }) => operatorBetween(left, right, operator),
    LogicalExpression: ({ left, right, operator }) => operatorBetween(left, right, operator),
    AssignmentExpression: ({ left, right, operator }) => operatorBetween(left, right, operator),
    UnaryExpression(node) {
      if (node.operator === "!") replace(node, textOf(node.argument));
    },
    IfStatement: ({ test }) => condition(test),
    ConditionalExpression(node) {
      replace(node, `(${textOf(node.consequent)})`);
      replace(node, `(${textOf(node.alternate)})`);
    },
    ExpressionStatement(node) {
      const { type } = node.expression;
      if (type === "CallExpression" || type === "AwaitExpression" || type === "AssignmentExpression")
        replace(node, ";");
    },
    ReturnStatement(node) {
      if (node.argument !== null) replace(node, "return undefined;");
    },
    ThrowStatement: (node) => replace(node, ";"),
    Literal(node) {
      if (types.has(node.start) || onlyKeys.some((place) => isIn(node, place))) return;
      if (typeof node.value === "boolean") replace(node, String(!node.value));
      if (typeof node.value === "number") replace(node, String(node.value + 1));
    },
  }).visit(program);
  return found.filter(({ start, end, replacement }) => text.slice(start, end) !== replacement);
}

function isIn(inner: Place, outer: Place): boolean {
  return inner.start >= outer.start && inner.end <= outer.end;
}

/** The text with the mutation. */
export function mutated(text: string, { start, end, replacement }: Mutation): string {
  return text.slice(0, start) + replacement + text.slice(end);
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
