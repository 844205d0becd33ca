import { ServiceBusAdministrationClient } from "@azure/service-bus";
import { speakPlainHttp } from "@waybill/transport-azure";
import { describe, expect, it } from "vitest";
import { entryOf, type HttpFixture, openHttp, rootKey } from "../http.test-support.js";

const update = { "if-match": "*" };

async function openNamespace(tier: "standard" | "premium" = "standard"): Promise<HttpFixture> {
  const fixture = await openHttp([], { tier });
  await fixture.broker.createQueue("target");
  await fixture.broker.createTopic("events");
  await fixture.broker.createSubscription("events", "all");
  return fixture;
}

function administrationOf({ server }: HttpFixture): ServiceBusAdministrationClient {
  const client = new ServiceBusAdministrationClient(
    `Endpoint=sb://localhost:${server.port}/;SharedAccessKeyName=${rootKey.name};SharedAccessKey=${rootKey.key}`,
    { retryOptions: { maxRetries: 0 } },
  );
  speakPlainHttp(client);
  return client;
}

const queue = (members: string) => entryOf("QueueDescription", members);
const namesIn = (body: string, element: string): string[] => {
  const [, content = ""] = new RegExp(`<${element} [^>]*>(.*)</${element}>`, "s").exec(body) ?? [];
  const outer = content
    .replace(/<CountDetails.*?<\/CountDetails>/s, "<CountDetails/>")
    .replace(/<AuthorizationRules>.*?<\/AuthorizationRules>/s, "<AuthorizationRules/>");
  return [...outer.matchAll(/<([A-Za-z]+)(?=[ />])/g)].map(([, name = ""]) => name);
};

describe("an update without an element", () => {
  it.each(["forwardTo", "forwardDeadLetteredMessagesTo", "userMetadata"] as const)(
    "removes %s of a queue and a subscription, as the official SDK does",
    async (name) => {
      await using fixture = await openNamespace();
      const client = administrationOf(fixture);
      const options = { [name]: "target" };
      await client.createQueue("orders", options);
      await client.createSubscription("events", "some", options);
      const created = await client.getQueue("orders");
      expect(created[name]).toMatch(/target$/);
      delete created[name];
      const subscription = await client.getSubscription("events", "some");
      delete subscription[name];
      expect((await client.updateQueue(created))[name]).toBeUndefined();
      expect((await client.updateSubscription(subscription))[name]).toBeUndefined();
      expect((await client.getQueue("orders"))[name]).toBeUndefined();
      expect(fixture.broker.getEntity("orders").options).toMatchObject({ [name]: undefined });
    },
  );

  it("keeps the values that always exist, and the authorization rules", async () => {
    await using fixture = await openNamespace();
    const rules =
      "<AuthorizationRules><AuthorizationRule><Rights><AccessRights>Send</AccessRights></Rights><KeyName>app</KeyName></AuthorizationRule></AuthorizationRules>";
    await fixture.ask("PUT", "/orders", { body: queue(`<MaxDeliveryCount>3</MaxDeliveryCount>${rules}`) });
    const { status } = await fixture.ask("PUT", "/orders", {
      headers: update,
      body: queue("<EnableExpress>true</EnableExpress>"),
    });
    expect(status).toBe(200);
    expect(fixture.broker.getEntity("orders").options).toMatchObject({
      maxDeliveryCount: 3,
      enableExpress: true,
      authorizationRules: [{ keyName: "app", rights: ["Send"] }],
    });
    const none = { headers: update, body: queue("<AuthorizationRules/>") };
    expect((await fixture.ask("PUT", "/orders", none)).status).toBe(200);
    expect(fixture.broker.getEntity("orders").options).toMatchObject({ authorizationRules: [] });
  });
});

