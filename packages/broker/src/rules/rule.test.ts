import { describe, expect, it } from "vitest";
import { RuleSyntaxError } from "./evaluation/rule-error.js";
import { ruleSubject } from "./evaluation/rule-subject.js";
import { compileRule, type RuleDefinition } from "./rule.js";
import { evaluateRules } from "./rule-copies.js";

const sql = (expression: string) => ({ type: "sql", expression }) as const;

/** The copies that a subscription with these rules creates of a message with `quantity` 10. */
function evaluate(...definitions: readonly RuleDefinition[]) {
  const subject = ruleSubject({ application: { quantity: 10n }, system: { Label: "red" } });
  const { copies, failures } = evaluateRules(definitions.map(compileRule), subject);
  return {
    copies: copies.map(({ application }) => Object.fromEntries(application)),
    failures: failures.map(({ ruleName, error }) => `${ruleName}: ${error.exceptionName}`),
  };
}

describe("compileRule", () => {
  it("accepts true, false, SQL and correlation filters", () => {
    const filters = [
      { type: "true" },
      { type: "false" },
      { type: "sql", expression: "sys.Label = @label", parameters: { label: "red" } },
      { type: "correlation", subject: "red" },
    ] as const;
    const subject = ruleSubject({ system: { Label: "red" } });
    expect(filters.map((filter) => compileRule({ name: "r", filter }).matches(subject))).toEqual([
      true,
      false,
      true,
      true,
    ]);
  });

  it("refuses bad text when the rule is created", () => {
    expect(() => compileRule({ name: "r", filter: sql("a =") })).toThrow(RuleSyntaxError);
    expect(() => compileRule({ name: "r", filter: { type: "true" }, action: { expression: "SET" } })).toThrow(
      "rule action: expected a property at position 3, found the end",
    );
  });
});

describe("evaluateRules", () => {
  it("creates one copy for all matching rules without an action", () => {
    expect(
      evaluate({ name: "a", filter: sql("quantity = 10") }, { name: "b", filter: { type: "true" } }).copies,
    ).toEqual([{}]);
  });

  it("creates a copy for each matching rule with an action, with the rule's name in RuleName", () => {
    const rules = ["a", "b"].map((name) => ({
      name,
      filter: sql("quantity > 1"),
      action: { expression: "SET x = 1" },
    }));
    expect(evaluate(...rules).copies).toEqual([
      { x: 1n, RuleName: "a" },
      { x: 1n, RuleName: "b" },
    ]);
  });

  it("creates three copies for five matching rules, two of which have an action", () => {
    const plain = ["a", "b", "c"].map((name) => ({ name, filter: sql("1 = 1") }));
    const acting = ["d", "e"].map((name) => ({
      name,
      filter: sql("1 = 1"),
      action: { expression: "REMOVE quantity" },
    }));
    expect(evaluate(...plain, ...acting).copies).toEqual([
      {},
      { quantity: undefined, RuleName: "d" },
      { quantity: undefined, RuleName: "e" },
    ]);
  });

  it("creates no copy if no rule matches or there are no rules", () => {
    expect(evaluate({ name: "a", filter: { type: "false" } })).toEqual({ copies: [], failures: [] });
    expect(evaluate()).toEqual({ copies: [], failures: [] });
  });

  it("reports rules that fail in filter or action and continues with the others", () => {
    const result = evaluate(
      { name: "a", filter: sql("sys.Colour = 'red'") },
      { name: "b", filter: { type: "true" }, action: { expression: "SET quantity = quantity / 0" } },
      { name: "c", filter: { type: "correlation", subject: "red" } },
    );
    expect(result).toEqual({ copies: [{}], failures: ["a: FilterException", "b: DivideByZeroException"] });
  });
});
