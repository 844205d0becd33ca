import { describe, expect, it } from "vitest";
import { RuleEvaluationError, RuleSyntaxError } from "./evaluation/rule-error.js";
import { type RuleSubjectProperties, ruleSubject } from "./evaluation/rule-subject.js";
import { type RuleValue, ruleGuid, ruleTimeSpan } from "./evaluation/rule-value.js";
import { compileRuleAction } from "./rule-action.js";
import type { SqlParameters } from "./sql-filter/parser.js";

const guid = "6f9619ff-8b86-d011-b42d-00c04fc964ff";

function run(action: string, properties: RuleSubjectProperties = {}, parameters: SqlParameters = {}) {
  const { system, application } = compileRuleAction(action, parameters)(ruleSubject(properties));
  return { system: Object.fromEntries(system), application: Object.fromEntries(application) };
}

/** The value an application property gets from `SET a = …`. */
function set(expression: string, current?: RuleValue): RuleValue | undefined {
  const application = current === undefined ? {} : { a: current };
  return run(`SET a = ${expression}`, { application }).application.a;
}

function failure(action: string, properties: RuleSubjectProperties = {}): string {
  try {
    run(action, properties);
  } catch (error) {
    if (error instanceof RuleEvaluationError) return `${error.exceptionName}: ${error.message}`;
    if (error instanceof RuleSyntaxError) return error.message;
    throw error;
  }
  return "no error";
}

describe("statements", () => {
  it("are separated by semicolons, commas, white space or nothing", () => {
    const expected = { application: { a: 1n, b: 2n }, system: {} };
    for (const action of [
      "SET a=1;SET b=2;",
      "set a = 1 set b = 2",
      "SET a = 1, SET b = 2",
      "SET a='1'SET b=2",
    ]) {
      expect(run(action, { application: { a: 0n } }), action).toEqual(expected);
    }
  });

  it("run in order, each on the result of the earlier ones", () => {
    expect(
      run("SET a = 1; SET b = a + 1; SET A = b * 10; REMOVE b", { application: {} }).application,
    ).toEqual({
      a: 20n,
      b: undefined,
    });
  });

  it("do not change the original message", () => {
    const application = new Map<string, RuleValue>([["a", 1n]]);
    run("SET a = 2; REMOVE a", { application });
    expect([...application]).toEqual([["a", 1n]]);
  });

  it("are at most 32", () => {
    expect(failure("SET a=1;".repeat(32))).toBe("no error");
    expect(failure("SET a=1;".repeat(33))).toContain("expected at most 32 statements at position 256");
  });

  it.each([
    ["", "expected SET or REMOVE at position 0, found the end"],
    ["SET a = 1;;", 'expected SET or REMOVE at position 10, found ";"'],
    ["SET a = 1,", "expected SET or REMOVE at position 10, found the end"],
    ["UPDATE a = 1", 'expected SET or REMOVE at position 0, found "UPDATE"'],
    ["SET 1 = 1", 'expected a property at position 4, found "1"'],
    ["SET a 1", 'expected = at position 6, found "1"'],
    ["SET a = ", "expected a property, a constant, a function or ( at position 8, found the end"],
    ["SET a = (b = 1)", 'expected ) at position 11, found "="'],
    ["SET a = b = 1", 'expected SET or REMOVE at position 10, found "="'],
    ["SET a = NOT b", 'expected a property, a constant, a function or ( at position 8, found "NOT"'],
    ["SET remove = 1", 'expected a property at position 4, found "REMOVE"'],
    ["REMOVE", "expected a property at position 6, found the end"],
    ["SET sys.SequenceNumber = 1", "expected a system property that can be set at position 4"],
    ["REMOVE sys.EnqueuedTimeUtc", "expected a system property that can be set at position 7"],
  ])("%s → %s", (action, message) => {
    expect(failure(action)).toContain(`rule action: ${message}`);
  });
});

