import { defineMessage } from "@waybill/core";
import { z } from "zod";

// #region define
/** The order on the wire today: version 1. */
export const orderPlaced = defineMessage("order-placed", {
  version: 1,
  schemas: { 1: z.object({ id: z.number(), total: z.string() }) },
});
// #endregion
