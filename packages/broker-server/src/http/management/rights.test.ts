import { ServiceBusAdministrationClient } from "@azure/service-bus";
import { speakPlainHttp } from "@waybill/transport-azure";
import { describe, expect, it } from "vitest";
import type { SharedAccessKey } from "../../index.js";
import { entryOf, type HttpFixture, openHttp, rootKey, tokenOf } from "../http.test-support.js";

const shop: SharedAccessKey = { name: "shop", key: "shop-secret", rights: ["Manage"], entity: "orders" };
const both: SharedAccessKey = { name: "shop", key: "bills-secret", rights: ["Send"], entity: "bills" };
const news: SharedAccessKey = { name: "news", key: "news-secret", rights: ["Manage"], entity: "t" };
const reader: SharedAccessKey = { name: "reader", key: "reader-secret", rights: ["Listen"] };

const update = { "if-match": "*" };

async function openShop(): Promise<HttpFixture> {
  const fixture = await openHttp([shop, both, news, reader]);
  await fixture.broker.createQueue("orders");
  await fixture.broker.createQueue("bills");
  await fixture.broker.createTopic("t");
  await fixture.broker.createSubscription("t", "s");
  return fixture;
}

describe.each(["ForwardTo", "ForwardDeadLetteredMessagesTo"])("%s", (element) => {
  const forwarding = (target: string) => ({
    body: entryOf("QueueDescription", `<${element}>sb://localhost/${target}</${element}>`),
    headers: update,
  });

  it("is refused for another entity than that of the key, whether it exists or not", async () => {
    await using fixture = await openShop();
    const existing = await fixture.ask("PUT", "/orders", { ...forwarding("bills"), key: shop });
    const missing = await fixture.ask("PUT", "/orders", { ...forwarding("absent"), key: shop });
    expect(existing.status).toBe(401);
    expect(missing.status).toBe(401);
    expect(existing.detail.replace("bills", "absent")).toBe(missing.detail);
    const description = entryOf("SubscriptionDescription", `<${element}>orders</${element}>`);
    const made = await fixture.ask("PUT", "/t/Subscriptions/new", { body: description, key: news });
    expect(made.status).toBe(401);
    expect(fixture.broker.getEntity("orders").options).toMatchObject({ forwardTo: undefined });
  });

  it("does not reveal a queue with the address of a subscription of the key's topic", async () => {
    await using fixture = await openShop();
    await fixture.broker.createQueue("t/subscriptions/fake");
    await fixture.broker.createSubscription("t", "own");
    const asked = (target: string) => {
      const body = entryOf("SubscriptionDescription", `<${element}>t/Subscriptions/${target}</${element}>`);
      return fixture.ask("PUT", "/t/Subscriptions/own", { body, headers: update, key: news });
    };
    const existing = await asked("fake");
    expect(existing.status).not.toBe(200);
    expect({ ...existing, body: "" }).toEqual(
      JSON.parse(JSON.stringify({ ...(await asked("absent")), body: "" }).replaceAll("absent", "fake")),
    );
  });

  it("is accepted with a token for the target beside it, as SDKs send it", async () => {
    await using fixture = await openShop();
    const { body } = forwarding("bills");
    const name =
      element === "ForwardTo"
        ? "servicebussupplementaryauthorization"
        : "servicebusdlqsupplementaryauthorization";
    const given = (key: SharedAccessKey, target: string) => ({
      body,
      key: shop,
      headers: { ...update, [name]: tokenOf(key, `${fixture.origin}/${target}`) },
    });
    expect(await fixture.ask("PUT", "/orders", given(both, "bills"))).toMatchObject({ status: 200 });
    expect(await fixture.ask("PUT", "/orders", given(shop, "bills"))).toMatchObject({ status: 401 });
    expect(await fixture.ask("PUT", "/orders", given(rootKey, "other"))).toMatchObject({ status: 401 });
  });

  it("is set by the official SDK with a key of the namespace", async () => {
    await using fixture = await openShop();
    const client = new ServiceBusAdministrationClient(
      `Endpoint=sb://127.0.0.1:${fixture.server.port}/;SharedAccessKeyName=${rootKey.name};SharedAccessKey=${rootKey.key}`,
    );
    speakPlainHttp(client);
    const option = element === "ForwardTo" ? "forwardTo" : "forwardDeadLetteredMessagesTo";
    await client.createQueue("relay", { [option]: "bills" });
    expect(fixture.broker.getEntity("relay").options).toMatchObject({ [option]: "bills" });
  });
});

