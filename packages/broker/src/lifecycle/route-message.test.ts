import { describe, expect, it } from "vitest";
import { codeOf, message, openFixture, textOf, textsOf } from "../fixture.test-support.js";
import type { RuleDefinition } from "../rules/rule.js";

const sql = (name: string, expression: string, action?: string): RuleDefinition => ({
  name,
  filter: { type: "sql", expression },
  ...(action === undefined ? {} : { action: { expression: action } }),
});

async function openNews(...rules: RuleDefinition[]) {
  const fixture = openFixture();
  await fixture.broker.createTopic("news");
  const [first, ...others] = rules;
  await fixture.broker.createSubscription("news", "sub", {}, first);
  for (const rule of others) await fixture.broker.createRule("news", "sub", rule);
  return {
    ...fixture,
    sender: fixture.broker.sender("news"),
    receiver: fixture.broker.receiver("news/Subscriptions/sub", { mode: "receiveAndDelete" }),
  };
}

describe("rules", () => {
  it("pass every message to a subscription with the default rule", async () => {
    await using fixture = await openNews();
    await fixture.sender.send(message("a"));
    expect(textsOf(await fixture.receiver.receive(10))).toEqual(["a"]);
    expect(fixture.broker.listRules("news", "sub").map(({ name }) => name)).toEqual(["$Default"]);
  });

  it("create one copy for all matching rules without an action", async () => {
    await using fixture = await openNews(sql("one", "n > 1"), sql("two", "n > 2"));
    for (const n of [1, 2, 3]) await fixture.sender.send(message(`${n}`, { applicationProperties: { n } }));
    expect(textsOf(await fixture.receiver.receive(10))).toEqual(["2", "3"]);
  });

  it("create a separate copy with RuleName for each matching rule with an action", async () => {
    await using fixture = await openNews(
      sql("plain", "n = 1"),
      sql("first", "n = 1", "SET colour = 'red'; SET sys.Label = 'changed'"),
      sql("second", "n = 1", "REMOVE n"),
    );
    await fixture.sender.send(message("a", { subject: "sent", applicationProperties: { n: 1 } }));
    const received = await fixture.receiver.receive(10);
    expect(received.map((one) => one.applicationProperties)).toEqual([
      { n: 1 },
      { n: 1, colour: "red", RuleName: "first" },
      { RuleName: "second" },
    ]);
    expect(received.map((one) => one.subject)).toEqual(["sent", "changed", "sent"]);
    expect(received.map((one) => one.sequenceNumber)).toEqual([1n, 2n, 3n]);
    expect(received.map(textOf)).toEqual(["a", "a", "a"]);
    expect(received.map((one) => one.hasChangedBrokerProperties)).toEqual([false, true, false]);
  });

  it("treat values of unsupported types as incomparable", async () => {
    await using fixture = await openNews(
      sql("date", "sys.EnqueuedTimeUtc - odd <> 0"),
      sql("sum", "odd + 'x' = 'x'"),
      sql("sign", "-odd = 1"),
      sql("expiry", "sys.ExpiresAtUtc - sys.EnqueuedTimeUtc <> 0"),
      sql("here", "EXISTS(odd)"),
    );
    const due = new Date(fixture.clock.now() + 1000);
    for (const odd of [new Date(Number.NaN), { type: "timespan" }, { type: "guid", value: 1 }]) {
      const properties = { applicationProperties: { odd }, timeToLiveMs: 1e300 };
      await fixture.sender.send(message("at once", properties));
      await fixture.sender.send(message("later", { ...properties, scheduledEnqueueTime: due }));
    }
    fixture.clock.advance(1000);
    expect(textsOf(await fixture.receiver.receive(10)).sort()).toEqual([
      ...["at once", "at once", "at once"],
      ...["later", "later", "later"],
    ]);
  });

  it("match on correlation filters", async () => {
    await using fixture = await openNews({
      name: "orders",
      filter: { type: "correlation", subject: "order", properties: { region: "eu" } },
    });
    await fixture.sender.send(message("a", { subject: "order", applicationProperties: { region: "eu" } }));
    await fixture.sender.send(message("b", { subject: "order", applicationProperties: { region: "us" } }));
    await fixture.sender.send(message("c", { subject: "Order", applicationProperties: { region: "eu" } }));
    expect(textsOf(await fixture.receiver.receive(10))).toEqual(["a"]);
  });

  it("read system properties", async () => {
    await using fixture = await openNews(
      sql(
        "all",
        "sys.MessageId = 'm1' AND sys.Label = 's' AND sys.ContentType = 't' AND sys.SequenceNumber = 1 AND sys.Size > 0 " +
          "AND sys.CorrelationId = '7' AND sys.To = 'to' AND sys.ReplyTo = 'r' AND sys.ScheduledEnqueueTimeUtc IS NULL",
      ),
    );
    await fixture.sender.send(
      message("a", {
        messageId: "m1",
        subject: "s",
        contentType: "t",
        correlationId: 7,
        to: "to",
        replyTo: "r",
      }),
    );
    expect(textsOf(await fixture.receiver.receive(10, { maxWaitMs: 0 }))).toEqual(["a"]);
  });

  it("read the properties of a message in a front end's encoding", async () => {
    await using fixture = await openNews(sql("n", "n = 1"));
    await fixture.sender.send({ wire: Buffer.from("encoded"), applicationProperties: () => ({ n: 1 }) });
    fixture.broker.setWireDecoder(() => ({
      applicationProperties: { n: 1 },
      body: { section: "value", value: null },
    }));
    await fixture.sender.schedule([
      { wire: Buffer.from("later"), scheduledEnqueueTime: new Date(fixture.clock.now()) },
    ]);
    const received = await fixture.receiver.receive(10);
    expect(received.map((one) => Buffer.from(one.wire!).toString())).toEqual(["encoded", "later"]);
  });

  it("match application properties that are integers or doubles", async () => {
    await using fixture = await openNews(sql("n", "n = 5 AND d = 2.5 AND big > 9007199254740993"));
    await fixture.sender.send(message("a", { applicationProperties: { n: 5, d: 2.5, big: 2n ** 60n } }));
    expect(textsOf(await fixture.receiver.receive(10, { maxWaitMs: 0 }))).toEqual(["a"]);
  });

  it("dead-letter a message for which a filter fails, with the name of the exception as reason", async () => {
    await using fixture = await openNews(sql("bad", "sys.Unheard = 1"));
    await fixture.sender.send(message("a"));
    const [dead] = await fixture.broker.receiver("news/subscriptions/sub/$DeadLetterQueue").receive();
    expect(dead!.deadLetterReason).toBe("FilterException");
    expect(dead!.deadLetterErrorDescription).toContain("Rule 'bad' failed");
  });

  it("discard a message for which a filter fails, if the subscription is configured so", async () => {
    await using fixture = await openNews(sql("bad", "sys.Unheard = 1"));
    await fixture.broker.updateEntity("news/subscriptions/sub", {
      deadLetteringOnFilterEvaluationExceptions: false,
    });
    await fixture.sender.send(message("a"));
    expect(await fixture.broker.receiver("news/subscriptions/sub/$DeadLetterQueue").peek()).toEqual([]);
  });

  it("accept and discard a message that matches no subscription", async () => {
    await using fixture = await openNews(sql("none", "1=0"));
    const events: string[] = [];
    fixture.broker.onEvent((event) => events.push(event.type));
    await fixture.sender.send(message("a"));
    expect(events).toEqual(["published", "matched-no-subscription"]);
    expect(fixture.broker.getEntity("news").sizeInBytes).toBe(0);
  });
});

