import { avro } from "@waybill/serializer-avro";

export const orderV1 = {
  type: "record",
  name: "Order",
  fields: [{ name: "id", type: "string" }],
};
const orderV2 = {
  type: "record",
  name: "Order",
  fields: [
    { name: "id", type: "string" },
    { name: "placedAt", type: ["null", { type: "long", logicalType: "timestamp-millis" }], default: null },
  ],
};

export const serializer = avro({
  schemas: {
    "order.placed": { schema: orderV2, writerSchemas: [orderV1] },
    "order.cancelled": '{"type":"record","name":"Cancellation","fields":[{"name":"id","type":"string"}]}',
  },
});
