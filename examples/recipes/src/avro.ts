import { createPipeline } from "@waybill/core";
import { avro } from "@waybill/serializer-avro";

const id = { name: "id", type: "long" };
const older = { type: "record", name: "Order", fields: [id] };
const newer = {
  type: "record",
  name: "Order",
  fields: [id, { name: "paid", type: "boolean", default: false }],
};
const producer = createPipeline({ serializer: avro({ schema: older }) });
const consumer = createPipeline({ serializer: avro({ schema: newer, writerSchemas: [older] }) });

const message = await producer.serialize({ body: { id: 1 } });
console.log(message.contentType);
const outcome = await consumer.deserialize(message);
console.log(outcome.status === "decoded" && outcome.body);
// application/avro
// { id: 1, paid: false }
