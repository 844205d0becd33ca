import { hostname } from "node:os";
import { ServiceBusClient } from "@azure/service-bus";
import { createPipeline, WaybillClient } from "@waybill/core";
import { queueReadStore, recordReads } from "@waybill/migration/census";
import { announceReader, queueBeaconStore } from "@waybill/migration/plan";
import { avro } from "@waybill/serializer-avro";
import { json } from "@waybill/serializer-json";
import { azureTransport } from "@waybill/transport-azure";
import { connectionString, handleOrder, stopRequested } from "../shop.js";
import { orderPlaced } from "./order-placed.js";

const serviceBusClient = new ServiceBusClient(connectionString);
// #region read-both
const transport = azureTransport(serviceBusClient);
const beacons = queueBeaconStore(transport, "capabilities");
const pipeline = createPipeline({
  serializer: json(),
  additionalDeserializers: [avro()],
  messageTypes: [orderPlaced],
});
// Producers ask what every consumer reads before they write anything new.
const readers = await announceReader(beacons, pipeline, { reader: "warehouse", entities: ["orders"] });
// What it reads of each format and version, for the verdict on the old ones.
const reads = await recordReads(pipeline, queueReadStore(transport, "capabilities"), {
  reader: "warehouse",
  instance: `${hostname()}-${process.pid}`,
});
const client = new WaybillClient(transport, { pipeline: reads.pipeline, readerDirectory: readers });
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
await client.close();
await reads.close();
await readers.close();
await serviceBusClient.close();
