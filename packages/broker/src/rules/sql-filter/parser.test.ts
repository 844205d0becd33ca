import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { printPredicate, sqlPredicate } from "../../../test/sql-arbitraries.js";
import { RuleSyntaxError } from "../evaluation/rule-error.js";
import { beginRule } from "../evaluation/rule-work.js";
import type { SqlExpression, SqlPredicate } from "./ast.js";
import { maxNestingDepth, parseSqlFilter } from "./parser.js";

// As in `compileRule`: test files share a process, and another may have used up the comparisons of a rule.
beforeEach(beginRule);

const constant = (value: string | bigint | number | boolean | null): SqlExpression => ({
  type: "constant",
  value,
});
const user = (name: string) => ({ type: "property", scope: "user", name }) as const;
const sys = (name: string) => ({ type: "property", scope: "sys", name }) as const;
const isOne = (name: string): SqlPredicate => ({
  type: "comparison",
  operator: "=",
  left: user(name),
  right: constant(1n),
});

/** The left side of `… = 1`. */
function parseOperand(text: string): SqlExpression {
  const predicate = parseSqlFilter(`${text} = 1`);
  if (predicate.type !== "comparison") throw new Error("not a comparison");
  return predicate.left;
}

function errorOf(text: string): string {
  try {
    parseSqlFilter(text);
  } catch (error) {
    if (error instanceof RuleSyntaxError) return error.message;
    throw error;
  }
  return "no error";
}

describe("predicates", () => {
  it("binds AND tighter than OR", () => {
    expect(parseSqlFilter("a = 1 OR b = 1 AND c = 1")).toEqual({
      type: "or",
      left: isOne("a"),
      right: { type: "and", left: isOne("b"), right: isOne("c") },
    });
  });

  it("binds NOT tighter than AND", () => {
    expect(parseSqlFilter("NOT a = 1 AND b = 1")).toEqual({
      type: "and",
      left: { type: "not", operand: isOne("a") },
      right: isOne("b"),
    });
  });

  it("groups predicates with parentheses", () => {
    expect(parseSqlFilter("(a = 1 OR b = 1) AND c = 1")).toEqual({
      type: "and",
      left: { type: "or", left: isOne("a"), right: isOne("b") },
      right: isOne("c"),
    });
  });

  it.each(["=", "<>", "<", "<=", ">", ">="] as const)("parses the comparison %s", (operator) => {
    expect(parseSqlFilter(`a${operator}1`)).toEqual({ ...isOne("a"), operator });
  });

  it("reads != as <>", () => {
    expect(parseSqlFilter("a != 1")).toEqual(parseSqlFilter("a <> 1"));
  });

  it("parses IS NULL and IS NOT NULL after a property", () => {
    expect(parseSqlFilter("a IS NULL")).toEqual({ type: "is-null", property: user("a"), isNegated: false });
    expect(parseSqlFilter("sys.To is not null")).toEqual({
      type: "is-null",
      property: sys("To"),
      isNegated: true,
    });
  });

  it("parses IN and NOT IN with one or more expressions", () => {
    expect(parseSqlFilter("a NOT IN (1, 'x')")).toEqual({
      type: "in",
      operand: user("a"),
      candidates: [constant(1n), constant("x")],
      isNegated: true,
    });
  });

  it("parses LIKE and NOT LIKE with ESCAPE", () => {
    expect(parseSqlFilter("a NOT LIKE 'x\\%' ESCAPE '\\'")).toEqual({
      type: "like",
      operand: user("a"),
      pattern: constant("x\\%"),
      escapeCharacter: constant("\\"),
      isNegated: true,
    });
  });

  it("parses EXISTS of a property", () => {
    expect(parseSqlFilter("EXISTS(user.a)")).toEqual({ type: "exists", property: user("a") });
  });

  it("accepts keywords, scopes and function names in any letter case", () => {
    expect(parseSqlFilter("not SYS.to In (NewId(), P('x')) aNd eXists(a)")).toEqual(
      parseSqlFilter("NOT sys.to IN (newid(), property('x')) AND EXISTS(a)"),
    );
  });
});

