import { createHmac } from "node:crypto";
import { ServiceBusAdministrationClient } from "@azure/service-bus";
import { createBroker } from "@waybill/broker";
import { speakPlainHttp } from "@waybill/transport-azure";
import { describe, expect, it } from "vitest";
import { serve } from "../../index.js";

const key = { name: "RootManageSharedAccessKey", key: "c2VjcmV0", rights: ["Manage"] } as const;

/** A broker, its management API on a separate port, and the official administration client connected to it. */
async function openFixture() {
  const broker = createBroker({ tier: "standard" });
  const server = await serve(broker, { port: 0, keys: [key] });
  const { port } = server;
  const connect = (secret: string) => {
    const text = `Endpoint=sb://localhost:${port}/;SharedAccessKeyName=${key.name};SharedAccessKey=${secret}`;
    const client = new ServiceBusAdministrationClient(text, { retryOptions: { maxRetries: 0 } });
    speakPlainHttp(client);
    return client;
  };
  return {
    broker,
    client: connect(key.key),
    connect,
    origin: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose](): Promise<void> {
      await server.close();
      await broker.close();
    },
  };
}

describe("the administration client of the official SDK", () => {
  it("creates a queue with every property, and reads it back", async () => {
    await using fixture = await openFixture();
    const { client } = fixture;
    await client.createQueue("target");
    const properties = {
      lockDuration: "PT45S",
      maxSizeInMegabytes: 2048,
      requiresDuplicateDetection: true,
      requiresSession: true,
      defaultMessageTimeToLive: "P2D",
      deadLetteringOnMessageExpiration: true,
      duplicateDetectionHistoryTimeWindow: "PT1M",
      maxDeliveryCount: 8,
      enableBatchedOperations: false,
      status: "ReceiveDisabled" as const,
      forwardDeadLetteredMessagesTo: "target",
      userMetadata: "a <note> & more",
      autoDeleteOnIdle: "PT1H",
      enablePartitioning: true,
    };
    const created = await client.createQueue("shop/orders", properties);
    expect(created).toMatchObject({
      ...properties,
      name: "shop/orders",
      maxSizeInMegabytes: 16 * properties.maxSizeInMegabytes,
      forwardDeadLetteredMessagesTo: expect.stringMatching(/^sb:\/\/localhost:\d+\/target$/),
    });
    expect(await client.getQueue("shop/orders")).toMatchObject({ name: "shop/orders", maxDeliveryCount: 8 });
    expect(await client.queueExists("shop/orders")).toBe(true);
    expect(await client.queueExists("shop/other")).toBe(false);
  });

  it("returns the service's defaults, and exact counts", async () => {
    await using fixture = await openFixture();
    const { client, broker } = fixture;
    await client.createQueue("orders");
    expect(await client.getQueue("orders")).toMatchObject({
      lockDuration: "PT1M",
      defaultMessageTimeToLive: "P10675199DT2H48M5.4775807S",
      autoDeleteOnIdle: "P10675199DT2H48M5.4775807S",
      maxDeliveryCount: 10,
      status: "Active",
      availabilityStatus: "Available",
      enableBatchedOperations: true,
    });
    const sender = broker.sender("orders");
    await sender.send({ body: { section: "data", bytes: Uint8Array.of(49) } });
    await sender.send({ body: { section: "data", bytes: Uint8Array.of(50) } });
    expect(await client.getQueueRuntimeProperties("orders")).toMatchObject({
      totalMessageCount: 2,
      activeMessageCount: 2,
      deadLetterMessageCount: 0,
      scheduledMessageCount: 0,
      transferMessageCount: 0,
      transferDeadLetterMessageCount: 0,
      createdAt: expect.any(Date),
    });
  });

  it("updates properties that may change, and refuses the others", async () => {
    await using fixture = await openFixture();
    const { client } = fixture;
    const queue = await client.createQueue("orders");
    queue.maxDeliveryCount = 3;
    queue.lockDuration = "PT30S";
    expect(await client.updateQueue(queue)).toMatchObject({ maxDeliveryCount: 3, lockDuration: "PT30S" });
    await expect(client.updateQueue({ ...queue, requiresSession: true })).rejects.toMatchObject({
      code: "ServiceError",
    });
    const topic = await client.createTopic("events");
    topic.userMetadata = "changed";
    expect(await client.updateTopic(topic)).toMatchObject({ name: "events", userMetadata: "changed" });
    await client.createSubscription("events", "audit");
    const subscription = await client.getSubscription("events", "audit");
    subscription.maxDeliveryCount = 5;
    expect(await client.updateSubscription(subscription)).toMatchObject({ maxDeliveryCount: 5 });
  });

  it("deletes, and reports missing and existing entities", async () => {
    await using fixture = await openFixture();
    const { client } = fixture;
    await client.createQueue("orders");
    await expect(client.createQueue("Orders")).rejects.toMatchObject({
      code: "MessageEntityAlreadyExistsError",
    });
    await client.deleteQueue("orders");
    await expect(client.getQueue("orders")).rejects.toMatchObject({ code: "MessageEntityNotFoundError" });
    await expect(client.deleteQueue("orders")).rejects.toMatchObject({ code: "MessageEntityNotFoundError" });
    await expect(client.createQueue("bad name!")).rejects.toMatchObject({ statusCode: 400 });
  });

  it("lists many queues, topics and subscriptions page by page", async () => {
    await using fixture = await openFixture();
    const { client, broker } = fixture;
    const names = Array.from({ length: 230 }, (_, index) => `queue-${String(index).padStart(3, "0")}`);
    for (const name of names) await broker.createQueue(name);
    const listed: string[] = [];
    for await (const { name } of client.listQueues()) listed.push(name);
    expect(listed).toEqual(names);
    const pages: number[] = [];
    for await (const page of client.listQueuesRuntimeProperties().byPage({ maxPageSize: 90 }))
      pages.push(page.length);
    expect(pages).toEqual([90, 90, 50]);
    await client.createTopic("events");
    for (const name of ["b", "a"]) await client.createSubscription("events", name);
    const subscriptions: string[] = [];
    for await (const one of client.listSubscriptions("events")) subscriptions.push(one.subscriptionName);
    expect(subscriptions).toEqual(["a", "b"]);
    const topics: (number | undefined)[] = [];
    for await (const topic of client.listTopicsRuntimeProperties()) topics.push(topic.subscriptionCount);
    expect(topics).toEqual([2]);
    const counts: number[] = [];
    for await (const one of client.listSubscriptionsRuntimeProperties("events"))
      counts.push(one.totalMessageCount);
    expect(counts).toEqual([0, 0]);
  });

  it("creates, lists, changes and deletes rules of every kind", async () => {
    await using fixture = await openFixture();
    const { client, broker } = fixture;
    await client.createTopic("events");
    await client.createSubscription("events", "audit", {
      defaultRuleOptions: { name: "large", filter: { sqlExpression: "amount > 100 AND note <> '<b>'" } },
    });
    await client.createRule("events", "audit", "typed", {
      correlationId: "c",
      applicationProperties: {
        count: 5,
        ratio: 0.5,
        text: "x",
        flag: true,
        at: new Date("2026-01-02T03:04:05Z"),
      },
    });
    await client.createRule(
      "events",
      "audit",
      "acting",
      { sqlExpression: "1=1" },
      { sqlExpression: "SET priority = 'high'" },
    );
    const rules: string[] = [];
    for await (const { name } of client.listRules("events", "audit")) rules.push(name);
    expect(rules).toEqual(["acting", "large", "typed"]);
    expect(await client.getRule("events", "audit", "large")).toMatchObject({
      filter: { sqlExpression: "amount > 100 AND note <> '<b>'" },
    });
    expect(await client.getRule("events", "audit", "typed")).toMatchObject({
      filter: {
        correlationId: "c",
        applicationProperties: {
          count: 5,
          ratio: 0.5,
          text: "x",
          flag: true,
          at: new Date("2026-01-02T03:04:05Z"),
        },
      },
    });
    const acting = await client.getRule("events", "audit", "acting");
    expect(acting.action).toMatchObject({ sqlExpression: "SET priority = 'high'" });
    acting.filter = { sqlExpression: "amount = 7" };
    await client.updateRule("events", "audit", acting);
    expect(broker.listRules("events", "audit").find(({ name }) => name === "acting")?.filter).toMatchObject({
      type: "sql",
      expression: "amount = 7",
    });
    await client.deleteRule("events", "audit", "large");
    expect(await client.ruleExists("events", "audit", "large")).toBe(false);
    await expect(
      client.createRule("events", "audit", "bad", { sqlExpression: "amount >" }),
    ).rejects.toMatchObject({ statusCode: 400 });
  });

  it("describes the namespace", async () => {
    await using fixture = await openFixture();
    expect(await fixture.client.getNamespaceProperties()).toMatchObject({
      name: "local",
      messagingSku: "Standard",
    });
  });

  it("is refused with a wrong key, for every request", async () => {
    await using fixture = await openFixture();
    const unauthorized = fixture.connect("d3Jvbmc=");
    await expect(unauthorized.getQueue("orders")).rejects.toMatchObject({ code: "UnauthorizedRequestError" });
    await expect(unauthorized.createQueue("orders")).rejects.toMatchObject({
      code: "UnauthorizedRequestError",
    });
  });
});