describe("createRule", () => {
  it("applies from the next message on, like deleteRule and updateRule", async () => {
    await using fixture = await openNews();
    await fixture.broker.deleteRule("news", "sub", "$default");
    await fixture.sender.send(message("a"));
    await fixture.broker.createRule("news", "sub", sql("r", "n = 1"));
    await fixture.sender.send(message("b", { applicationProperties: { n: 1 } }));
    await fixture.broker.updateRule("news", "sub", sql("R", "n = 2"));
    await fixture.sender.send(message("c", { applicationProperties: { n: 1 } }));
    expect(textsOf(await fixture.receiver.receive(10))).toEqual(["b"]);
  });

  it("refuses a syntax error, with the rule and the position", async () => {
    await using fixture = await openNews();
    expect(await codeOf(fixture.broker.createRule("news", "sub", sql("r", "n ==")))).toBe("argument-error");
    await expect(fixture.broker.createRule("news", "sub", sql("r", "n = "))).rejects.toThrow(
      /^Rule 'r' of 'news\/Subscriptions\/sub': rule filter: expected/,
    );
  });

  it.each([
    ["a rule that is not an object", null, "A rule of 'news/Subscriptions/sub': it has to be an object"],
    ["a name that is not a string", { name: 7, filter: { type: "true" } }, "name has to be a string"],
    ["no filter", { name: "r" }, "Rule 'r' of 'news/Subscriptions/sub': filter has to be an object"],
    ["a filter of another type", { name: "r", filter: { type: "regex" } }, "filter.type has to be"],
    [
      "a filter in another library's form",
      { name: "r", filter: { sqlExpression: "1=1" } },
      "filter.type has to be",
    ],
    [
      "a filter without its text",
      { name: "r", filter: { type: "sql" } },
      "filter.expression has to be a string",
    ],
    [
      "parameters that are not an object",
      { name: "r", filter: { type: "sql", expression: "1=1", parameters: "a" } },
      "filter.parameters has to be an object",
    ],
    [
      "properties that are not an object",
      { name: "r", filter: { type: "correlation", properties: ["a"] } },
      "filter.properties has to be an object",
    ],
    [
      "a correlation filter with a field of another name",
      { name: "r", filter: { type: "correlation", subject: "s", applicationProperties: { a: 1 } } },
      "Rule 'r' of 'news/Subscriptions/sub': filter.applicationProperties is unknown, expected filter.type",
    ],
    [
      "a correlation filter whose condition is not a string",
      { name: "r", filter: { type: "correlation", messageId: 7 } },
      "filter.messageId has to be a string",
    ],
    [
      "a SQL filter with a field of another name",
      { name: "r", filter: { type: "sql", expression: "1=1", params: {} } },
      "filter.params is unknown",
    ],
    [
      "a filter for everything with a condition",
      { name: "r", filter: { type: "true", subject: "s" } },
      "filter.subject is unknown",
    ],
    [
      "a rule whose action is misspelt",
      { name: "r", filter: { type: "true" }, actions: { expression: "SET a = 1" } },
      "actions is unknown, expected name, filter, action",
    ],
    [
      "an action with a field of another name",
      { name: "r", filter: { type: "true" }, action: { expression: "SET a = 1", parameter: {} } },
      "action.parameter is unknown",
    ],
    [
      "an action that is only its text",
      { name: "r", filter: { type: "true" }, action: "SET a = 1" },
      "action.expression has to be a string",
    ],
    [
      "a value that cannot be stored",
      { name: "r", filter: { type: "correlation", properties: { a: new SharedArrayBuffer(1) } } },
      "it holds a value that cannot be copied",
    ],
  ])("refuses %s, from code without types", async (_what, rule, text) => {
    await using fixture = await openNews();
    await expect(fixture.broker.createRule("news", "sub", rule as never)).rejects.toThrow(text);
    await expect(fixture.broker.updateRule("news", "sub", rule as never)).rejects.toThrow(text);
    expect(await codeOf(fixture.broker.createRule("news", "sub", rule as never))).toBe("argument-error");
    expect(fixture.broker.listRules("news", "sub").map(({ name }) => name)).toEqual(["$Default"]);
  });

  it("refuses a name of more than 50 characters or with a slash", async () => {
    await using fixture = await openNews();
    await fixture.broker.createRule("news", "sub", sql("r".repeat(50), "1=1"));
    for (const name of ["r".repeat(51), "a/b", ""]) {
      expect(await codeOf(fixture.broker.createRule("news", "sub", sql(name, "1=1")))).toBe("argument-error");
    }
  });

  it("is listed by name, independently of the order of creation and letter case", async () => {
    await using fixture = await openNews(sql("red", "1=1"), sql("Blue", "1=1"), sql("azure", "1=1"));
    const names = fixture.broker.listRules("news", "sub").map(({ name }) => name);
    expect(names.filter((name) => name !== "$Default")).toEqual(["azure", "Blue", "red"]);
  });

  it("refuses a name in use and does not find an unknown one", async () => {
    await using fixture = await openNews(sql("r", "1=1"));
    expect(await codeOf(fixture.broker.createRule("news", "sub", sql("R", "1=1")))).toBe(
      "entity-already-exists",
    );
    expect(await codeOf(fixture.broker.deleteRule("news", "sub", "x"))).toBe("rule-not-found");
    expect(await codeOf(fixture.broker.updateRule("news", "sub", sql("x", "1=1")))).toBe("rule-not-found");
    expect(await codeOf(fixture.broker.createRule("news", "x", sql("x", "1=1")))).toBe("entity-not-found");
  });
});