describe("SET", () => {
  it("creates a property", () => {
    expect(run("SET user.[new one] = 'x'").application).toEqual({ "new one": "x" });
  });

  it("overwrites a property with the letter case that it has in the message", () => {
    expect(run("SET COLOR = 'blue'", { application: { Color: "red" } }).application).toEqual({
      Color: "blue",
    });
  });

  it("accepts constants of every type", () => {
    expect([set("1"), set("1.5"), set("'x'"), set("TRUE"), set("NULL")]).toEqual([1n, 1.5, "x", true, null]);
  });

  it("accepts expressions of properties and parameters", () => {
    const properties = { application: { quantity: 10n }, system: { Label: "order" } };
    expect(
      run("SET quantity = quantity / 2; SET tag = sys.Label + @suffix", properties, { suffix: "-x" }),
    ).toEqual({
      application: { quantity: 5n, tag: "order-x" },
      system: {},
    });
  });

  it("creates a new GUID with newid()", () => {
    expect(set("newid()")).toMatchObject({ type: "guid" });
  });

  it("does not change the property if the value is unknown", () => {
    expect(
      run("SET a = missing; SET b = missing + 1; SET sys.Label = missing", { application: { a: 1n } }),
    ).toEqual({
      application: {},
      system: {},
    });
  });

  it.each<[string, string, RuleValue, RuleValue]>([
    ["text to an integer", "'42'", 0n, 42n],
    ["a double to an integer, rounding half to even", "2.5", 0n, 2n],
    ["a double to an integer, rounding up", "3.5", 0n, 4n],
    ["a negative double to an integer", "-2.6", 0n, -3n],
    ["a boolean to an integer", "TRUE", 0n, 1n],
    ["an integer to a double", "2", 0.5, 2],
    ["text to a double", "'2.5e1'", 0.5, 25],
    ["a boolean to a double", "FALSE", 0.5, 0],
    ["an integer to text", "42", "", "42"],
    ["a double to text", "1e20", "", "1E+20"],
    ["a boolean to text", "FALSE", "", "False"],
    ["text to a boolean", "'True'", false, true],
    ["an integer to a boolean", "2", false, true],
    ["a double to a boolean", "0.0", true, false],
    ["text to a date", "'2024-05-01T12:00:00Z'", new Date(0), new Date("2024-05-01T12:00:00Z")],
    ["text to a time span", "'1.02:03:04.5'", ruleTimeSpan(0n), ruleTimeSpan(937_845_000_000n)],
    [
      "text to a GUID",
      `'${guid.toUpperCase()}'`,
      ruleGuid("0".repeat(8).concat("-0000-0000-0000-000000000000")),
      ruleGuid(guid),
    ],
  ])("converts %s when the property exists with that type", (_, expression, current, expected) => {
    expect(set(expression, current)).toEqual(expected);
  });

  it.each<[string, string, RuleValue, RuleValue]>([
    ["text that is not a number", "'x'", 0n, "x"],
    ["a double beyond 64 bits", "1e30", 0n, 1e30],
    ["text that is not a boolean", "'yes'", true, "yes"],
    ["text that is not a date", "'soon'", new Date(0), "soon"],
    ["text that is not a time span", "'25:00:00'", ruleTimeSpan(0n), "25:00:00"],
    ["a number for bytes", "1", Uint8Array.of(1), 1n],
  ])("replaces the property with %s, which has no conversion", (_, expression, current, expected) => {
    expect(set(expression, current)).toEqual(expected);
  });

  it("rejects text of any length that is not a number quickly", () => {
    const digits = "1".repeat(200_000);
    expect(failure("SET a = b", { application: { a: 0.5, b: `${digits}x` } })).toMatch(/200010 bytes/);
  });

  it("fails for text and properties that are too long", () => {
    const application = { a: "x".repeat(8) };
    expect(run("SET a = a + a ".repeat(12), { application }).application.a).toHaveLength(2 ** 15);
    expect(failure("SET a = a + a ".repeat(32), { application })).toMatch(/^OverflowException: the text/);
    const copies = `${"SET a = a + a ".repeat(12)}SET b = a SET c = a`;
    expect(failure(copies, { application })).toMatch(/^RuleActionException: .* have 98331 bytes/);
  });

  it("writes dates, time spans and GUIDs like .NET's invariant culture", () => {
    const application = {
      text: "",
      at: new Date("2024-05-01T12:00:00Z"),
      span: ruleTimeSpan(-937_845_000_000n),
      id: ruleGuid(guid),
    };
    const result = (name: string) => run(`SET text = ${name}`, { application }).application.text;
    expect([result("at"), result("span"), result("id")]).toEqual([
      "05/01/2024 12:00:00",
      "-1.02:03:04.5000000",
      guid,
    ]);
  });
});

describe("SET of a system property", () => {
  it.each<[string, string, RuleValue]>([
    ["ContentType", "'text/plain'", "text/plain"],
    ["CorrelationId", "'c'", "c"],
    ["Label", "'l'", "l"],
    ["MessageId", "newid() + ''", expect.any(String)],
    ["PartitionKey", "'p'", "p"],
    ["ReplyTo", "'r'", "r"],
    ["ReplyToSessionId", "'r'", "r"],
    ["SessionId", "7", "7"],
    ["To", "'t'", "t"],
    ["ViaPartitionKey", "'v'", "v"],
    ["ForcePersistence", "TRUE", true],
    ["ScheduledEnqueueTimeUtc", "'2024-05-01T12:00:00Z'", new Date("2024-05-01T12:00:00Z")],
    ["TimeToLive", "'00:01:00'", ruleTimeSpan(600_000_000n)],
  ])("%s converts to its type", (name, expression, expected) => {
    expect(run(`SET sys.${name} = ${expression}`).system).toEqual({ [name]: expected });
  });

  it("accepts the names of newer SDKs and any letter case", () => {
    expect(run("SET sys.subject = 'x'").system).toEqual({ Label: "x" });
  });

  it("fails for a value that has no conversion", () => {
    expect(failure("SET sys.TimeToLive = 'soon'")).toBe(
      "RuleActionException: sys.TimeToLive cannot be set to a value of type string",
    );
  });

  it("fails for an identifier over 128 characters", () => {
    expect(failure(`SET sys.SessionId = '${"x".repeat(129)}'`)).toBe(
      "RuleActionException: sys.SessionId holds at most 128 characters",
    );
  });

  it("fails for one that does not exist, read or written", () => {
    const message = 'RuleActionException: there is no system property "Colour"';
    expect([
      failure("SET sys.Colour = 1"),
      failure("SET a = sys.Colour"),
      failure("REMOVE sys.Colour"),
    ]).toEqual([message, message, message]);
  });
});

describe("REMOVE", () => {
  it("removes a property in any letter case", () => {
    expect(run("REMOVE user.COLOR", { application: { Color: "red" } }).application).toEqual({
      Color: undefined,
    });
  });

  it("ignores an absent property", () => {
    expect(run("REMOVE color")).toEqual({ application: {}, system: {} });
  });

  it("clears a system property", () => {
    expect(run("REMOVE sys.CorrelationId", { system: { CorrelationId: "c" } }).system).toEqual({
      CorrelationId: null,
    });
  });
});

it("fails on an integer division by zero without changes", () => {
  expect(failure("SET b = 1; SET a = a / 0", { application: { a: 1n } })).toBe(
    "DivideByZeroException: integer division by zero",
  );
});
