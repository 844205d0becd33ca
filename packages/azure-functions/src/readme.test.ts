// #region imports
import { app } from "@azure/functions";
import { ServiceBusClient } from "@azure/service-bus";
import { waybillFunctions } from "@waybill/azure-functions";
import { bodyType, DeadLetterError, defineMessage } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";
// #endregion
import { expect, it } from "vitest";
import { openFunctionsHost } from "./functions-host.test-support.js";
import { sessionState } from "./orders.test-support.js";

it("shows a function", async () => {
  await using host = await openFunctionsHost();
  process.env.ServiceBus = host.connectionString;
  const shipped: unknown[] = [];
  const ship = async (orderId: string): Promise<void> => void shipped.push(orderId);
  // #region functions
  const orderPlaced = defineMessage("order-placed", {
    version: 1,
    schemas: { 1: bodyType<{ orderId: string; items: number }>() },
  });
  const functions = waybillFunctions({
    serializer: json(),
    additionalDeserializers: [msgpack()],
    messageTypes: [orderPlaced],
    serviceBusClient: () => new ServiceBusClient(process.env.ServiceBus!),
  });
  app.hook.appTerminate(() => functions.close());
  // #endregion
  // #region queue
  app.serviceBusQueue(
    "orders",
    functions.serviceBusQueue(
      { connection: "ServiceBus", queueName: "orders", cardinality: "many" },
      {
        processMessage: {
          "order-placed": async ({ body }, { invocation }) => {
            if (body.items === 0) throw new DeadLetterError("EmptyOrder", "An order needs items.");
            invocation.log(`shipping ${body.orderId}`);
            await ship(body.orderId);
          },
        },
      },
    ),
  );
  // #endregion
  // #region send
  await functions.client
    .createSender("orders")
    .sendMessages([
      orderPlaced.message({ orderId: "o-1", items: 2 }),
      orderPlaced.message({ orderId: "o-2", items: 0 }),
    ]);
  // #endregion
  await host.deliver("orders", 10);
  expect(shipped).toEqual(["o-1"]);
  expect(host.broker.getEntity("orders")).toMatchObject({ activeMessageCount: 0, deadLetterMessageCount: 1 });
  expect(host.logs[0]).toBe("shipping o-1");
  await functions.close();
});

it("takes the place of a plain handler", async () => {
  await using host = await openFunctionsHost();
  const ship = async (_orderId: string): Promise<void> => {};
  // #region plain
  app.serviceBusQueue("plain", {
    connection: "ServiceBus",
    queueName: "orders",
    handler: async (message, context) => {
      const order = message as { orderId: string };
      context.log(`shipping ${order.orderId}`);
      await ship(order.orderId);
    },
  });
  // #endregion
  await host.client.createSender("orders").sendMessages({ body: { orderId: "o-1" } });
  await host.deliver("plain");
  expect(host.logs[0]).toBe("shipping o-1");
});

it("shows the same with the SDK binding", async () => {
  await using host = await openFunctionsHost({ requiresSession: true });
  const functions = waybillFunctions({ serializer: json() });
  // #region session
  app.serviceBusQueue(
    "totals",
    functions.serviceBusQueue(
      { connection: "ServiceBus", queueName: "orders", sdkBinding: true, isSessionsEnabled: true },
      {
        async processMessage({ body }, { session }) {
          await session?.setSessionState({ last: body });
        },
      },
    ),
  );
  // #endregion
  await host.client
    .createSender("orders")
    .sendMessages({ body: { id: 1 }, contentType: "application/json", sessionId: "customer-7" });
  expect(await host.deliver("totals")).toBeUndefined();
  expect(await sessionState(host.client, "customer-7")).toEqual({ last: { id: 1 } });
});
