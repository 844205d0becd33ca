import { ServiceBusClient } from "@azure/service-bus";
import { createPipeline, WaybillClient } from "@waybill/core";
import { announceReader, queueBeaconStore } from "@waybill/migration/plan";
import { json } from "@waybill/serializer-json";
import { azureTransport } from "@waybill/transport-azure";
import { connectionString, handleOrder, stopRequested } from "../shop.js";
import { orderPlaced } from "./order-placed.js";

const serviceBusClient = new ServiceBusClient(connectionString);
const transport = azureTransport(serviceBusClient);
const beacons = queueBeaconStore(transport, "capabilities");
// #region subscribe
const pipeline = createPipeline({ serializer: json(), messageTypes: [orderPlaced] });
const readers = await announceReader(beacons, pipeline, { reader: "warehouse", entities: ["orders"] });
const client = new WaybillClient(transport, { pipeline, readerDirectory: readers });
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
await readers.close();
await serviceBusClient.close();
