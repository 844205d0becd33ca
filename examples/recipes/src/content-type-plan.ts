import { createBroker } from "@waybill/broker";
import { createPipeline, WaybillClient } from "@waybill/core";
import {
  announceReader,
  beaconGuard,
  ContentTypePlan,
  queueBeaconStore,
  withWritePlans,
} from "@waybill/migration/plan";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";
import { localTransport } from "@waybill/transport-local";

const broker = createBroker();
await broker.createQueue("orders");
await broker.createQueue("capabilities");
const transport = localTransport(broker);
const store = queueBeaconStore(transport, "capabilities");

// #region plan
const pipeline = createPipeline({ serializer: json(), additionalDeserializers: [msgpack()] });
const plan = new ContentTypePlan("orders", {
  from: { contentType: "application/json" },
  to: { contentType: "application/vnd.msgpack" },
  guard: beaconGuard({ store, readers: [{ name: "billing", instances: 1 }], pipeline }),
});
const client = new WaybillClient(transport, { pipeline: withWritePlans(pipeline, [plan]) });
// #endregion

const sender = client.createSender("orders");
await sender.sendMessages({ body: { order: 1 } });
await plan.setPercent(100).catch((error: Error) => console.log(error.message));

const announced = await announceReader(store, pipeline, { reader: "billing", entities: ["orders"] });
await plan.setPercent(100);
await sender.sendMessages({ body: { order: 2 } });
plan.stop();
await sender.sendMessages({ body: { order: 3 } });

for (const { body, contentType } of await client.createReceiver("orders").receiveMessages(3))
  console.log(body, contentType);
await client.close();
await announced.close();
// [operation-invalid] "orders" is not written as application/vnd.msgpack at 100 %: "billing" has not said what it can read; it does with announceReader.
// { order: 1 } application/json
// { order: 2 } application/vnd.msgpack
// { order: 3 } application/json
