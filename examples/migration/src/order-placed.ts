import { defineMessage } from "@waybill/core";
import { z } from "zod";

/** An order in the code of shop and warehouse, whatever is on the wire. */
export interface Order {
  readonly id: string;
  readonly cents: number;
}

/** Version 2 in Avro. */
const avroOrder = {
  type: "record",
  name: "OrderPlaced",
  fields: [
    { name: "orderId", type: "string" },
    { name: "cents", type: "long" },
  ],
} as const;

const version2 = {
  body: z.object({ orderId: z.string(), cents: z.number().int().min(0).max(99_999_999_999) }),
  avro: avroOrder,
};

/** `"12.50"`: what every upcast and downcast can convert. */
const totalText = z.string().regex(/^\d{1,9}\.\d\d$/);

/** Before the migration: JSON version 1 and nothing else. */
export const orderPlacedBefore = defineMessage("order-placed", {
  version: 1,
  schemas: { 1: z.object({ id: z.string(), total: totalText }) },
});

// #region expand
/** Expand: both versions, with upcaster and downcaster. */
export const orderPlaced = defineMessage("order-placed", {
  version: 2,
  schemas: {
    // Version 1 as it is on the wire, not as it was meant: a partner writes the total as a number.
    1: z.object({ id: z.string(), total: z.union([totalText, z.number().min(0).max(999_999_999)]) }),
    2: version2,
  },
  upcasters: { 1: ({ id, total }) => ({ orderId: id, cents: Math.round(Number(total) * 100) }) },
  downcasters: { 2: ({ orderId, cents }) => ({ id: orderId, total: (cents / 100).toFixed(2) }) },
});
// #endregion

// #region contract
/** Contract: only version 2 is left, and the knowledge that there was a version 1. */
export const orderPlacedAfter = defineMessage("order-placed", {
  version: 2,
  schemas: { 2: version2 },
  removed: [1],
});
// #endregion
