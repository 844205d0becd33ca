import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { naiveMatches } from "../../../test/naive-sql.js";
import { printPredicate, propertyNames, sqlPredicate, text } from "../../../test/sql-arbitraries.js";
import { RuleEvaluationError } from "../evaluation/rule-error.js";
import { type RuleSubjectProperties, ruleSubject } from "../evaluation/rule-subject.js";
import { opaque, type RuleValue, ruleGuid, ruleTimeSpan } from "../evaluation/rule-value.js";
import { beginRule } from "../evaluation/rule-work.js";
import type { SqlParameters } from "./parser.js";
import { compileSqlFilter } from "./sql-filter.js";

// As in `compileRule`: test files share a process, and another may have used up the comparisons of a rule.
beforeEach(beginRule);

const guid = "6f9619ff-8b86-d011-b42d-00c04fc964ff";
const noon = new Date("2024-05-01T12:00:00Z");

/** Runs a filter on a message with these application properties. */
function matches(
  filter: string,
  application: Readonly<Record<string, RuleValue>> = {},
  system: RuleSubjectProperties["system"] = {},
  parameters: SqlParameters = {},
): boolean {
  return compileSqlFilter(filter, parameters).matches(ruleSubject({ application, system }));
}

/** "T", "F" or "U": which of a predicate and its negation match. */
function truth(predicate: string, application: Readonly<Record<string, RuleValue>> = {}): string {
  const isTrue = matches(predicate, application);
  const isFalse = matches(`NOT (${predicate})`, application);
  return isTrue ? "T" : isFalse ? "F" : "U";
}

function failure(filter: string, application: Readonly<Record<string, RuleValue>> = {}): RuleEvaluationError {
  try {
    matches(filter, application);
  } catch (error) {
    if (error instanceof RuleEvaluationError) return error;
    throw error;
  }
  throw new Error("no error");
}

describe("properties", () => {
  it("have case-insensitive names", () => {
    expect(matches("COLOR = 'red' AND user.cOlOr = 'red'", { Color: "red" })).toBe(true);
    expect(matches("sys.MESSAGEID = 'm'", {}, { MessageId: "m" })).toBe(true);
  });

  it("differing only in letter case are found by their exact names", () => {
    expect(matches("Color = 'red' AND color = 'blue'", { color: "blue", Color: "red" })).toBe(true);
  });

  it("are application properties without a scope", () => {
    expect(matches("MessageId = 'm'", {}, { MessageId: "m" })).toBe(false);
  });

  it("of the system have their names in all SDKs", () => {
    const system = { Label: "l", ScheduledEnqueueTimeUtc: noon };
    expect(matches("sys.Label = 'l' AND sys.Subject = 'l'", {}, system)).toBe(true);
    expect(matches("sys.ScheduledEnqueueTime = sys.ScheduledEnqueueTimeUtc", {}, system)).toBe(true);
  });

  it("of the system that do not exist are an error when they are evaluated", () => {
    const error = failure("sys.Colour = 'red'");
    expect([error.exceptionName, error.message]).toEqual([
      "FilterException",
      'there is no system property "Colour"',
    ]);
    expect(failure("EXISTS(sys.Colour)").exceptionName).toBe("FilterException");
    expect(matches("1 = 0 AND sys.Colour = 'red'")).toBe(false);
  });

  it("named by property() and p() are application properties", () => {
    expect(matches("property('si' + 'ze') = 5 AND p('SIZE') = 5", { size: 5n })).toBe(true);
    expect(matches("p('sys.MessageId') = 'm'", {}, { MessageId: "m" })).toBe(false);
  });

  it("from a prototype do not exist", () => {
    expect(matches("EXISTS(constructor) OR EXISTS([__proto__]) OR EXISTS(toString)")).toBe(false);
  });
});

