import { describe, expect, it } from "vitest";
import { createFixture } from "../../test/fixture.js";

describe("a rule manager", () => {
  it("adds rules with the arguments of the official SDK, lists and removes them", async () => {
    await using fixture = await createFixture();
    await using rules = fixture.client.createRuleManager("news", "all");
    await rules.createRule(
      "large",
      { sqlExpression: "amount > 100" },
      { sqlExpression: "SET size = 'large'" },
    );
    await rules.createRule("blue", { subject: "blue" }, { abortSignal: new AbortController().signal });
    await rules.deleteRule("$Default");
    expect(await rules.listRules()).toEqual([
      { name: "blue", filter: { subject: "blue" } },
      { name: "large", filter: { sqlExpression: "amount > 100" }, action: "SET size = 'large'" },
    ]);
  });

  it("changes which messages a subscription gets", async () => {
    await using fixture = await createFixture();
    const rules = fixture.client.createRuleManager("news", "all");
    await rules.createRule("blue", { subject: "blue" });
    await rules.deleteRule("$Default");
    await fixture.client.createSender("news").sendMessages([
      { subject: "red", body: 1 },
      { subject: "blue", body: 2 },
    ]);
    const received = await fixture.client
      .createReceiver("news", "all")
      .receiveMessages(2, { maxWaitTimeInMs: 0 });
    expect(received.map(({ body }) => body)).toEqual([2]);
  });

  it("stops a call whose signal has aborted, with an action and without", async () => {
    await using fixture = await createFixture();
    const rules = fixture.client.createRuleManager("news", "all");
    const options = { abortSignal: AbortSignal.abort() };
    const filter = { sqlExpression: "1 = 1" };
    await expect(rules.createRule("a", filter, options)).rejects.toMatchObject({ code: "aborted" });
    await expect(rules.createRule("a", filter, undefined, options)).rejects.toMatchObject({
      code: "aborted",
    });
    await expect(rules.createRule("a", filter, filter, options)).rejects.toMatchObject({ code: "aborted" });
    expect(await rules.listRules()).toMatchObject([{ name: "$Default" }]);
  });

  it("rejects with closed after it was closed, itself or with its client", async () => {
    await using fixture = await createFixture();
    const first = fixture.client.createRuleManager("news", "all");
    const second = fixture.client.createRuleManager("news", "all");
    await first.close();
    expect([first.isClosed, second.isClosed]).toEqual([true, false]);
    await fixture.client.close();
    for (const rules of [first, second]) {
      await expect(rules.listRules()).rejects.toMatchObject({ code: "closed" });
    }
    expect(() => fixture.client.createRuleManager("news", "all")).toThrow("[closed]");
  });

  it("needs names", async () => {
    await using fixture = await createFixture();
    expect(() => fixture.client.createRuleManager(undefined as never, "all")).toThrow(TypeError);
    expect(() => fixture.client.createRuleManager("news", undefined as never)).toThrow(TypeError);
  });
});

describe("a client", () => {
  it("has the namespace of its transport", async () => {
    await using fixture = await createFixture();
    expect(fixture.client.fullyQualifiedNamespace).toBe("localhost");
    expect(fixture.client.identifier).toBeUndefined();
  });
});
