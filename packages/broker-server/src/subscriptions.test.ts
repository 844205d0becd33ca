import type { ServiceBusRuleManager, SqlRuleFilter } from "@azure/service-bus";
import { AmqpMap, type AmqpValue, stringMap, ulong } from "@waybill/amqp";
import { describe, expect, it } from "vitest";
import { codeOf, openFixture } from "./fixture.test-support.js";
import { numberIn } from "./raw-client.test-support.js";
import { openRaw } from "./raw-fixture.test-support.js";

async function openTopic() {
  const fixture = await openFixture();
  await fixture.broker.createTopic("news");
  await fixture.broker.createSubscription("news", "all");
  await fixture.broker.createSubscription("news", "red");
  return {
    ...fixture,
    topic: fixture.client.createSender("news"),
    rules: fixture.client.createRuleManager("news", "red"),
    bodies: async (subscription: string): Promise<unknown[]> => {
      const receiver = fixture.client.createReceiver("news", subscription, {
        receiveMode: "receiveAndDelete",
      });
      const messages = await receiver.receiveMessages(10, { maxWaitTimeInMs: 50 });
      await receiver.close();
      return messages.map(({ body }) => body);
    },
  };
}

async function names(rules: ServiceBusRuleManager): Promise<string[]> {
  const found: string[] = [];
  for await (const { name } of rules.listRules()) found.push(name);
  return found;
}

describe("the rule manager", () => {
  it("adds, lists and removes rules of every kind", async () => {
    await using fixture = await openTopic();
    await fixture.rules.createRule(
      "sql",
      { sqlExpression: "colour = 'red'" },
      { sqlExpression: "SET seen = 1" },
    );
    await fixture.rules.createRule("correlation", { subject: "s", applicationProperties: { n: 1 } });
    const rules = [];
    for await (const rule of fixture.rules.listRules()) rules.push(rule);
    expect(rules.map(({ name }) => name)).toEqual(["$Default", "correlation", "sql"]);
    expect((rules[0]!.filter as SqlRuleFilter).sqlExpression).toBe("1=1");
    expect(rules[1]!.filter).toMatchObject({ subject: "s", applicationProperties: { n: 1 } });
    expect(rules[2]).toMatchObject({
      filter: { sqlExpression: "colour = 'red'" },
      action: { sqlExpression: "SET seen = 1" },
    });
    await fixture.rules.deleteRule("sql");
    expect(await names(fixture.rules)).toEqual(["$Default", "correlation"]);
  });

  it("selects messages by a filter and changes them by an action", async () => {
    await using fixture = await openTopic();
    await fixture.rules.deleteRule("$Default");
    await fixture.rules.createRule(
      "red",
      { sqlExpression: "colour = 'red'" },
      { sqlExpression: "SET sys.Label = 'seen'; SET n = 2" },
    );
    await fixture.topic.sendMessages([
      { body: 1, applicationProperties: { colour: "red", n: 1 } },
      { body: 2, applicationProperties: { colour: "blue" } },
    ]);
    expect(await fixture.bodies("all")).toEqual([1, 2]);
    const receiver = fixture.client.createReceiver("news", "red");
    const messages = await receiver.receiveMessages(10, { maxWaitTimeInMs: 50 });
    expect(messages).toHaveLength(1);
    expect(messages[0]).toMatchObject({
      body: 1,
      subject: "seen",
      applicationProperties: { colour: "red", n: 2, RuleName: "red" },
    });
  });

  it("refuses a duplicate rule, a rule that does not exist and a syntax error", async () => {
    await using fixture = await openTopic();
    expect(await codeOf(fixture.rules.createRule("$Default", { subject: "s" }))).toBe(
      "MessagingEntityAlreadyExists",
    );
    expect(await codeOf(fixture.rules.deleteRule("none"))).toBe("MessagingEntityNotFound");
    expect(await codeOf(fixture.rules.createRule("bad", { sqlExpression: "colour ==== 1" }))).toBe(
      "GeneralError",
    );
  });
});

describe("a correlation filter over AMQP", () => {
  const add = async (filter: Record<string, AmqpValue>) => {
    await using fixture = await openRaw();
    await fixture.broker.createTopic("news");
    await fixture.broker.createSubscription("news", "all");
    await using client = await fixture.connect();
    const management = await client.management("news/Subscriptions/all");
    const description = stringMap({ "correlation-filter": stringMap(filter) });
    const body = stringMap({ "rule-name": "r", "rule-description": description });
    const answer = await management.call("com.microsoft:add-rule", body);
    const rules = fixture.broker.listRules("news", "all").map(({ name }) => name);
    return { status: numberIn(answer, "statusCode"), rules };
  };

  it("may have null conditions", async () => {
    const { status, rules } = await add({ label: "s", "message-id": null, properties: null });
    expect([status, rules]).toEqual([200, ["$Default", "r"]]);
  });

  it.each([
    ["an unknown condition", { label: "s", subject: "s" }],
    ["a condition that is not a string", { label: "s", "message-id": ulong(5n) }],
    ["a property whose name is not a string", { label: "s", properties: new AmqpMap([[ulong(1n), "x"]]) }],
  ])("is refused with %s, instead of ignoring it", async (_, filter) => {
    expect(await add(filter)).toEqual({ status: 400, rules: ["$Default"] });
  });
});

describe("a topic", () => {
  it("schedules messages for its subscriptions", async () => {
    await using fixture = await openTopic();
    const [number] = await fixture.topic.scheduleMessages({ body: 1 }, new Date(Date.now() + 60_000));
    await fixture.topic.cancelScheduledMessages(number!);
    await fixture.topic.scheduleMessages({ body: 2 }, new Date(Date.now() - 1));
    expect(await fixture.bodies("all")).toEqual([2]);
  });

  it("returns its scheduled messages when it is peeked, and delivers none", async () => {
    await using fixture = await openTopic();
    const due = new Date(Date.now() + 60_000);
    const numbers = await fixture.topic.scheduleMessages([{ body: "a" }, { body: "b" }], due);
    const receiver = fixture.client.createReceiver("news");
    const peeked = await receiver.peekMessages(10);
    expect(peeked.map(({ body, state }) => [body, state])).toEqual([
      ["a", "scheduled"],
      ["b", "scheduled"],
    ]);
    expect(peeked.map(({ sequenceNumber }) => String(sequenceNumber))).toEqual(numbers.map(String));
    expect(await fixture.client.createReceiver("news", "all").peekMessages(10)).toEqual([]);
    expect(await codeOf(receiver.receiveMessages(1))).toBe("GeneralError");
  });

  it("accepts its subscriptions' names in any letter case", async () => {
    await using fixture = await openTopic();
    await fixture.client.createSender("NEWS").sendMessages({ body: 1 });
    expect(await fixture.bodies("ALL")).toEqual([1]);
  });
});
