import { describe, expect, it } from "vitest";
import { createBroker } from "../client/broker.js";
import { codeOf } from "../fixture.test-support.js";
import type { RuleDefinition } from "../rules/rule.js";
import { RuleSet } from "./rule-set.js";

const like = (name: string): RuleDefinition => ({
  name,
  filter: { type: "sql", expression: "a LIKE '%x%'" },
});
const correlated = (name: string): RuleDefinition => ({
  name,
  filter: { type: "correlation", subject: name },
});

async function openTopic() {
  const broker = createBroker();
  await broker.createTopic("t");
  for (const name of ["a", "b"]) await broker.createSubscription("t", name);
  return broker;
}

describe("the filters of a topic", () => {
  it("are at most 2,000 SQL filters in all its subscriptions, including default rules", async () => {
    await using broker = await openTopic();
    for (let i = 0; i < 999; i++) {
      await broker.createRule("t", "a", like(`r${i}`));
      await broker.createRule("t", "b", like(`r${i}`));
    }
    expect(await codeOf(broker.createRule("t", "a", like("more")))).toBe("quota-exceeded");
    expect(await codeOf(broker.createRule("t", "a", { name: "all", filter: { type: "true" } }))).toBe(
      "quota-exceeded",
    );
    expect(await codeOf(broker.createSubscription("t", "c"))).toBe("quota-exceeded");
    await broker.createRule("t", "a", correlated("other"));
    expect(await codeOf(broker.updateRule("t", "a", like("other")))).toBe("quota-exceeded");
    await broker.updateRule("t", "a", { ...like("r0"), action: { expression: "SET a = 1" } });
    await broker.deleteRule("t", "b", "r0");
    await broker.createRule("t", "a", like("more"));
    await broker.deleteEntity("t/Subscriptions/b");
    await broker.createSubscription("t", "c");
    await broker.createTopic("elsewhere");
    await broker.createSubscription("elsewhere", "s");
    await broker.createRule("elsewhere", "s", like("first"));
  });

  it("are at most 100,000 correlation filters", () => {
    const counts = { sql: 0, correlation: 99_999 };
    const rules = new RuleSet({ path: "t", countFilters: (kind) => counts[kind], onRulesChanged: () => {} });
    rules.add(correlated("last"), 0);
    counts.correlation++;
    expect(() => rules.add(correlated("more"), 0)).toThrow("100000 correlation filters");
    rules.add(like("another"), 0);
  });

  it("have at most 64 KB of conditions each", async () => {
    await using broker = await openTopic();
    const filter = { type: "correlation", properties: { a: "x".repeat(70_000) } } as const;
    expect(await codeOf(broker.createRule("t", "a", { name: "r", filter }))).toBe("argument-error");
  });
});