describe("the elements of a description", () => {
  it("come in the order of the service's data contract", async () => {
    await using fixture = await openNamespace();
    const forwards = { forwardTo: "target", forwardDeadLetteredMessagesTo: "target" };
    await fixture.broker.createQueue("orders", { ...forwards, userMetadata: "note" });
    const read = async (path: string) => (await fixture.ask("GET", `${path}?api-version=2021-05`)).body;
    expect(namesIn(await read("/orders"), "QueueDescription")).toEqual(
      (
        "LockDuration MaxSizeInMegabytes RequiresDuplicateDetection RequiresSession DefaultMessageTimeToLive DeadLetteringOnMessageExpiration " +
        "DuplicateDetectionHistoryTimeWindow MaxDeliveryCount EnableBatchedOperations SizeInBytes MessageCount IsAnonymousAccessible " +
        "AuthorizationRules Status ForwardTo UserMetadata CreatedAt UpdatedAt AccessedAt SupportOrdering CountDetails AutoDeleteOnIdle " +
        "EnablePartitioning ForwardDeadLetteredMessagesTo EntityAvailabilityStatus EnableExpress MaxMessageSizeInKilobytes"
      ).split(" "),
    );
    expect(namesIn(await read("/events"), "TopicDescription")).toEqual(
      (
        "DefaultMessageTimeToLive MaxSizeInMegabytes RequiresDuplicateDetection DuplicateDetectionHistoryTimeWindow EnableBatchedOperations " +
        "SizeInBytes FilteringMessagesBeforePublishing IsAnonymousAccessible AuthorizationRules Status CreatedAt UpdatedAt AccessedAt " +
        "SupportOrdering CountDetails SubscriptionCount AutoDeleteOnIdle EnablePartitioning EntityAvailabilityStatus " +
        "EnableSubscriptionPartitioning EnableExpress MaxMessageSizeInKilobytes"
      ).split(" "),
    );
    expect(namesIn(await read("/events/Subscriptions/all"), "SubscriptionDescription")).toEqual(
      (
        "LockDuration RequiresSession DefaultMessageTimeToLive DeadLetteringOnMessageExpiration DeadLetteringOnFilterEvaluationExceptions " +
        "MessageCount MaxDeliveryCount EnableBatchedOperations Status CreatedAt UpdatedAt AccessedAt CountDetails AutoDeleteOnIdle " +
        "EntityAvailabilityStatus IsClientAffine"
      ).split(" "),
    );
  });

  it("multiply the size of a partitioned entity, which has no order", async () => {
    await using fixture = await openNamespace();
    const client = administrationOf(fixture);
    const created = await client.createQueue("orders", {
      enablePartitioning: true,
      maxSizeInMegabytes: 3072,
    });
    expect(created.maxSizeInMegabytes).toBe(49_152);
    expect((await client.updateQueue(created)).maxSizeInMegabytes).toBe(49_152);
    const topic = await client.createTopic("news", { enablePartitioning: true });
    expect(topic).toMatchObject({ maxSizeInMegabytes: 16_384, supportOrdering: false });
    const { body } = await fixture.ask("GET", "/orders");
    expect(body).toContain("<SupportOrdering>false</SupportOrdering>");
  });

  it("have the maximum message size from version 2021-05 on, as the tier allows", async () => {
    await using fixture = await openNamespace();
    const element = "<MaxMessageSizeInKilobytes>1024</MaxMessageSizeInKilobytes>";
    const older = await fixture.ask("PUT", "/older?api-version=2017-04", { body: queue(element) });
    expect(older.status).toBe(201);
    expect(older.body).not.toContain("MaxMessageSizeInKilobytes");
    const newer = await fixture.ask("PUT", "/newer?api-version=2021-05", { body: queue(element) });
    expect(newer).toMatchObject({
      status: 400,
      detail: expect.stringContaining("SubCode=40000. Bad Request"),
    });
    await using premium = await openNamespace("premium");
    const small = element.replace("1024", "256");
    expect(await premium.ask("PUT", "/orders", { body: queue(small) })).toMatchObject({
      status: 400,
      detail: expect.stringMatching(
        /'MaxMessageSizeInKilobytes' must be between 1024 and 102400.*Actual value was 256\./s,
      ),
    });
    expect((await premium.ask("PUT", "/orders", { body: queue(element) })).status).toBe(201);
  });

  it("give back .NET's longest time as Python sends it, which means never", async () => {
    await using fixture = await openNamespace();
    for (const text of ["P10675199DT2H48M5.477539S", "P10675199DT2H48M5.4775807S"]) {
      const members = `<DefaultMessageTimeToLive>${text}</DefaultMessageTimeToLive><AutoDeleteOnIdle>${text}</AutoDeleteOnIdle>`;
      await fixture.ask("PUT", "/lasting", { body: queue(members) });
      const { body } = await fixture.ask("GET", "/lasting");
      expect(body).toContain(`<DefaultMessageTimeToLive>${text}</DefaultMessageTimeToLive>`);
      expect(body).toContain(`<AutoDeleteOnIdle>${text}</AutoDeleteOnIdle>`);
      await fixture.broker.sender("lasting").send({ body: { section: "data", bytes: new Uint8Array(1) } });
      const [received] = await fixture.broker.receiver("lasting").receive(1);
      expect(received?.expiresAt).toBeUndefined();
      await fixture.broker.deleteEntity("lasting");
    }
  });

  it("have no user metadata unless it was given", async () => {
    await using fixture = await openNamespace();
    for (const path of ["/target", "/events", "/events/Subscriptions/all"])
      expect((await fixture.ask("GET", path)).body).not.toContain("UserMetadata");
  });
});

describe("a request about what is missing", () => {
  it("gets an empty feed when it reads", async () => {
    await using fixture = await openNamespace();
    for (const path of [
      "/absent",
      "/events/Subscriptions/absent",
      "/events/Subscriptions/all/Rules/absent",
    ]) {
      const { status, body } = await fixture.ask("GET", path);
      expect(status).toBe(200);
      expect(body).toMatch(/<feed .*Publicly Listed Services/);
    }
    const client = administrationOf(fixture);
    await expect(client.getQueue("absent")).rejects.toMatchObject({ code: "MessageEntityNotFoundError" });
    expect(await client.ruleExists("events", "all", "absent")).toBe(false);
  });

  it("is refused in the service's words when it deletes or updates", async () => {
    await using fixture = await openNamespace();
    const deleted = await fixture.ask("DELETE", "/absent");
    expect(deleted).toMatchObject({
      status: 404,
      detail: expect.stringContaining("No service is hosted at the specified address."),
    });
    expect((await fixture.ask("PUT", "/absent", { headers: update, body: queue("") })).status).toBe(404);
    const rule = entryOf("RuleDescription", '<Filter i:type="TrueFilter"/>');
    const path = "/events/Subscriptions/all/Rules/absent";
    expect(await fixture.ask("PUT", path, { headers: update, body: rule })).toMatchObject({
      status: 404,
      detail: expect.stringMatching(/Entity '\S+:Topic:events\|all\|absent' was not found/),
    });
  });
});

describe("a page", () => {
  it.each(["skip", "top"])("needs a $%s that is not negative", async (name) => {
    await using fixture = await openNamespace();
    expect(await fixture.ask("GET", `/$Resources/queues?$${name}=-1`)).toMatchObject({
      status: 400,
      detail: `Parameter '${name}' should be non-negative integer.\r\nParameter name: ${name}.`,
    });
  });
});