describe("a queue with the address of a subscription", () => {
  it("belongs to no topic: the topic's key cannot read, change, empty or delete it", async () => {
    await using fixture = await openShop();
    const { broker, ask } = fixture;
    await broker.createQueue("t/subscriptions/fake");
    const path = "/t/Subscriptions/fake";
    const requests = [
      ["GET", ""],
      ["DELETE", ""],
      ["PUT", "", entryOf("SubscriptionDescription", "<MaxDeliveryCount>3</MaxDeliveryCount>")],
      ["GET", "/Rules"],
    ] as const;
    for (const [method, more, body] of requests) {
      const options = { key: news, headers: update, ...(body !== undefined && { body }) };
      const { status, body: text } = await ask(method, `${path}${more}`, options);
      const missing = await ask(method, `/t/Subscriptions/absent${more}`, options);
      expect(status).toBe(missing.status);
      expect(text).not.toContain("QueueDescription");
    }
    const untracked = (text: string) => text.replace(/ TrackingId:.*/s, "").replaceAll("fake", "absent");
    for (const [method, before, after] of [
      ["POST", "/$waybill/purge", ""],
      ["POST", "/$waybill/reset", ""],
      ["POST", "", "/messages"],
      ["POST", "", "/messages/head"],
      ["DELETE", "", "/$deadletterqueue/messages/head"],
    ] as const) {
      const existing = await ask(method, `${before}${path}${after}`, { key: news });
      const missing = await ask(method, `${before}/t/Subscriptions/absent${after}`, { key: news });
      expect(existing.status).toBe(missing.status);
      expect(untracked(existing.body)).toBe(untracked(missing.body));
    }
    expect(broker.getEntity("t/subscriptions/fake").options).toMatchObject({ maxDeliveryCount: 10 });
  });

  it("is read and deleted with a key of the namespace", async () => {
    await using fixture = await openShop();
    await fixture.broker.createQueue("t/subscriptions/fake");
    const read = await fixture.ask("GET", "/t/subscriptions/fake");
    expect(read.body).toContain("<QueueDescription");
    expect(await fixture.ask("DELETE", "/t/subscriptions/fake")).toMatchObject({ status: 200 });
    expect(fixture.broker.listEntities().map(({ path }) => path)).not.toContain("t/subscriptions/fake");
  });
});

describe("a token without the right to manage", () => {
  it.each([
    ["GET", "/orders", "Manage,EntityRead claims required for this operation."],
    ["GET", "/$Resources/Queues", "Manage,EntityRead claims required for this operation."],
    ["PUT", "/orders", "Authorization failed for specified action: Manage,EntityWrite."],
    ["DELETE", "/orders", "Authorization failed for specified action: Manage,EntityDelete."],
    ["GET", "/t/Subscriptions/s", "Unauthorized access for 'GetSubscription' operation."],
    ["GET", "/t/Subscriptions", "Unauthorized access for 'EnumerateSubscriptions' operation."],
    ["PUT", "/t/Subscriptions/s", "Unauthorized access for 'CreateOrUpdateSubscription' operation."],
    ["DELETE", "/t/Subscriptions/s", "Unauthorized access for 'DeleteSubscription' operation."],
  ])("is refused in the service's words: %s %s", async (method, path, detail) => {
    await using fixture = await openShop();
    expect(await fixture.ask(method, path, { key: reader })).toMatchObject({ status: 401, detail });
  });
});
