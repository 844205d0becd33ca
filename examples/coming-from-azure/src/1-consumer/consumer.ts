// #region imports
import { ServiceBusClient } from "@azure/service-bus";
import { createPipeline, sdkBodies, WaybillClient } from "@waybill/core";
import { announceReader, queueBeaconStore } from "@waybill/migration/plan";
import { azureTransport } from "@waybill/transport-azure";
// #endregion
import { connectionString, handleOrder, type OrderV1, stopRequested } from "../shop.js";

// #region client
const serviceBusClient = new ServiceBusClient(connectionString);
const transport = azureTransport(serviceBusClient);
// Handlers get exactly what the receiver of the SDK gives them.
const pipeline = createPipeline(sdkBodies());

// Says what this instance reads, and knows what others read: for the day on which the format changes.
const beacons = queueBeaconStore(transport, "capabilities");
const readers = await announceReader(beacons, pipeline, { reader: "warehouse", entities: ["orders"] });

const client = new WaybillClient(transport, { pipeline, readerDirectory: readers });
const receiver = client.createReceiver("orders");
// #endregion
const subscription = receiver.subscribe({
  async processMessage(message) {
    const { id, total } = message.body as OrderV1;
    handleOrder(id, Math.round(Number(total) * 100), `waybill, ${message.deserialization.serializer}`);
  },
  async processError({ error }) {
    console.error(error);
  },
});

await stopRequested();
await subscription.close();
// #region close
await client.close();
await readers.close();
await serviceBusClient.close();
// #endregion
