import { ServiceBusAdministrationClient } from "@azure/service-bus";
import { createBroker, createManualClock } from "@waybill/broker";
import { speakPlainHttp } from "@waybill/transport-azure";
import { describe, expect, it } from "vitest";
import { codeOf, connect } from "./fixture.test-support.js";
import { tokenOf } from "./http/http.test-support.js";
import { serve } from "./index.js";
import { connectRaw, numberIn } from "./raw-client.test-support.js";

const root = { name: "RootManageSharedAccessKey", key: "the-root-secret", rights: ["Manage"] } as const;

async function openServer() {
  const broker = createBroker();
  const server = await serve(broker, { port: 0, keys: [root] });
  const endpoint = `Endpoint=sb://localhost:${server.port}/`;
  const client = new ServiceBusAdministrationClient(
    `${endpoint};SharedAccessKeyName=${root.name};SharedAccessKey=${root.key}`,
  );
  speakPlainHttp(client);
  return {
    broker,
    server,
    client,
    as: (name: string, key: string) =>
      connect(`${endpoint};SharedAccessKeyName=${name};SharedAccessKey=${key};UseDevelopmentEmulator=true`),
    async [Symbol.asyncDispose]() {
      await server.close();
      await broker.close();
    },
  };
}

const sends = {
  claimType: "SharedAccessKey",
  accessRights: ["Send"] as ("Send" | "Listen" | "Manage")[],
  keyName: "producer",
  primaryKey: "cHJpbWFyeQ==",
  secondaryKey: "c2Vjb25kYXJ5",
};

describe("an authorization rule of an entity", () => {
  it("is created, listed and updated with the official SDK", async () => {
    await using fixture = await openServer();
    const { client } = fixture;
    const created = await client.createQueue("orders", { authorizationRules: [sends] });
    expect(created.authorizationRules).toMatchObject([sends]);
    const read = await client.getQueue("orders");
    expect(read.authorizationRules).toMatchObject([sends]);
    const listens = { ...sends, accessRights: ["Listen" as const], keyName: "consumer" };
    read.authorizationRules = [listens];
    expect((await client.updateQueue(read)).authorizationRules).toMatchObject([listens]);
    expect(
      (await client.createTopic("events", { authorizationRules: [sends] })).authorizationRules,
    ).toMatchObject([sends]);
  });

  it.each(["primaryKey", "secondaryKey"] as const)(
    "opens its entity only, with its rights: %s",
    async (key) => {
      await using fixture = await openServer();
      await fixture.client.createQueue("orders", { authorizationRules: [sends] });
      await fixture.client.createQueue("other");
      const producer = fixture.as(sends.keyName, sends[key]);
      await producer.createSender("orders").sendMessages({ body: 1 });
      expect(await codeOf(producer.createSender("other").sendMessages({ body: 1 }))).toBe(
        "UnauthorizedAccess",
      );
      expect(await codeOf(producer.createReceiver("orders").receiveMessages(1))).toBe("UnauthorizedAccess");
      await producer.close();
      expect(fixture.broker.getEntity("orders").activeMessageCount).toBe(1);
    },
  );

  it("is valid with SASL PLAIN, too, and no longer once it is removed", async () => {
    await using fixture = await openServer();
    const queue = await fixture.client.createQueue("orders", { authorizationRules: [sends] });
    const sasl = { mechanism: "PLAIN", initialResponse: Buffer.from(`\0producer\0${sends.primaryKey}`) };
    await using plain = await connectRaw(fixture.server, sasl);
    await plain.sender("orders");
    await fixture.client.updateQueue({ ...queue, authorizationRules: [] });
    const refused = fixture.as(sends.keyName, sends.primaryKey);
    expect(await codeOf(refused.createSender("orders").sendMessages({ body: 1 }))).toBe("UnauthorizedAccess");
    await refused.close();
  });

  it("can be removed or its key changed: its tokens are refused from then on, but a connection may use one until it expires", async () => {
    const clock = createManualClock(new Date());
    await using broker = createBroker({ clock });
    const { keyName, primaryKey, secondaryKey } = sends;
    const rule = { keyName, primaryKey, secondaryKey, rights: ["Send" as const] };
    await broker.createQueue("orders", { authorizationRules: [rule] });
    await using server = await serve(broker, { port: 0, keys: [root] });
    await using client = await connectRaw(server);
    const put = async (key: string) => {
      const cbs = await client.management("$cbs");
      const token = tokenOf({ name: keyName, key }, "sb://h/orders");
      return numberIn(await cbs.call("put-token", token, { name: "sb://h/orders" }), "status-code");
    };
    expect(await put(primaryKey)).toBe(202);
    await client.send("orders", "before");
    await broker.updateEntity("orders", { authorizationRules: [{ ...rule, primaryKey: "another" }] });
    await client.send("orders", "after the change");
    await broker.updateEntity("orders", { authorizationRules: [] });
    await client.send("orders", "after the removal");
    for (const key of [primaryKey, secondaryKey, "another"]) expect(await put(key)).toBe(401);
    await client.send("orders", "still");
    clock.advance(601_000);
    await expect(client.sender("orders")).rejects.toThrow("amqp:unauthorized-access");
    expect(broker.getEntity("orders").activeMessageCount).toBe(4);
  });

  it("gets keys if it is created without", async () => {
    await using fixture = await openServer();
    const { primaryKey: _p, secondaryKey: _s, ...bare } = sends;
    const [rule] =
      (await fixture.client.createQueue("orders", { authorizationRules: [bare] })).authorizationRules ?? [];
    expect(rule?.primaryKey).toMatch(/^\S{44}$/);
    expect(rule?.secondaryKey).not.toBe(rule?.primaryKey);
    const producer = fixture.as("producer", rule?.primaryKey ?? "");
    await producer.createSender("orders").sendMessages({ body: 1 });
    await producer.close();
  });
});
