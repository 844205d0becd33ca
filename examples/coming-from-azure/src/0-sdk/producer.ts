import { ServiceBusClient } from "@azure/service-bus";
import { connectionString, orderIds, totalOf } from "../shop.js";

const client = new ServiceBusClient(connectionString);
const sender = client.createSender("orders");
for (const id of orderIds) {
  await sender.sendMessages({
    body: { id, total: totalOf(id) },
    messageId: `order-${id}`,
    applicationProperties: { type: "order-placed", tenant: "north" },
  });
}
await client.close();
