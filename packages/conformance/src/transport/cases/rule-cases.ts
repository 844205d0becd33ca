import assert from "node:assert/strict";
import type { EncodedMessage } from "@waybill/core";
import type { SubscriptionRule } from "@waybill/core/client";
import type { TransportRuleManager } from "@waybill/core/transport";
import { required } from "@waybill/foundation";
import type { Case } from "../../case.js";
import { rejectsWith } from "../../outcome.js";
import { assertSameValue } from "../../same-value.js";
import { message, type TransportHarness, texts, transportCase } from "../harness/transport-harness.js";
import type { TransportSubject } from "../harness/transport-subject.js";

const defaultRuleName = "$Default";

const orders: readonly EncodedMessage[] = [
  message("small lamp", { subject: "lamp", applicationProperties: { amount: 20, isPaid: true } }),
  message("big lamp", { subject: "lamp", applicationProperties: { amount: 200, isPaid: false } }),
  message("big bulb", { subject: "bulb", applicationProperties: { amount: 300, isPaid: true } }),
];

/** A subscription's rules select its messages and may change them. */
export function ruleCases(subject: TransportSubject): Case[] {
  const testCase = transportCase(subject, "rules", "rules");
  const selects = (name: string, filter: SubscriptionRule["filter"], expected: readonly string[]) =>
    testCase(`${name} selects`, async (harness) => {
      const { topic, rules } = await withRules(harness);
      await rules.createRule({ name: "only", filter });
      await rules.deleteRule(defaultRuleName);
      await harness.send(topic, ...orders);
      const receiver = harness.receiver({ topic, subscription: "billing" });
      assert.deepEqual(texts(await harness.receive(receiver, expected.length)), expected);
      await harness.receiveNothing(receiver);
    });
  return [
    testCase("a new subscription has the default rule, which matches every message", async (harness) => {
      const { rules } = await withRules(harness);
      assert.deepEqual(
        (await rules.listRules()).map(({ name }) => name),
        [defaultRuleName],
      );
    }),
    selects("a SQL filter", { sqlExpression: "amount > 100 AND sys.Label = 'lamp'" }, ["big lamp"]),
    selects("a correlation filter", { subject: "lamp" }, ["small lamp", "big lamp"]),
    selects(
      "a correlation filter of application properties",
      { subject: "lamp", applicationProperties: { isPaid: true } },
      ["small lamp"],
    ),
    testCase("a message that matches several rules is delivered once", async (harness) => {
      const { topic, rules } = await withRules(harness);
      await rules.createRule({ name: "big", filter: { sqlExpression: "amount > 100" } });
      await rules.createRule({ name: "lamps", filter: { subject: "lamp" } });
      await rules.deleteRule(defaultRuleName);
      await harness.send(topic, ...orders);
      const receiver = harness.receiver({ topic, subscription: "billing" });
      assert.deepEqual(texts(await harness.receive(receiver, 3)), ["small lamp", "big lamp", "big bulb"]);
      await harness.receiveNothing(receiver);
    }),
    testCase("an action changes the subscription's copy", async (harness) => {
      const { topic, rules } = await withRules(harness);
      await rules.createRule({
        name: "urgent",
        filter: { sqlExpression: "amount > 250" },
        action: "SET priority = 'high'; SET sys.Label = 'urgent'",
      });
      await rules.deleteRule(defaultRuleName);
      await harness.send(topic, ...orders);
      const copy = await harness.receiveOne(harness.receiver({ topic, subscription: "billing" }));
      assert.deepEqual([...texts([copy]), copy.subject], ["big bulb", "urgent"]);
      assertSameValue(copy.applicationProperties.priority, "high", "the property that the action set");
      assertSameValue(copy.applicationProperties.amount, 300, "the property that it did not change");
    }),
    testCase("a subscription without rules gets no messages", async (harness) => {
      const { topic, rules } = await withRules(harness);
      await rules.deleteRule(defaultRuleName);
      assert.deepEqual(await rules.listRules(), []);
      await harness.send(topic, ...orders);
      await harness.receiveNothing(harness.receiver({ topic, subscription: "billing" }));
    }),
    testCase("rules are listed as they were created", async (harness) => {
      const { rules } = await withRules(harness);
      await rules.deleteRule(defaultRuleName);
      const created: SubscriptionRule[] = [
        { name: "big", filter: { sqlExpression: "amount > 100" }, action: "SET priority = 'high'" },
        { name: "lamps", filter: { subject: "lamp", applicationProperties: { isPaid: true, count: 2 } } },
      ];
      for (const rule of created) await rules.createRule(rule);
      const listed = [...(await rules.listRules())].sort((a, b) => a.name.localeCompare(b.name));
      for (const [index, rule] of created.entries()) {
        assert.equal(listed[index]?.name, rule.name);
        assert.equal(listed[index]?.action, rule.action);
        assertSameValue(
          withoutAbsent(required(listed[index]).filter),
          rule.filter,
          `the filter of ${rule.name}`,
        );
      }
    }),
    testCase("a new rule does not affect messages that are already in the subscription", async (harness) => {
      const { topic, rules } = await withRules(harness);
      await harness.send(topic, "lamp");
      await rules.deleteRule(defaultRuleName);
      await harness.receiveOne(harness.receiver({ topic, subscription: "billing" }));
    }),
    testCase("rules of one subscription do not affect another", async (harness) => {
      const { topic, rules } = await withRules(harness);
      await rules.deleteRule(defaultRuleName);
      await harness.send(topic, "lamp");
      await harness.receiveOne(harness.receiver({ topic, subscription: "shipping" }));
    }),
    testCase("creating a rule whose name exists rejects with entity-already-exists", async (harness) => {
      const { rules } = await withRules(harness);
      const rule = { name: defaultRuleName, filter: { sqlExpression: "1 = 1" } };
      await rejectsWith("entity-already-exists", () => rules.createRule(rule));
    }),
    testCase("deleting a rule that does not exist rejects with entity-not-found", async (harness) => {
      const { rules } = await withRules(harness);
      await rejectsWith("entity-not-found", () => rules.deleteRule("no-such-rule"));
    }),
    testCase("a correlation filter with an unknown field rejects with operation-invalid", async (harness) => {
      const { rules } = await withRules(harness);
      const filter = { subject: "lamp", applicationProperty: { isPaid: true } };
      await rejectsWith("operation-invalid", () => rules.createRule({ name: "misspelt", filter }));
      assert.equal((await rules.listRules()).length, 1);
    }),
    testCase("a filter that cannot be parsed rejects with operation-invalid", async (harness) => {
      const { rules } = await withRules(harness);
      await rejectsWith("operation-invalid", () =>
        rules.createRule({ name: "broken", filter: { sqlExpression: "amount > > 100" } }),
      );
      assert.equal((await rules.listRules()).length, 1);
    }),
  ];
}

async function withRules(harness: TransportHarness): Promise<{ topic: string; rules: TransportRuleManager }> {
  const topic = await harness.createTopic(["billing", "shipping"]);
  return { topic, rules: harness.transport.createRuleManager(topic, "billing") };
}

/** The filter without the members that are undefined. */
function withoutAbsent(filter: SubscriptionRule["filter"]): object {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
}
