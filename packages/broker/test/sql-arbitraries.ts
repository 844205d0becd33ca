import fc from "fast-check";
import type { SqlExpression, SqlPredicate, SqlProperty } from "../src/rules/sql-filter/ast.js";

const reserved = new Set("NOT AND OR IS NULL IN LIKE ESCAPE EXISTS TRUE FALSE SET REMOVE".split(" "));

/** Names of application properties that the generated filters and messages share. */
export const propertyNames = ["a", "B", "größe", "with space", "br]acket", 'quo"te', "not", "x_1", "missing"];

const minInt64 = -(2n ** 63n);

const userProperty = fc
  .constantFrom(...propertyNames)
  .map((name): SqlProperty => ({ type: "property", scope: "user", name }));
const sysProperty = fc
  .constantFrom("MessageId", "label", "SEQUENCENUMBER", "EnqueuedTimeUtc", "TimeToLive")
  .map((name): SqlProperty => ({ type: "property", scope: "sys", name }));

const property = fc.oneof({ weight: 4, arbitrary: userProperty }, { weight: 1, arbitrary: sysProperty });

const constant = fc
  .oneof(
    fc.constant(null),
    fc.boolean(),
    fc.bigInt({ min: 0n, max: 3n }),
    fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }),
    fc.constant(minInt64),
    fc.constantFrom(0, 0.5, 1, 2, 1e15, 1.5e-7, 9007199254740992),
    fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }),
    text(),
  )
  .map((value): SqlExpression => ({ type: "constant", value }));

const isNegated = fc.boolean();

const tree = fc.letrec<{ expression: SqlExpression; predicate: SqlPredicate }>((tie) => {
  const [left, right] = [tie("expression"), tie("expression")];
  return {
    expression: fc.oneof(
      { maxDepth: 3, depthIdentifier: "sql" },
      { weight: 3, arbitrary: property },
      { weight: 3, arbitrary: constant },
      node("property-function", { name: tie("expression") }),
      node("sign", { operator: fc.constantFrom("+", "-"), operand: tie("expression") }),
      node("arithmetic", { operator: fc.constantFrom("+", "-", "*", "/", "%"), left, right }, 2),
    ),
    predicate: fc.oneof(
      { maxDepth: 4, depthIdentifier: "sql" },
      node("comparison", { operator: fc.constantFrom("=", "<>", "<", "<=", ">", ">="), left, right }, 4),
      node("is-null", { property, isNegated }),
      node("exists", { property }),
      node("in", {
        operand: tie("expression"),
        candidates: fc.array(tie("expression"), { minLength: 1, maxLength: 3 }),
        isNegated,
      }),
      node(
        "like",
        {
          operand: fc.oneof(property, constant),
          pattern: text("ab%_\\").map(
            (value): SqlExpression => ({ type: "constant", value: value.replace(/\\+$/, "") }),
          ),
          escapeCharacter: fc.constantFrom(undefined, { type: "constant" as const, value: "\\" }),
          isNegated,
        },
        2,
      ),
      node("not", { operand: tie("predicate") }),
      node("and", { left: tie("predicate"), right: tie("predicate") }),
      node("or", { left: tie("predicate"), right: tie("predicate") }),
    ),
  };
});

/** Random nodes of a type with these fields. */
function node<Type extends string, Fields extends object>(
  type: Type,
  fields: { [Key in keyof Fields]: fc.Arbitrary<Fields[Key]> },
  weight = 1,
) {
  const made = fc.record({ type: fc.constant(type), ...fields });
  return { weight, arbitrary: made as unknown as fc.Arbitrary<{ type: Type } & Fields> };
}

/** Random predicates over {@link propertyNames} and some system properties. */
export const sqlPredicate = tree.predicate;

/** Random short texts over an alphabet that makes collisions likely. */
export function text(alphabet = "abAB%_'1 é"): fc.Arbitrary<string> {
  return fc.array(fc.constantFrom(...alphabet), { maxLength: 6 }).map((characters) => characters.join(""));
}

/** Writes a predicate with the fewest parentheses. */
export function printPredicate(node: SqlPredicate, minimum = 0): string {
  switch (node.type) {
    case "or":
      return wrap(minimum > 0, `${printPredicate(node.left, 0)} OR ${printPredicate(node.right, 1)}`);
    case "and":
      return wrap(minimum > 1, `${printPredicate(node.left, 1)} AND ${printPredicate(node.right, 2)}`);
    case "not":
      return wrap(minimum > 2, `NOT ${printPredicate(node.operand, 2)}`);
    case "comparison":
      return `${printExpression(node.left)} ${node.operator} ${printExpression(node.right)}`;
    case "is-null":
      return `${printProperty(node.property)} IS ${node.isNegated ? "NOT " : ""}NULL`;
    case "in": {
      const candidates = node.candidates.map((candidate) => printExpression(candidate)).join(", ");
      return `${printExpression(node.operand)} ${node.isNegated ? "NOT " : ""}IN (${candidates})`;
    }
    case "like": {
      const escapeClause = node.escapeCharacter ? ` ESCAPE ${printExpression(node.escapeCharacter)}` : "";
      const operator = node.isNegated ? "NOT LIKE" : "LIKE";
      return `${printExpression(node.operand)} ${operator} ${printExpression(node.pattern)}${escapeClause}`;
    }
    case "exists":
      return `EXISTS(${printProperty(node.property)})`;
  }
}

function printExpression(node: SqlExpression, minimum = 0): string {
  switch (node.type) {
    case "constant":
      return printConstant(node.value);
    case "property":
      return printProperty(node);
    case "newid":
      return "newid()";
    case "property-function":
      return `p(${printExpression(node.name)})`;
    case "sign":
      return `${node.operator} ${printExpression(node.operand, 2)}`;
    case "arithmetic": {
      const level = node.operator === "+" || node.operator === "-" ? 0 : 1;
      const sides = `${printExpression(node.left, level)} ${node.operator} ${printExpression(node.right, level + 1)}`;
      return wrap(minimum > level, sides);
    }
  }
}

function printProperty(node: SqlProperty): string {
  const isRegular = /^\p{L}[_\p{L}\p{Nd}]*$/u.test(node.name) && !reserved.has(node.name.toUpperCase());
  const name = isRegular ? node.name : `[${node.name.replaceAll("]", "]]")}]`;
  return node.scope === "sys" ? `sys.${name}` : name;
}

function printConstant(value: unknown): string {
  if (typeof value === "string") return `'${value.replaceAll("'", "''")}'`;
  if (typeof value === "number")
    return Number.isInteger(value) ? `${BigInt(value)}.0` : value.toExponential();
  return String(value).toUpperCase();
}

function wrap(isNeeded: boolean, printed: string): string {
  return isNeeded ? `(${printed})` : printed;
}
