import { defineMessage } from "@waybill/core";
import { z } from "zod";

// #region define
/** Only version 2 is left, and the knowledge that there was a version 1. */
export const orderPlaced = defineMessage("order-placed", {
  version: 2,
  schemas: {
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
  removed: [1],
});
// #endregion
