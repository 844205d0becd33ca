// #region start
import { ServiceBusClient } from "@azure/service-bus";
import { createBroker } from "@waybill/broker";
import { serve } from "@waybill/broker-server";
// #endregion
import { expect, it } from "vitest";

it("serves the official client", async () => {
  // #region serve
  const broker = createBroker();
  await broker.createQueue("orders");
  const server = await serve(broker, { port: 0 });

  const client = new ServiceBusClient(server.connectionString);
  await client.createSender("orders").sendMessages({ body: "hello" });
  const receiver = client.createReceiver("orders");
  const [message] = await receiver.receiveMessages(1);
  await receiver.completeMessage(message!);

  await client.close();
  await server.close();
  await broker.close();
  // #endregion
  expect(message!.body).toBe("hello");
});

it("serves clients with their own keys", async () => {
  await using broker = createBroker();
  // #region keys
  await using server = await serve(broker, {
    port: 0,
    keys: [
      { name: "RootManageSharedAccessKey", key: "the-root-secret", rights: ["Manage"] },
      { name: "producer", key: "the-producers-secret", rights: ["Send"], entity: "orders" },
    ],
  });
  // #endregion
  expect(server.connectionString).toContain(
    "SharedAccessKeyName=RootManageSharedAccessKey;SharedAccessKey=the-root-secret",
  );
});

it("applies its limits", async () => {
  await using broker = createBroker();
  await broker.createQueue("orders");
  // #region limits
  await using server = await serve(broker, {
    port: 0,
    keys: [{ name: "app", key: "the-apps-secret", rights: ["Send", "Listen"], entity: "orders" }],
    limits: {
      connections: 200,
      connectionBytes: 8 * 2 ** 20,
      unauthenticated: { connections: 50, totalBytes: 4 * 2 ** 20 },
    },
  });
  // #endregion
  const client = new ServiceBusClient(server.connectionString);
  await client.createSender("orders").sendMessages({ body: "hello" });
  await client.close();
  expect(broker.getEntity("orders").activeMessageCount).toBe(1);
});
