// #region imports
import { ServiceBusClient } from "@azure/service-bus";
import { WaybillClient } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { azureTransport } from "@waybill/transport-azure";
// #endregion
import { connectionString, orderIds, totalOf } from "../shop.js";
import { orderPlaced } from "./order-placed.js";

// #region client
const serviceBusClient = new ServiceBusClient(connectionString);
const client = new WaybillClient(azureTransport(serviceBusClient), {
  serializer: json(),
  messageTypes: [orderPlaced],
});
// #endregion
const sender = client.createSender("orders");
for (const id of orderIds) {
  // #region send
  const order = { id, total: totalOf(id) };
  const properties = {
    messageId: `order-${id}`,
    applicationProperties: { type: "order-placed", tenant: "north" },
  };
  await sender.sendMessages(orderPlaced.message(order, properties));
  // #endregion
}
await client.close();
await serviceBusClient.close();