describe("unknown values", () => {
  it("make comparisons unknown", () => {
    for (const operator of ["=", "<>", "<", "<=", ">", ">="]) {
      expect([truth(`x ${operator} 1`), truth(`1 ${operator} x`), truth(`x ${operator} x`)]).toEqual([
        "U",
        "U",
        "U",
      ]);
    }
  });

  it("make arithmetic unknown", () => {
    for (const operator of ["+", "-", "*", "/", "%"]) {
      expect([truth(`x ${operator} 1 = 1`), truth(`1 ${operator} x = 1`)]).toEqual(["U", "U"]);
    }
    expect([truth("-x = 1"), truth("+x = 1"), truth("'a' + x = 'a'")]).toEqual(["U", "U", "U"]);
  });

  it("make LIKE unknown as operand, pattern and escape character", () => {
    expect([truth("x LIKE '%'"), truth("x NOT LIKE '%'")]).toEqual(["U", "U"]);
    expect([truth("'a' LIKE x"), truth("'a' LIKE 'a' ESCAPE x")]).toEqual(["U", "U"]);
  });

  it("make IN unknown on the left, and on the right when nothing else is equal", () => {
    expect([truth("x IN (1)"), truth("x NOT IN (1)")]).toEqual(["U", "U"]);
    expect([truth("1 IN (x, 1)"), truth("2 IN (x, 1)"), truth("2 NOT IN (x, 1)")]).toEqual(["T", "U", "U"]);
  });

  it("follow the truth table of AND", () => {
    const operand = { T: "1 = 1", F: "1 = 0", U: "x = 1" };
    const table = (["T", "F", "U"] as const).map((left) =>
      (["T", "F", "U"] as const).map((right) => truth(`${operand[left]} AND ${operand[right]}`)).join(""),
    );
    expect(table).toEqual(["TFU", "FFF", "UFU"]);
  });

  it("follow the truth table of OR", () => {
    const operand = { T: "1 = 1", F: "1 = 0", U: "x = 1" };
    const table = (["T", "F", "U"] as const).map((left) =>
      (["T", "F", "U"] as const).map((right) => truth(`${operand[left]} OR ${operand[right]}`)).join(""),
    );
    expect(table).toEqual(["TTT", "TFU", "TUU"]);
  });

  it("stay unknown under NOT and do not match", () => {
    expect([matches("x = 1"), matches("NOT x = 1"), matches("NOT NOT x = 1")]).toEqual([false, false, false]);
  });
});

describe("null", () => {
  it("IS NULL for an absent property and for one whose value is null", () => {
    expect([truth("a IS NULL"), truth("a IS NULL", { a: null }), truth("a IS NULL", { a: 0n })]).toEqual([
      "T",
      "T",
      "F",
    ]);
    expect([truth("a IS NOT NULL"), truth("a IS NOT NULL", { a: "" })]).toEqual(["F", "T"]);
    expect(matches("sys.Label IS NULL AND sys.To IS NOT NULL", {}, { To: "t" })).toBe(true);
  });

  it("EXISTS for an application property with the value null, not for an absent one", () => {
    expect([truth("EXISTS(a)"), truth("EXISTS(a)", { a: null }), truth("EXISTS(a)", { a: 1n })]).toEqual([
      "F",
      "T",
      "T",
    ]);
  });

  it("EXISTS for a system property only when it is set", () => {
    expect([matches("EXISTS(sys.To)"), matches("EXISTS(sys.To)", {}, { To: "" })]).toEqual([false, true]);
  });

  it("equals only null, and has no order", () => {
    const a = { a: null };
    expect([truth("a = NULL", a), truth("a <> NULL", a), truth("a = 'x'", a), truth("a <> 'x'", a)]).toEqual([
      "T",
      "F",
      "F",
      "T",
    ]);
    expect([truth("a < 1", a), truth("a >= 1", a), truth("a <= NULL", a)]).toEqual(["F", "F", "F"]);
    expect(matches("sys.Label <> 'x'")).toBe(true);
  });

  it("makes arithmetic null and LIKE unknown, and is skipped by text concatenation", () => {
    expect([truth("a + 1 = NULL", { a: null }), truth("-a = NULL", { a: null })]).toEqual(["T", "T"]);
    expect(truth("'x' + a = 'x'", { a: null })).toBe("T");
    expect(truth("a LIKE '%'", { a: null })).toBe("U");
  });
});