describe("topic", () => {
  it("limits the time to live to its default and to that of the subscription", async () => {
    await using fixture = openFixture();
    await fixture.broker.createTopic("news", { defaultMessageTimeToLiveMs: 5000 });
    await fixture.broker.createSubscription("news", "long");
    await fixture.broker.createSubscription("news", "short", { defaultMessageTimeToLiveMs: 2000 });
    await fixture.broker.sender("news").send(message("a"));
    const lives = ["long", "short"].map(
      async (name) => (await fixture.broker.receiver(`news/subscriptions/${name}`).peek())[0]!.timeToLiveMs,
    );
    expect(await Promise.all(lives)).toEqual([5000, 2000]);
  });

  it("dead-letters a message without session id in a subscription that requires sessions", async () => {
    await using fixture = openFixture();
    await fixture.broker.createTopic("news");
    await fixture.broker.createQueue("dead");
    await fixture.broker.createSubscription("news", "sub", { requiresSession: true });
    await fixture.broker.sender("news").send(message("a"));
    const [dead] = await fixture.broker.receiver("news/subscriptions/sub/$DeadLetterQueue").receive();
    expect(dead!.deadLetterReason).toBe("Session ID is null");
    await fixture.broker.updateEntity("news/subscriptions/sub", { forwardDeadLetteredMessagesTo: "dead" });
    await fixture.broker.sender("news").send(message("b"));
    expect(textsOf(await fixture.broker.receiver("dead").receive())).toEqual(["b"]);
  });
});
