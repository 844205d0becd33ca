import { defineMessage } from "@waybill/core";
import { z } from "zod";

// #region define
/** The order in both versions, with upcaster and downcaster. */
export const orderPlaced = defineMessage("order-placed", {
  version: 2,
  schemas: {
    1: z.object({ id: z.number(), total: z.string() }),
    2: {
      body: z.object({ orderId: z.string(), cents: z.number().int() }),
      avro: {
        type: "record",
        name: "OrderPlaced",
        fields: [
          { name: "orderId", type: "string" },
          { name: "cents", type: "long" },
        ],
      },
    },
  },
  upcasters: { 1: ({ id, total }) => ({ orderId: `o-${id}`, cents: Math.round(Number(total) * 100) }) },
  downcasters: {
    2: ({ orderId, cents }) => ({ id: Number(orderId.slice(2)), total: (cents / 100).toFixed(2) }),
  },
});
// #endregion
