import { createPipeline, defineMessage, type Pipeline } from "@waybill/core";
import { avro } from "@waybill/serializer-avro";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";

/** Version 1 of an order, in JSON. */
export interface OrderV1 {
  readonly id: number;
  readonly total: string;
}

/** Version 2 of an order, in Avro. */
export interface OrderV2 {
  readonly id: number;
  readonly cents: number;
}

/** Version 3 of an order, in MessagePack. */
export interface OrderV3 {
  readonly orderId: string;
  readonly cents: number;
}

/** Conversions across three formats: JSON v1 → Avro v2 → MessagePack v3, and back. */
export const orderPlaced = defineMessage("order-placed", {
  version: 3,
  schemas: {
    1: {
      body: (value: unknown) => value as OrderV1,
      json: {
        type: "object",
        required: ["id", "total"],
        properties: { id: { type: "integer" }, total: { type: "string" } },
      },
    },
    2: {
      body: (value: unknown) => {
        const { id, cents } = value as OrderV2;
        if (!Number.isInteger(id) || !Number.isInteger(cents)) throw new TypeError();
        return { id, cents };
      },
      avro: {
        type: "record",
        name: "Order",
        fields: [
          { name: "id", type: "int" },
          { name: "cents", type: "long" },
        ],
      },
    },
    3: (value: unknown) => {
      const { orderId, cents } = value as OrderV3;
      if (typeof orderId !== "string" || !Number.isInteger(cents)) throw new TypeError();
      return { orderId, cents };
    },
  },
  upcasters: {
    1: ({ id, total }) => ({ id, cents: Math.round(Number(total) * 100) }),
    2: ({ id, cents }) => ({ orderId: `o-${id}`, cents }),
  },
  downcasters: {
    3: ({ orderId, cents }) => ({ id: Number(orderId.slice(2)), cents }),
    2: ({ id, cents }) => ({ id, total: (cents / 100).toFixed(2) }),
  },
});

/** A pipeline that writes MessagePack and reads all three. */
export function ordersPipeline(): Pipeline<typeof orderPlaced> {
  return createPipeline({
    serializer: msgpack(),
    additionalDeserializers: [avro(), json()],
    messageTypes: [orderPlaced],
  });
}

/** Order number `id` in the current version. */
export function order(id: number, cents = 1250): OrderV3 {
  return { orderId: `o-${id}`, cents };
}