describe("a key of one entity", () => {
  it("manages only that entity and its children", async () => {
    await using broker = createBroker();
    const own = { name: "events-key", key: "c2VjcmV0", rights: ["Manage"], entity: "events" } as const;
    await using server = await serve(broker, { port: 0, keys: [key, own] });
    await broker.createTopic("events");
    await broker.createSubscription("events", "audit");
    await broker.createTopic("events/other");
    const statusOf = async (path: string) => {
      const address = `http://127.0.0.1:${server.port}${path}`;
      const headers = { authorization: tokenFor(address, own.name) };
      return (await fetch(address, { headers })).status;
    };
    expect(await statusOf("/events")).toBe(200);
    expect(await statusOf("/events/Subscriptions/")).toBe(200);
    expect(await statusOf("/events/Subscriptions/audit/Rules/$Default")).toBe(200);
    expect(await statusOf("/events/other")).toBe(401);
    expect(await statusOf("/events/missing")).toBe(401);
    expect(await statusOf("/$Resources/Queues")).toBe(401);
    expect(await statusOf("/$namespaceinfo")).toBe(401);
  });
});

describe("requests that SDKs do not send", () => {
  it.each([
    ["GET", "/orders", undefined, 401],
    ["GET", "/health", undefined, 200],
    ["PATCH", "/%zz", undefined, 400],
    ["GET", "/../../etc/passwd", undefined, 401],
  ])("%s %s is supported", async (method, path, body, status) => {
    await using fixture = await openFixture();
    const response = await fetch(`${fixture.origin}${path}`, { method, body: body ?? null });
    expect(response.status).toBe(status);
  });

  it("get an error document that reveals nothing", async () => {
    await using broker = createBroker();
    await using server = await serve(broker, { port: 0, keys: [key] });
    const token = tokenFor(`http://127.0.0.1:${server.port}/`);
    const put = async (body: string) => {
      const init = { method: "PUT", body, headers: { authorization: token } };
      const response = await fetch(`http://127.0.0.1:${server.port}/orders`, init);
      return [response.status, /<Detail>(.*)<\/Detail>/.exec(await response.text())?.[1]];
    };
    expect(await put("not xml")).toEqual([400, expect.stringContaining("not a valid description")]);
    expect(await put('<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>')).toEqual([
      400,
      expect.stringContaining("document type"),
    ]);
    expect(await put(`${"<a>".repeat(5000)}${"</a>".repeat(5000)}`)).toEqual([400, expect.any(String)]);
    expect(await put("<entry/>")).toEqual([400, expect.stringContaining("Atom entry")]);
    expect(await put(`<entry><x>${"y".repeat(2_000_000)}</x></entry>`)).toEqual([413, expect.any(String)]);
  });
});

/** A token of a key for an address and its children. */
function tokenFor(address: string, name: string = key.name): string {
  const resource = encodeURIComponent(address);
  const expiry = Math.floor(Date.now() / 1000) + 600;
  const signature = createHmac("sha256", key.key).update(`${resource}\n${expiry}`).digest("base64");
  return `SharedAccessSignature sr=${resource}&sig=${encodeURIComponent(signature)}&se=${expiry}&skn=${name}`;
}
