import { ServiceBusClient } from "@azure/service-bus";
import { createPipeline, WaybillClient } from "@waybill/core";
import { announceReader, queueBeaconStore } from "@waybill/migration/plan";
import { avro } from "@waybill/serializer-avro";
import { azureTransport } from "@waybill/transport-azure";
import { connectionString, handleOrder, stopRequested } from "../shop.js";
import { orderPlaced } from "./order-placed.js";

const serviceBusClient = new ServiceBusClient(connectionString);
const transport = azureTransport(serviceBusClient);
const beacons = queueBeaconStore(transport, "capabilities");
const pipeline = createPipeline({ serializer: avro(), messageTypes: [orderPlaced] });
const readers = await announceReader(beacons, pipeline, { reader: "warehouse", entities: ["orders"] });
const client = new WaybillClient(transport, { pipeline, readerDirectory: readers });
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
await readers.close();
await serviceBusClient.close();