describe("comparisons", () => {
  it("compare text by ordinal, case-sensitively", () => {
    expect([truth("'a' = 'A'"), truth("'B' < 'a'"), truth("'a' < 'b'"), truth("'b' <= 'b'")]).toEqual([
      "F",
      "T",
      "T",
      "T",
    ]);
  });

  it("promote integers to doubles, like C#", () => {
    expect([truth("a = 5", { a: 5 }), truth("a = 5.0", { a: 5n }), truth("a < 5.5", { a: 5n })]).toEqual([
      "T",
      "T",
      "T",
    ]);
    expect(truth("a = 9007199254740992.0", { a: 9007199254740993n })).toBe("T");
    expect(truth("a = 9007199254740992", { a: 9007199254740993n })).toBe("F");
  });

  it("compare unsigned 64-bit values beyond the signed range", () => {
    expect(truth("a > 9223372036854775807", { a: 2n ** 64n - 1n })).toBe("T");
  });

  it("make NaN unequal to everything, including itself", () => {
    const a = { a: Number.NaN };
    expect([truth("a = a", a), truth("a <> a", a), truth("a < 1", a), truth("a >= 1", a)]).toEqual([
      "F",
      "T",
      "F",
      "F",
    ]);
  });

  it("compare booleans for equality only", () => {
    expect([
      truth("a = TRUE", { a: true }),
      truth("a <> TRUE", { a: true }),
      truth("a < TRUE", { a: false }),
    ]).toEqual(["T", "F", "U"]);
  });

  it("compare dates and time spans", () => {
    const message = { a: noon, b: new Date(noon.getTime() + 1), span: ruleTimeSpan(10_000n) };
    expect([truth("a < b", message), truth("a = b", message), truth("b - a = span", message)]).toEqual([
      "T",
      "F",
      "T",
    ]);
    expect([
      truth("a + span = b", message),
      truth("b - span = a", message),
      truth("-span < span", message),
    ]).toEqual(["T", "T", "T"]);
    expect(truth("span + span > span - span", message)).toBe("T");
    expect(matches("sys.TimeToLive = span", message, { TimeToLive: ruleTimeSpan(10_000n) })).toBe(true);
  });

  it("compare GUIDs and bytes for equality only", () => {
    const message = {
      a: ruleGuid(guid),
      b: ruleGuid(guid.toUpperCase()),
      c: Uint8Array.of(1),
      d: Uint8Array.of(1),
    };
    expect([truth("a = b", message), truth("a < b", message)]).toEqual(["T", "U"]);
    expect([truth("c = d", message), truth("c <= d", message)]).toEqual(["T", "U"]);
  });

  it("do not match for types that C# cannot compare, negated or not", () => {
    const values: RuleValue[] = [
      "1",
      1n,
      true,
      noon,
      ruleGuid(guid),
      ruleTimeSpan(1n),
      Uint8Array.of(1),
      opaque,
    ];
    for (const [index, a] of values.entries()) {
      for (const b of values.slice(index + 1)) {
        for (const predicate of ["a = b", "b = a", "a <> b", "a < b", "b >= a", "a IN (b)"]) {
          expect(truth(predicate, { a, b })).toBe("U");
        }
      }
    }
  });

  it("use parameters of every type", () => {
    const parameters = { "@start": noon, "@limit": ruleTimeSpan(600_000_000n) };
    const message = { at: new Date(noon.getTime() + 30_000) };
    expect(matches("at > @start AND at - @start <= @limit", message, {}, parameters)).toBe(true);
  });
});

describe("arithmetic", () => {
  it.each([
    ["7 / 2 = 3"],
    ["-7 / 2 = -3"],
    ["-7 % 3 = -1"],
    ["7 / 2.0 = 3.5"],
    ["7.5 % 2 = 1.5"],
    ["2 + 3 * 4 - 1 = 13"],
    ["(2 + 3) * 4 = 20"],
    ["- (2 + 3) = -5"],
    ["+5 = 5"],
    ["9223372036854775807 + 1 = -9223372036854775808"],
    ["-9223372036854775808 - 1 = 9223372036854775807"],
    ["- -9223372036854775808 = -9223372036854775808"],
    ["9223372036854775807 * 2 = -2"],
    ["9223372036854775807 + 1.0 > 9000000000000000000"],
    ["1 / 0.0 > 1e300"],
    ["'a' + 'b' = 'ab'"],
    ["'a' + 1 = 'a1'"],
    ["1 + 2 + 'a' = '3a'"],
    ["'a' + TRUE = 'aTrue'"],
    ["'a' + 1.5 = 'a1.5'"],
    ["'a' + 1e15 = 'a1E+15'"],
    ["'a' + 0.00001 = 'a1E-05'"],
    ["'a' + 2.5e-7 = 'a2.5E-07'"],
  ])("%s", (predicate) => {
    expect(truth(predicate)).toBe("T");
  });

  it("fails on an integer division by zero", () => {
    expect(failure("a / 0 = 1", { a: 1n }).exceptionName).toBe("DivideByZeroException");
    expect(failure("a % 0 = 1", { a: 1n }).exceptionName).toBe("DivideByZeroException");
  });

  it("fails if a result exceeds its type, like C#", () => {
    expect(failure("-9223372036854775808 / -1 = 1").exceptionName).toBe("OverflowException");
    const late = { a: new Date(8.64e15), span: ruleTimeSpan(2n ** 63n - 1n) };
    expect(failure("a + span = a", late).exceptionName).toBe("OverflowException");
    expect(failure("span + span = span", late).exceptionName).toBe("OverflowException");
  });

  it("is unknown for types without the operator", () => {
    const message = { date: noon, guid: ruleGuid(guid), flag: true, text: "1" };
    for (const expression of [
      "date + date",
      "date * 2",
      "guid + guid",
      "flag + 1",
      "-flag",
      "-text",
      "text * 2",
    ]) {
      expect(truth(`${expression} = 1`, message), expression).toBe("U");
    }
  });

  it("has a new GUID for each newid()", () => {
    expect([truth("newid() = newid()"), truth("newid() <> newid()")]).toEqual(["F", "T"]);
    expect(matches("'' + newid() LIKE '________-____-____-____-____________'")).toBe(true);
  });
});

