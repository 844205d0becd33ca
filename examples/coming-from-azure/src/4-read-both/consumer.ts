import { hostname } from "node:os";
import { ServiceBusClient } from "@azure/service-bus";
import { createPipeline, WaybillClient } from "@waybill/core";
import { announceCapability, queueBeaconStore, readerCapability } from "@waybill/migration";
import { avro } from "@waybill/serializer-avro";
import { json } from "@waybill/serializer-json";
import { azureTransport } from "@waybill/transport-azure";
import { connectionString, handleOrder, stopRequested } from "../shop.js";
import { orderPlaced } from "./order-placed.js";

const serviceBusClient = new ServiceBusClient(connectionString);
// #region read-both
const transport = azureTransport(serviceBusClient);
const pipeline = createPipeline({
  serializer: json(),
  additionalDeserializers: [avro()],
  messageTypes: [orderPlaced],
});
const client = new WaybillClient(transport, { pipeline });

// Producers ask what every consumer reads before they write anything new.
const announcement = await announceCapability(
  queueBeaconStore(transport, "capabilities"),
  readerCapability(pipeline),
  { reader: "warehouse", instance: `${hostname()}-${process.pid}` },
);
// #endregion
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
await announcement.close();
await client.close();
await serviceBusClient.close();
