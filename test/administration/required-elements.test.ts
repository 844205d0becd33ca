import { describe, expect, it } from "vitest";
import { type AdministrationFixture, openFixture } from "./fixture.js";

const booleans = ["true", "false"];

/** Elements of responses without which the SDKs of JavaScript, Java, .NET and Python throw. Every boolean is written, in lower case. */
const elements = {
  "/orders": {
    LockDuration: ["PT1M"],
    MaxSizeInMegabytes: ["1024"],
    RequiresDuplicateDetection: booleans,
    RequiresSession: booleans,
    DefaultMessageTimeToLive: ["P10675199DT2H48M5.4775807S"],
    DeadLetteringOnMessageExpiration: booleans,
    DuplicateDetectionHistoryTimeWindow: ["PT10M"],
    MaxDeliveryCount: ["10"],
    EnableBatchedOperations: booleans,
    AutoDeleteOnIdle: ["P10675199DT2H48M5.4775807S"],
    EnablePartitioning: booleans,
    EnableExpress: booleans,
    Status: ["Active"],
    EntityAvailabilityStatus: ["Available"],
    SizeInBytes: ["0"],
    MessageCount: ["0"],
  },
  "/events": {
    DefaultMessageTimeToLive: ["P10675199DT2H48M5.4775807S"],
    MaxSizeInMegabytes: ["1024"],
    RequiresDuplicateDetection: booleans,
    DuplicateDetectionHistoryTimeWindow: ["PT10M"],
    EnableBatchedOperations: booleans,
    SupportOrdering: booleans,
    EnablePartitioning: booleans,
    EnableExpress: booleans,
    Status: ["Active"],
    SubscriptionCount: ["1"],
  },
  "/events/Subscriptions/audit": {
    LockDuration: ["PT1M"],
    RequiresSession: booleans,
    DefaultMessageTimeToLive: ["P10675199DT2H48M5.4775807S"],
    DeadLetteringOnMessageExpiration: booleans,
    DeadLetteringOnFilterEvaluationExceptions: booleans,
    MaxDeliveryCount: ["10"],
    EnableBatchedOperations: booleans,
    AutoDeleteOnIdle: ["P10675199DT2H48M5.4775807S"],
    Status: ["Active"],
    EntityAvailabilityStatus: ["Available"],
    MessageCount: ["0"],
  },
} as const;

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

async function openFilled(): Promise<AdministrationFixture> {
  const fixture = await openFixture();
  await fixture.broker.createQueue("orders");
  await fixture.broker.createTopic("events");
  await fixture.broker.createSubscription("events", "audit");
  return fixture;
}

/** The text of the first element of this name. */
function textOf(xml: string, name: string): string | undefined {
  return new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1];
}

describe("responses for SDKs of other languages", () => {
  it.each(Object.keys(elements) as (keyof typeof elements)[])("have the elements of %s", async (path) => {
    await using fixture = await openFilled();
    const { status, body } = await fixture.call("GET", `${path}?api-version=2021-05&enrich=true`);
    expect(status).toBe(200);
    for (const [name, allowed] of Object.entries(elements[path]))
      expect(allowed, name).toContain(textOf(body, name));
    for (const name of ["CreatedAt", "UpdatedAt", "AccessedAt"])
      expect(textOf(body, name), name).toMatch(instant);
  });

  it("have counts with their own namespace, and children with its prefix", async () => {
    await using fixture = await openFilled();
    const counts = ["ActiveMessageCount", "DeadLetterMessageCount", "ScheduledMessageCount"];
    const transfers = ["TransferMessageCount", "TransferDeadLetterMessageCount"];
    for (const path of ["/orders", "/events/Subscriptions/audit"]) {
      const { body } = await fixture.call("GET", `${path}?api-version=2021-05`);
      const [, prefix] = /<CountDetails xmlns:(\w+)="[^"]+">/.exec(body) ?? [];
      for (const name of [...counts, ...transfers])
        expect(body).toContain(`<${prefix}:${name}>0</${prefix}:${name}>`);
    }
  });

  it("have absolute ids, with Subscriptions and Rules in this letter case", async () => {
    await using fixture = await openFilled();
    const idOf = async (path: string) => textOf((await fixture.call("GET", path)).body, "id");
    expect(await idOf("/events/subscriptions/audit")).toMatch(
      /^http:\/\/localhost:\d+\/events\/Subscriptions\/audit\?/,
    );
    expect(await idOf("/events/subscriptions/audit/rules/$Default")).toMatch(
      /\/Subscriptions\/audit\/Rules\/\$Default\?/,
    );
  });

  it("have a filter and an action with their types in every rule", async () => {
    await using fixture = await openFilled();
    const { body } = await fixture.call("GET", "/events/Subscriptions/audit/Rules/$Default");
    expect(body).toMatch(/<Filter [^>]*type="TrueFilter"[^>]*>.*<SqlExpression>1=1<\/SqlExpression>/s);
    expect(body).toMatch(/<Action [^>]*type="EmptyRuleAction"/);
  });

  it("list entities in any letter case, a hundred at a time, without dead-letter queues", async () => {
    await using fixture = await openFixture();
    for (let number = 0; number < 101; number++) await fixture.broker.createQueue(`q-${number}`);
    const countIn = async (path: string) => (await fixture.call("GET", path)).body.match(/<entry>/g)?.length;
    expect(await countIn("/$Resources/Queues")).toBe(100);
    expect(await countIn("/$resources/queues?$skip=100")).toBe(1);
    expect(await countIn("/$Resources/Queues?$top=7")).toBe(7);
    expect((await fixture.call("GET", "/$Resources/Queues")).body).not.toContain("$DeadLetterQueue");
  });

  it("have the statuses of the service, and errors with a code and a detail", async () => {
    await using fixture = await openFilled();
    const put = (path: string, description: string, headers = {}) =>
      fixture.call("PUT", path, {
        headers,
        body: `<entry xmlns="http://www.w3.org/2005/Atom"><content type="application/xml">${description}</content></entry>`,
      });
    const queue = (members: string) =>
      `<QueueDescription xmlns="http://schemas.microsoft.com/netservices/2010/10/servicebus/connect">${members}</QueueDescription>`;
    const sessions = "<RequiresSession>true</RequiresSession>";
    expect((await put("/made", queue(""))).status).toBe(201);
    expect((await put("/made", queue(""), { "if-match": "*" })).status).toBe(200);
    expect((await put("/made", queue(sessions), { "if-match": "*" })).status).toBe(400);
    const conflict = await put("/made", queue(""));
    expect(conflict.status).toBe(409);
    expect(conflict.body).toMatch(/<Error><Code>409<\/Code><Detail>.+<\/Detail><\/Error>/s);
    const missing = await fixture.call("GET", "/missing");
    expect(missing.status).toBe(200);
    expect(missing.body).not.toContain("<entry");
    expect((await fixture.call("DELETE", "/made")).status).toBe(200);
  });

  it("accept addresses as forwarding targets, whose path is used", async () => {
    await using fixture = await openFilled();
    await fixture.client.createQueue("copies", { forwardTo: "orders" });
    expect(fixture.broker.getEntity("copies").options).toMatchObject({ forwardTo: "orders" });
    const { body } = await fixture.call("GET", "/copies");
    expect(textOf(body, "ForwardTo")).toMatch(/^sb:\/\/localhost:\d+\/orders$/);
  });
});