describe("IN", () => {
  it("matches when any candidate is equal", () => {
    expect([truth("a IN ('x', 'y')", { a: "y" }), truth("a IN ('x', 'y')", { a: "z" })]).toEqual(["T", "F"]);
    expect([truth("a NOT IN ('x', 'y')", { a: "y" }), truth("a NOT IN ('x', 'y')", { a: "z" })]).toEqual([
      "F",
      "T",
    ]);
  });

  it("compares expressions with promotion", () => {
    expect(truth("a * 2 IN (b, 10)", { a: 5, b: 3n })).toBe("T");
  });
});

describe("LIKE", () => {
  it("matches patterns that are properties or computed", () => {
    expect(truth("a LIKE b + '%'", { a: "order-1", b: "order" })).toBe("T");
    expect(truth("a LIKE 'x!%' ESCAPE b", { a: "x%", b: "!" })).toBe("T");
  });

  it("is unknown for operands that are not text", () => {
    expect([truth("a LIKE '1'", { a: 1n }), truth("'1' LIKE a", { a: 1n })]).toEqual(["U", "U"]);
  });

  it("fails on a computed escape character of another length and on an incomplete pattern", () => {
    expect(failure("'a' LIKE a ESCAPE b", { a: "a", b: "!!" }).exceptionName).toBe("FilterException");
    expect(failure("'a' LIKE a ESCAPE b", { a: "a!", b: "!" }).exceptionName).toBe("FilterException");
  });
});

describe("documented examples", () => {
  it.each<[string, Readonly<Record<string, RuleValue>>, boolean]>([
    ["color='blue' AND quantity=10", { color: "blue", quantity: 10n }, true],
    ["color='blue' AND quantity=10", { color: "blue", quantity: 5n }, false],
    ["quantity > 2.08", { quantity: 3 }, true],
    ["StoreId IN('Store1', 'Store2')", { StoreId: "Store2" }, true],
    ["SuperHero like 'SuperMan%'", { SuperHero: "SuperMan II" }, true],
    [
      "\"http://schemas.example.com/Name\" = 'account'",
      { "http://schemas.example.com/Name": "account" },
      true,
    ],
    ["1=1", {}, true],
    ["1=0", {}, false],
  ])("%s", (filter, application, expected) => {
    expect(matches(filter, application)).toBe(expected);
  });
});

describe("for any filter and message", () => {
  it("agrees with an evaluator that walks the tree", () => {
    const value = fc.oneof(
      fc.constant(null),
      fc.boolean(),
      fc.bigInt({ min: -3n, max: 3n }),
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      fc.constantFrom(0, 0.5, 1, -2, 1e300, Number.NaN, Number.POSITIVE_INFINITY),
      text(),
      fc.integer({ min: 0, max: 3 }).map((ms) => new Date(ms)),
      fc.integer({ min: -3, max: 3 }).map((ms) => ruleTimeSpan(BigInt(ms) * 10_000n)),
    );
    const message = fc.record({
      application: fc.uniqueArray(fc.tuple(fc.constantFrom(...propertyNames.slice(0, -1), "A", "b"), value), {
        selector: ([name]) => name,
      }),
      system: fc.record(
        {
          MessageId: text(),
          Label: text(),
          SequenceNumber: fc.bigInt({ min: 0n, max: 3n }),
          EnqueuedTimeUtc: fc.integer({ min: 0, max: 3 }).map((ms) => new Date(ms)),
          TimeToLive: fc.integer({ min: 0, max: 3 }).map((ms) => ruleTimeSpan(BigInt(ms) * 10_000n)),
        },
        { requiredKeys: [] },
      ),
    });
    let compared = 0;
    fc.assert(
      fc.property(sqlPredicate, message, (predicate, { application, system }) => {
        const printed = printPredicate(predicate);
        fc.pre(printed.length <= 1024);
        const folded = Object.fromEntries(
          Object.entries(system).map(([name, of]) => [name.toLowerCase(), of]),
        );
        const expected = outcome(() => naiveMatches(predicate, { application, system: folded }));
        fc.pre(expected !== "not written");
        const subject = ruleSubject({ application: new Map(application), system });
        expect(outcome(() => compileSqlFilter(printed).matches(subject))).toBe(expected);
        compared++;
      }),
      { numRuns: 4_000 },
    );
    expect(compared).toBeGreaterThan(3_000);
  });
});

/** The result, or which kind of failure there was. */
function outcome(run: () => boolean): boolean | string {
  try {
    return run();
  } catch (error) {
    if (error instanceof RuleEvaluationError) return "arithmetic";
    return (error as Error).message;
  }
}
