import { ServiceBusClient } from "@azure/service-bus";
import { createPipeline, WaybillClient } from "@waybill/core";
import { beaconGuard, queueBeaconStore, WritePlan, withWritePlans } from "@waybill/migration/plan";
import { avro } from "@waybill/serializer-avro";
import { json } from "@waybill/serializer-json";
import { azureTransport } from "@waybill/transport-azure";
import { orderPlaced } from "../4-read-both/order-placed.js";
import { centsOf, connectionString, orderIds } from "../shop.js";

const serviceBusClient = new ServiceBusClient(connectionString);
// #region plan
const transport = azureTransport(serviceBusClient);
const pipeline = createPipeline({
  serializer: json(),
  additionalDeserializers: [avro()],
  messageTypes: [orderPlaced],
});
const plan = new WritePlan(orderPlaced, {
  from: { serializer: "json", version: 1 },
  to: { serializer: "avro", version: 2 },
  guard: beaconGuard({
    store: queueBeaconStore(transport, "capabilities"),
    // How many instances run, those of earlier deployments too: the guard cannot see one that announces nothing.
    readers: [{ name: "warehouse", instances: Number(process.env.WAREHOUSE_INSTANCES ?? 1) }],
    pipeline,
  }),
});
await plan.setPercent(Number(process.env.WRITE_NEW_PERCENT ?? 0));
const client = new WaybillClient(transport, { pipeline: withWritePlans(pipeline, [plan]) });
// #endregion
const sender = client.createSender("orders");
for (const id of orderIds) {
  const order = { orderId: `o-${id}`, cents: centsOf(id) };
  const properties = {
    messageId: `order-${id}`,
    applicationProperties: { type: "order-placed", tenant: "north" },
  };
  await sender.sendMessages(orderPlaced.message(order, properties));
}
await client.close();
await serviceBusClient.close();
