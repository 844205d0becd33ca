import { describe, expect, it } from "vitest";
import { type AdministrationFixture, openFixture } from "./fixture.js";

const service = "http://schemas.microsoft.com/netservices/2010/10/servicebus/connect";

/** An Atom entry like the SDK for .NET writes it: the namespace of instances bound to `i`, members in its order. */
function entry(kind: string, members: string): string {
  const instance = 'xmlns:i="http://www.w3.org/2001/XMLSchema-instance"';
  const description = `<${kind} ${instance} xmlns="${service}">${members}</${kind}>`;
  return `<entry xmlns="http://www.w3.org/2005/Atom"><content type="application/xml">${description}</content></entry>`;
}

async function put(
  { call }: AdministrationFixture,
  path: string,
  kind: string,
  members: string,
  ifMatch = false,
) {
  const headers = { "content-type": "application/atom+xml", ...(ifMatch ? { "if-match": "*" } : {}) };
  const { status, body } = await call("PUT", `${path}?api-version=2021-05`, {
    body: entry(kind, members),
    headers,
  });
  return { status, body };
}

const filter = (type: string, members = "") => `<Filter i:type="${type}">${members}</Filter>`;

describe("MassTransit creates its topology", () => {
  const endpoint =
    "<LockDuration>PT5M</LockDuration><MaxSizeInMegabytes>1024</MaxSizeInMegabytes><RequiresDuplicateDetection>false</RequiresDuplicateDetection>" +
    "<RequiresSession>false</RequiresSession><DefaultMessageTimeToLive>P366D</DefaultMessageTimeToLive><DeadLetteringOnMessageExpiration>true</DeadLetteringOnMessageExpiration>" +
    "<DuplicateDetectionHistoryTimeWindow>PT1M</DuplicateDetectionHistoryTimeWindow><MaxDeliveryCount>5</MaxDeliveryCount><EnableBatchedOperations>true</EnableBatchedOperations>" +
    "<Status>Active</Status><AutoDeleteOnIdle>P427D</AutoDeleteOnIdle><EnablePartitioning>false</EnablePartitioning>";

  it("gets a queue before it creates it, and accepts either response for a missing one", async () => {
    await using fixture = await openFixture();
    const { status, body } = await fixture.call("GET", "/order-service?api-version=2021-05");
    expect(status).toBe(200);
    expect(body).toMatch(/<feed [^>]*><title type="text">Publicly Listed Services<\/title>/);
    expect(body).not.toContain("<entry");
    expect(await put(fixture, "/order-service", "QueueDescription", endpoint)).toMatchObject({ status: 201 });
    expect(fixture.broker.getEntity("order-service").options).toMatchObject({
      lockDurationMs: 300_000,
      maxDeliveryCount: 5,
      defaultMessageTimeToLiveMs: 366 * 86_400_000,
      autoDeleteOnIdleMs: 427 * 86_400_000,
    });
  });

  it("has topics with a slash and a plus in their names, one for each message type", async () => {
    await using fixture = await openFixture();
    const topic =
      "<DefaultMessageTimeToLive>P366D</DefaultMessageTimeToLive><EnableBatchedOperations>true</EnableBatchedOperations>";
    for (const name of ["shop.contracts/orderplaced", "shop.contracts/orders-nested"]) {
      expect(await put(fixture, `/${name}`, "TopicDescription", topic)).toMatchObject({ status: 201 });
      expect((await fixture.call("GET", `/${name}?api-version=2021-05`)).body).toContain(`>${name}</title>`);
      const encoded = `/${name.replace("/", "%2F")}`;
      expect((await fixture.call("GET", `${encoded}?api-version=2021-05`)).status).toBe(200);
    }
  });

  it("subscribes its queue to a topic by forwarding, and finds the existing subscription later", async () => {
    await using fixture = await openFixture();
    await put(fixture, "/order-service", "QueueDescription", endpoint);
    await put(fixture, "/shop.contracts/orderplaced", "TopicDescription", "");
    const path = "/shop.contracts/orderplaced/Subscriptions/order-service";
    const subscription =
      "<LockDuration>PT5M</LockDuration><RequiresSession>false</RequiresSession><DefaultMessageTimeToLive>P366D</DefaultMessageTimeToLive>" +
      `<DeadLetteringOnMessageExpiration>false</DeadLetteringOnMessageExpiration><DefaultRuleDescription>${filter("TrueFilter", "<SqlExpression>1=1</SqlExpression>")}<Name>$Default</Name></DefaultRuleDescription>` +
      "<MaxDeliveryCount>5</MaxDeliveryCount><ForwardTo>sb://localhost/order-service</ForwardTo><UserMetadata>shop.contracts/orderplaced</UserMetadata>";
    expect(await put(fixture, path, "SubscriptionDescription", subscription)).toMatchObject({ status: 201 });
    expect(await put(fixture, path, "SubscriptionDescription", subscription)).toMatchObject({ status: 409 });
    expect(await put(fixture, path, "SubscriptionDescription", subscription, true)).toMatchObject({
      status: 200,
    });
    const sender = fixture.broker.sender("shop.contracts/orderplaced");
    await sender.send({ body: { section: "data", bytes: Uint8Array.of(1) } });
    expect(fixture.broker.getEntity("order-service").totalMessageCount).toBe(1);
  });

  it("filters by its own rule instead of the default one, and replaces it later", async () => {
    await using fixture = await openFixture();
    await put(fixture, "/events", "TopicDescription", "");
    const sql = filter(
      "SqlFilter",
      "<SqlExpression>Region = 'EU'</SqlExpression><CompatibilityLevel>20</CompatibilityLevel>",
    );
    const rule = `<DefaultRuleDescription>${sql}<Action i:type="EmptyRuleAction"/><Name>eu</Name></DefaultRuleDescription>`;
    await put(fixture, "/events/Subscriptions/audit", "SubscriptionDescription", rule);
    expect(fixture.broker.listRules("events", "audit").map(({ name }) => name)).toEqual(["eu"]);
    const update = `${filter("SqlFilter", "<SqlExpression>Region = 'US'</SqlExpression>")}<Name>eu</Name>`;
    const path = "/events/Subscriptions/audit/Rules/eu";
    expect(await put(fixture, path, "RuleDescription", update, true)).toMatchObject({ status: 200 });
    expect(fixture.broker.listRules("events", "audit")[0]?.filter).toMatchObject({
      expression: "Region = 'US'",
    });
  });

  it("creates a temporary queue for replies", async () => {
    await using fixture = await openFixture();
    const temporary =
      "<AutoDeleteOnIdle>PT5M</AutoDeleteOnIdle><DefaultMessageTimeToLive>P1D</DefaultMessageTimeToLive><EnableExpress>false</EnableExpress>";
    const name = "/DESKTOP_dotnet_bus_oyoyyyfxks1qr4nfbdppz3kq8m";
    expect(await put(fixture, name, "QueueDescription", temporary)).toMatchObject({ status: 201 });
    expect(fixture.broker.getEntity(name.slice(1)).options).toMatchObject({ autoDeleteOnIdleMs: 300_000 });
  });
});

