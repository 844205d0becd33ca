// #region imports
import { ServiceBusClient } from "@azure/service-bus";
import { WaybillClient } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { azureTransport } from "@waybill/transport-azure";
// #endregion
import { connectionString, orderIds, totalOf } from "../shop.js";

// #region client
const serviceBusClient = new ServiceBusClient(connectionString);
const client = new WaybillClient(azureTransport(serviceBusClient), { serializer: json() });
// #endregion
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
