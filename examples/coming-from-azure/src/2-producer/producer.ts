import { ServiceBusClient } from "@azure/service-bus";
import { sdkBodies, WaybillClient } from "@waybill/core";
import { azureTransport } from "@waybill/transport-azure";
import { connectionString, orderIds, totalOf } from "../shop.js";

const serviceBusClient = new ServiceBusClient(connectionString);
const client = new WaybillClient(azureTransport(serviceBusClient), sdkBodies());
// #region send
const sender = client.createSender("orders");
for (const id of orderIds) {
  await sender.sendMessages({
    body: { id, total: totalOf(id) },
    messageId: `order-${id}`,
    applicationProperties: { type: "order-placed", tenant: "north" },
  });
}
// #endregion
await client.close();
await serviceBusClient.close();
