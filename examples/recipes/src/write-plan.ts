import { createBroker } from "@waybill/broker";
import { createPipeline, defineMessage, WaybillClient } from "@waybill/core";
import {
  announceReader,
  beaconGuard,
  queueBeaconStore,
  WritePlan,
  withWritePlans,
} from "@waybill/migration/plan";
import { avro } from "@waybill/serializer-avro";
import { json } from "@waybill/serializer-json";
import { localTransport } from "@waybill/transport-local";
import { z } from "zod";

const orderPlaced = defineMessage("order-placed", {
  version: 2,
  schemas: {
    1: z.object({ id: z.number(), total: z.string() }),
    2: {
      body: z.object({ id: z.number(), cents: z.number() }),
      avro: {
        type: "record",
        name: "OrderPlaced",
        fields: [
          { name: "id", type: "int" },
          { name: "cents", type: "long" },
        ],
      },
    },
  },
  upcasters: { 1: ({ id, total }) => ({ id, cents: Math.round(Number(total) * 100) }) },
  downcasters: { 2: ({ id, cents }) => ({ id, total: (cents / 100).toFixed(2) }) },
});

const broker = createBroker();
await broker.createQueue("orders");
await broker.createQueue("capabilities");
const transport = localTransport(broker);
const store = queueBeaconStore(transport, "capabilities");

// #region plan
const pipeline = createPipeline({
  serializer: json(),
  additionalDeserializers: [avro()],
  messageTypes: [orderPlaced],
});
const plan = new WritePlan(orderPlaced, {
  from: { serializer: "json", version: 1 },
  to: { serializer: "avro", version: 2 },
  guard: beaconGuard({ store, readers: [{ name: "billing", instances: 1 }], pipeline }),
});
const client = new WaybillClient(transport, { pipeline: withWritePlans(pipeline, [plan]) });
// #endregion

const sender = client.createSender("orders");
const place = (id: number) =>
  sender.sendMessages(orderPlaced.message({ id, cents: 990 }, { messageId: `m${id}` }));

// #region raise
await place(1);
await plan.setPercent(100).catch((error: Error) => console.log(error.message));

// The reader is deployed with both formats, and announces them.
const announced = await announceReader(store, pipeline, { reader: "billing", entities: ["orders"] });
await plan.setPercent(100);
await place(2);
plan.stop();
await place(3);
// #endregion

for (const { messageId, contentType, applicationProperties } of await client
  .createReceiver("orders")
  .peekMessages(3)) {
  console.log(messageId, contentType, applicationProperties.messageVersion);
}
await client.close();
await announced.close();
// [operation-invalid] "order-placed" is not written as avro version 2 at 100 %: "billing" has not said what it can read; it does with announceReader.
// m1 application/json 1
// m2 application/avro 2
// m3 application/json 1
