import { defineConfig } from "@waybill/cli";
import { WritePlan } from "@waybill/migration/plan";
import { orderPlaced } from "./src/order-placed.js";
import { both } from "./src/pipelines.js";

/** What shop and warehouse write and read during the migration, for waybill.contract.json. */
export default defineConfig({
  pipeline: both,
  writePlans: [
    new WritePlan(orderPlaced, {
      from: { serializer: "json", version: 1 },
      to: { serializer: "avro", version: 2 },
    }),
  ],
  contract: { service: "shop", sends: ["orders"], receives: ["orders"] },
});