describe("expressions", () => {
  it("binds * / % tighter than + and -, both left-associative", () => {
    expect(parseOperand("a - b - c * 2")).toEqual({
      type: "arithmetic",
      operator: "-",
      left: { type: "arithmetic", operator: "-", left: user("a"), right: user("b") },
      right: { type: "arithmetic", operator: "*", left: user("c"), right: constant(2n) },
    });
  });

  it("groups expressions with parentheses, before and inside predicates", () => {
    expect(parseSqlFilter("(a + 1) = (b)")).toEqual(parseSqlFilter("((a + 1)) = b"));
  });

  it("parses signs", () => {
    expect(parseOperand("-+a")).toEqual({
      type: "sign",
      operator: "-",
      operand: { type: "sign", operator: "+", operand: user("a") },
    });
  });

  it("stores integer constants as 64-bit integers", () => {
    expect(parseOperand("9223372036854775807")).toEqual(constant(9223372036854775807n));
    expect(parseOperand("-9223372036854775808")).toEqual(constant(-9223372036854775808n));
    expect(errorOf("a = 9223372036854775808")).toMatch("expected a 64-bit integer at position 4");
  });

  it.each([
    ["1894.1204", 1894.1204],
    ["2.0", 2],
    ["101.5E5", 101.5e5],
    ["0.5e-2", 0.005],
    ["3E2", 300],
  ])("stores %s as a double", (text, value) => {
    expect(parseOperand(text)).toEqual(constant(value));
  });

  it("reads doubled quotation marks inside text", () => {
    expect(parseOperand("'it''s'")).toEqual(constant("it's"));
  });

  it("parses TRUE, FALSE and NULL", () => {
    expect([parseOperand("TRUE"), parseOperand("false"), parseOperand("NULL")]).toEqual([
      constant(true),
      constant(false),
      constant(null),
    ]);
  });

  it("inserts the values of parameters, named with or without @ and in any letter case", () => {
    const predicate = parseSqlFilter("a = @First OR a = @second", { "@first": "x", second: 2n });
    expect(predicate).toEqual(parseSqlFilter("a = 'x' OR a = 2"));
  });
});

describe("property names", () => {
  it("start with a Unicode letter, followed by letters, digits and underscores", () => {
    expect(parseOperand("größe_1")).toEqual(user("größe_1"));
    expect(parseOperand("数量")).toEqual(user("数量"));
  });

  it("can be any text between square brackets, with ]] for ]", () => {
    expect(parseOperand("[Property With Space]")).toEqual(user("Property With Space"));
    expect(parseOperand("sys.[odd]]name]")).toEqual(sys("odd]name"));
  });

  it('can be any text between double quotation marks, with "" for "', () => {
    expect(parseOperand('"Contoso & Northwind"')).toEqual(user("Contoso & Northwind"));
    expect(parseOperand('user."say ""hi"""')).toEqual(user('say "hi"'));
  });

  it("can be reserved words only if delimited", () => {
    expect(parseOperand("[and]")).toEqual(user("and"));
    expect(errorOf("and = 1")).toMatch("expected a property, a constant, a function or ( at position 0");
  });

  it("can be sys, user and function names", () => {
    expect(parseSqlFilter("sys = 1 AND newid = 1")).toEqual({
      type: "and",
      left: isOne("sys"),
      right: isOne("newid"),
    });
  });
});