describe("Wolverine creates its topology", () => {
  it("checks whether each queue exists, creates missing ones, and lists them", async () => {
    await using fixture = await openFixture();
    const queues = [
      "orders",
      "wolverine-dead-letter-queue",
      "wolverine.response.shop.4711",
      "wolverine.control.1",
    ];
    for (const name of queues) {
      expect(await fixture.client.queueExists(name)).toBe(false);
      await fixture.client.createQueue(name, {
        requiresSession: false,
        autoDeleteOnIdle: name.startsWith("wolverine.") ? "PT5M" : "P10675199DT2H48M5.4775807S",
      });
      expect(await fixture.client.queueExists(name)).toBe(true);
      expect(await fixture.client.getQueueRuntimeProperties(name)).toMatchObject({ totalMessageCount: 0 });
    }
    const listed: string[] = [];
    for await (const { name } of fixture.client.listQueues()) listed.push(name);
    expect(listed).toEqual(queues.toSorted());
  });

  it("creates topics and subscriptions with a default rule, and reconciles the rules of an existing one", async () => {
    await using fixture = await openFixture();
    const { client, broker } = fixture;
    await client.createTopic("orders");
    await client.createSubscription("orders", "billing", {
      defaultRuleOptions: { name: "$Default", filter: { sqlExpression: "1=1" } },
    });
    await client.createRule("orders", "billing", "placed", { subject: "Shop.OrderPlaced" });
    await client.deleteRule("orders", "billing", "$Default");
    const rules: string[] = [];
    for await (const { name } of client.listRules("orders", "billing")) rules.push(name);
    expect(rules).toEqual(["placed"]);
    await client.deleteSubscription("orders", "billing");
    await client.deleteTopic("orders");
    expect(broker.listEntities()).toEqual([]);
  });

  it("does this at every start, and accepts existing entities", async () => {
    await using fixture = await openFixture();
    await fixture.client.createQueue("orders");
    await expect(fixture.client.createQueue("orders")).rejects.toMatchObject({
      code: "MessageEntityAlreadyExistsError",
    });
    await expect(fixture.client.deleteQueue("gone")).rejects.toMatchObject({
      code: "MessageEntityNotFoundError",
    });
  });
});

it("NServiceBus creates queues without a maximum delivery count", async () => {
  await using fixture = await openFixture();
  const created = await fixture.client.createQueue("audit", { maxDeliveryCount: 2 ** 31 - 1 });
  expect(created.maxDeliveryCount).toBe(2 ** 31 - 1);
});
