import { ServiceBusClient } from "@azure/service-bus";
import { WaybillClient } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { azureTransport } from "@waybill/transport-azure";
import { connectionString, handleOrder, stopRequested } from "../shop.js";
import { orderPlaced } from "./order-placed.js";

const serviceBusClient = new ServiceBusClient(connectionString);
// #region subscribe
const client = new WaybillClient(azureTransport(serviceBusClient), {
  serializer: json(),
  messageTypes: [orderPlaced],
});
const subscription = client.subscribe("orders", {
  processMessage: {
    "order-placed": ({ body: { id, total }, deserialization }) => {
      const { serializer, messageVersion } = deserialization;
      handleOrder(id, Math.round(Number(total) * 100), `waybill, ${serializer} v${messageVersion}`);
    },
  },
  processError: ({ error }) => console.error(error),
});
// #endregion

await stopRequested();
await subscription.close();
await client.close();
await serviceBusClient.close();
