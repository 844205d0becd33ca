import { createPipeline } from "@waybill/core";
import { avro } from "@waybill/serializer-avro";
import { json } from "@waybill/serializer-json";
import { orderPlaced, orderPlacedAfter, orderPlacedBefore } from "./order-placed.js";

/** The chain before the migration: JSON version 1. */
export const before = createPipeline({ serializer: json(), messageTypes: [orderPlacedBefore] });

// #region both
/** The chain during the migration: it reads both formats. The write plan decides what is written. */
export const both = createPipeline({
  serializer: json(),
  additionalDeserializers: [avro()],
  messageTypes: [orderPlaced],
});
// #endregion

/** The chain after it: Avro version 2. */
export const after = createPipeline({ serializer: avro(), messageTypes: [orderPlacedAfter] });
