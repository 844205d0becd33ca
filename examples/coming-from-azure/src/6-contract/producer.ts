import { ServiceBusClient } from "@azure/service-bus";
import { WaybillClient } from "@waybill/core";
import { avro } from "@waybill/serializer-avro";
import { azureTransport } from "@waybill/transport-azure";
import { centsOf, connectionString, orderIds } from "../shop.js";
import { orderPlaced } from "./order-placed.js";

const serviceBusClient = new ServiceBusClient(connectionString);
// #region client
const client = new WaybillClient(azureTransport(serviceBusClient), {
  serializer: avro(),
  messageTypes: [orderPlaced],
});
// #endregion
const sender = client.createSender("orders");
for (const id of orderIds) {
  const order = { orderId: `o-${id}`, cents: centsOf(id) };
  const properties = { messageId: `order-${id}`, applicationProperties: { tenant: "north" } };
  await sender.sendMessages(orderPlaced.message(order, properties));
}
await client.close();
await serviceBusClient.close();
