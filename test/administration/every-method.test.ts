import { ServiceBusAdministrationClient } from "@azure/service-bus";
import { describe, expect, it } from "vitest";
import { type AdministrationFixture, openFixture } from "./fixture.js";

const where = ["events", "audit"] as const;

/** The public methods of the client, each with a check of its result. A queue `orders`, a topic `events` and its subscription `audit` exist. */
const methods: Readonly<Record<string, (fixture: AdministrationFixture) => Promise<void>>> = {
  async getNamespaceProperties({ client }) {
    expect(await client.getNamespaceProperties()).toMatchObject({ name: "local", messagingSku: "Standard" });
  },
  async createQueue({ client, broker }) {
    const created = await client.createQueue("made/by-the-client", {
      maxDeliveryCount: 3,
    });
    expect(created).toMatchObject({ name: "made/by-the-client", maxDeliveryCount: 3 });
    expect(broker.getEntity("made/by-the-client").options).toMatchObject({ maxDeliveryCount: 3 });
  },
  async getQueue({ client }) {
    expect(await client.getQueue("orders")).toMatchObject({ name: "orders", lockDuration: "PT1M" });
  },
  async getQueueRuntimeProperties({ client, broker }) {
    await broker.sender("orders").send({ body: { section: "data", bytes: Uint8Array.of(1) } });
    expect(await client.getQueueRuntimeProperties("orders")).toMatchObject({
      name: "orders",
      activeMessageCount: 1,
      totalMessageCount: 1,
      accessedAt: expect.any(Date),
    });
  },
  async listQueues({ client }) {
    expect(await namesIn(client.listQueues(), "name")).toEqual(["orders"]);
  },
  async listQueuesRuntimeProperties({ client }) {
    expect(await namesIn(client.listQueuesRuntimeProperties(), "name")).toEqual(["orders"]);
  },
  async updateQueue({ client, broker }) {
    await client.updateQueue({ ...(await client.getQueue("orders")), lockDuration: "PT10S" });
    expect(broker.getEntity("orders").options).toMatchObject({ lockDurationMs: 10_000 });
  },
  async deleteQueue({ client, broker }) {
    await client.deleteQueue("orders");
    expect(broker.listEntities().map(({ path }) => path)).not.toContain("orders");
  },
  async queueExists({ client }) {
    expect([await client.queueExists("orders"), await client.queueExists("events")]).toEqual([true, false]);
  },
  async createTopic({ client, broker }) {
    expect(await client.createTopic("shop/news", { userMetadata: "a & b" })).toMatchObject({
      name: "shop/news",
      userMetadata: "a & b",
    });
    expect(broker.getEntity("shop/news").kind).toBe("topic");
  },
  async getTopic({ client }) {
    expect(await client.getTopic("events")).toMatchObject({ name: "events", status: "Active" });
  },
  async getTopicRuntimeProperties({ client }) {
    expect(await client.getTopicRuntimeProperties("events")).toMatchObject({
      subscriptionCount: 1,
      scheduledMessageCount: 0,
    });
  },
  async listTopics({ client }) {
    expect(await namesIn(client.listTopics(), "name")).toEqual(["events"]);
  },
  async listTopicsRuntimeProperties({ client }) {
    expect(await namesIn(client.listTopicsRuntimeProperties(), "name")).toEqual(["events"]);
  },
  async updateTopic({ client }) {
    await client.updateTopic({ ...(await client.getTopic("events")), autoDeleteOnIdle: "PT1H" });
    expect(await client.getTopic("events")).toMatchObject({ autoDeleteOnIdle: "PT1H" });
  },
  async deleteTopic({ client, broker }) {
    await client.deleteTopic("events");
    expect(broker.listEntities().map(({ path }) => path)).toEqual(["orders"]);
  },
  async topicExists({ client }) {
    expect([await client.topicExists("events"), await client.topicExists("missing")]).toEqual([true, false]);
  },
  async createSubscription({ client }) {
    const created = await client.createSubscription("events", "billing", { forwardTo: "orders" });
    expect(created).toMatchObject({ subscriptionName: "billing", topicName: "events" });
    expect(created.forwardTo).toMatch(/\/orders$/);
  },
  async getSubscription({ client }) {
    expect(await client.getSubscription(...where)).toMatchObject({
      subscriptionName: "audit",
      maxDeliveryCount: 10,
    });
  },
  async getSubscriptionRuntimeProperties({ client, broker }) {
    await broker.sender("events").send({ body: { section: "data", bytes: Uint8Array.of(1) } });
    expect(await client.getSubscriptionRuntimeProperties(...where)).toMatchObject({
      activeMessageCount: 1,
      totalMessageCount: 1,
    });
  },
  async listSubscriptions({ client }) {
    expect(await namesIn(client.listSubscriptions("events"), "subscriptionName")).toEqual(["audit"]);
  },
  async listSubscriptionsRuntimeProperties({ client }) {
    const listed = client.listSubscriptionsRuntimeProperties("events");
    expect(await namesIn(listed, "subscriptionName")).toEqual(["audit"]);
  },
  async updateSubscription({ client }) {
    await client.updateSubscription({ ...(await client.getSubscription(...where)), maxDeliveryCount: 2 });
    expect(await client.getSubscription(...where)).toMatchObject({ maxDeliveryCount: 2 });
  },
  async deleteSubscription({ client, broker }) {
    await client.deleteSubscription(...where);
    expect(broker.listEntities().map(({ path }) => path)).toEqual(["orders", "events"]);
  },
  async subscriptionExists({ client }) {
    const answers = [
      await client.subscriptionExists(...where),
      await client.subscriptionExists("events", "x"),
    ];
    expect(answers).toEqual([true, false]);
  },
  async createRule({ client, broker }) {
    await client.createRule(...where, "large", { sqlExpression: "amount > 100" });
    expect(broker.listRules(...where).map(({ name }) => name)).toEqual(["$Default", "large"]);
  },
  async getRule({ client }) {
    expect(await client.getRule(...where, "$Default")).toMatchObject({ filter: { sqlExpression: "1=1" } });
  },
  async listRules({ client }) {
    expect(await namesIn(client.listRules(...where), "name")).toEqual(["$Default"]);
  },
  async updateRule({ client }) {
    const rule = await client.getRule(...where, "$Default");
    await client.updateRule(...where, { ...rule, filter: { correlationId: "c" } });
    expect(await client.getRule(...where, "$Default")).toMatchObject({ filter: { correlationId: "c" } });
  },
  async deleteRule({ client, broker }) {
    await client.deleteRule(...where, "$Default");
    expect(broker.listRules(...where)).toEqual([]);
  },
  async ruleExists({ client }) {
    const answers = [await client.ruleExists(...where, "$Default"), await client.ruleExists(...where, "x")];
    expect(answers).toEqual([true, false]);
  },
};

/** Methods that are private in the client's declarations, but not in JavaScript. */
const inner =
  /^(?:constructor|get(?:Queues|Topics|Subscriptions|Rules)(?:RuntimeProperties)?|list\w+(?:Page|All)|build\w+|\w+Resources?|getUrl|get\w+Path|getMarker\w+|throwIf\w+)$/;

describe("the administration client of the official SDK", () => {
  it("has no method without a test", () => {
    const all = Object.getOwnPropertyNames(ServiceBusAdministrationClient.prototype);
    expect(Object.keys(methods).sort()).toEqual(all.filter((name) => !inner.test(name)).sort());
  });

  describe.each(["HTTP", "TLS"] as const)("over %s", (transport) => {
    it.each(Object.keys(methods))("%s", async (name) => {
      await using fixture = await openFixture(transport);
      await fixture.broker.createQueue("orders");
      await fixture.broker.createTopic("events");
      await fixture.broker.createSubscription(...where);
      await methods[name]?.(fixture);
    });
  });
});

async function namesIn<Key extends string>(
  listed: AsyncIterable<Readonly<Record<Key, string>>>,
  key: Key,
): Promise<string[]> {
  const names: string[] = [];
  for await (const one of listed) names.push(one[key]);
  return names;
}
