import { ServiceBusClient } from "@azure/service-bus";
import { WaybillClient } from "@waybill/core";
import { avro } from "@waybill/serializer-avro";
import { azureTransport } from "@waybill/transport-azure";
import { connectionString, handleOrder, stopRequested } from "../shop.js";
import { orderPlaced } from "./order-placed.js";

const serviceBusClient = new ServiceBusClient(connectionString);
const client = new WaybillClient(azureTransport(serviceBusClient), {
  serializer: avro(),
  messageTypes: [orderPlaced],
});
const subscription = client.subscribe("orders", {
  processMessage: {
    "order-placed": ({ body: { orderId, cents }, deserialization }) => {
      const { serializer, messageVersion } = deserialization;
      handleOrder(Number(orderId.slice(2)), cents, `waybill, ${serializer} v${messageVersion}`);
    },
  },
  processError: ({ error }) => console.error(error),
});

await stopRequested();
await subscription.close();
await client.close();
await serviceBusClient.close();