describe("errors", () => {
  it.each([
    ["", "expected a property, a constant, a function or ( at position 0, found the end"],
    ["a", "expected a comparison operator, IS, IN or LIKE at position 1, found the end"],
    ["TRUE", "expected a comparison operator, IS, IN or LIKE at position 4, found the end"],
    ["a = 1 b", 'expected AND, OR or the end at position 6, found "b"'],
    ["a = ", "expected a property, a constant, a function or ( at position 4, found the end"],
    ["a = 'x", "expected a closing ' at position 6, found the end"],
    ["[a = 1", "expected a closing ] at position 6, found the end"],
    ["[] = 1", "expected a property name at position 0, found an empty one"],
    ["a = 1 AND", "expected a property, a constant, a function or ( at position 9, found the end"],
    ["a AND b = 1", 'expected a comparison operator, IS, IN or LIKE at position 2, found "AND"'],
    ["(a = 1", "expected ) at position 6, found the end"],
    ["(a = 1) = 1", "expected an expression at position 0, found a predicate"],
    ["a + (b = 1) = 1", "expected an expression at position 4, found a predicate"],
    ["a = b = c", 'expected AND, OR or the end at position 6, found "="'],
    ["a NOT = 1", 'expected IN or LIKE at position 6, found "="'],
    ["a IS 1", 'expected NULL at position 5, found "1"'],
    ["1 IS NULL", "expected a property before IS at position 0, found another expression"],
    ["a IN ()", 'expected a property, a constant, a function or ( at position 6, found ")"'],
    ["a IN (1 2)", 'expected , or ) at position 8, found "2"'],
    ["a LIKE 1", 'expected a text pattern at position 7, found "1"'],
    ["a LIKE 'x' ESCAPE '\\\\'", 'expected a text of one character at position 18, found "\\\\\\\\"'],
    [
      "a LIKE 'x\\' ESCAPE '\\'",
      "expected a pattern that does not end in its escape character at position 7",
    ],
    ["a BETWEEN 1 AND 2", 'expected a comparison operator, IS, IN or LIKE at position 2, found "BETWEEN"'],
    ["EXISTS(1)", 'expected a property at position 7, found "1"'],
    ["msg.To = 1", 'expected the scope sys or user at position 0, found "msg"'],
    ["now() = 1", 'expected newid, property, p or an operator after a property at position 0, found "now"'],
    ["newid(1) = 1", 'expected ) at position 6, found "1"'],
    ["_a = 1", 'expected a name, a constant or an operator at position 0, found "_"'],
    ["12ab = 1", 'expected the end of the number at position 2, found "a"'],
    ["a = 1e999", "expected a double at position 4, found the number 1e999"],
    ["a = @p", 'expected a parameter that has a value at position 4, found "p"'],
    ["a ! 1", 'expected a name, a constant or an operator at position 2, found "!"'],
  ])("%s → %s", (text, message) => {
    expect(errorOf(text)).toContain(`rule filter: ${message}`);
  });

  it("refuses more than 1024 characters", () => {
    const text = `a = '${"x".repeat(1018)}'`;
    expect(errorOf(text)).toBe("no error");
    expect(errorOf(`${text} `)).toBe(
      "rule filter: expected at most 1024 characters at position 1024, found a text of 1025",
    );
  });

  it.each([
    ["parentheses", "("],
    ["NOT", "NOT "],
    ["signs", "- "],
    ["functions", "p("],
  ])("refuses %s nested more than 100 deep", (_, opening) => {
    const depth = maxNestingDepth + 1;
    expect(errorOf(`${opening.repeat(depth)}a = 1`)).toContain("expected at most 100 levels of nesting");
  });
});

describe("for any input", () => {
  it("parses the text of a random tree as that tree", () => {
    fc.assert(
      fc.property(sqlPredicate, (predicate) => {
        const printed = printPredicate(predicate);
        fc.pre(printed.length <= 1024);
        expect(parseSqlFilter(printed)).toEqual(predicate);
      }),
      { numRuns: 1_000 },
    );
  });

  it("ends in a tree or a syntax error within the text, quickly", () => {
    const piece = fc.constantFrom(
      ..."( ) ' \" [ ] = <> < , . ; + - * / % @p 1 1.5 1e5 a sys. user. NOT AND OR IS NULL IN LIKE ESCAPE EXISTS TRUE p( newid() 'x' é 😀 _ \\".split(
        " ",
      ),
    );
    const garbage = fc.oneof(
      fc.string({ maxLength: 1100, unit: "binary" }),
      fc.array(piece, { maxLength: 300 }).map((pieces) => pieces.join(" ")),
    );
    let slowestMs = 0;
    fc.assert(
      fc.property(garbage, (text) => {
        const start = process.cpuUsage();
        try {
          parseSqlFilter(text);
        } catch (error) {
          if (!(error instanceof RuleSyntaxError)) throw error;
          expect(error.position).toBeLessThanOrEqual(text.length);
        }
        slowestMs = Math.max(slowestMs, process.cpuUsage(start).user / 1_000);
      }),
      { numRuns: 2_000 },
    );
    expect(slowestMs).toBeLessThan(500);
  });
});
