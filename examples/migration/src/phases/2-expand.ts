import { ShadowCheck } from "@waybill/migration/plan";
import { shopWithPlan, warehouseWithBoth } from "../deployments.js";
import type { Fixture } from "../fixture.js";
import { orderPlaced } from "../order-placed.js";
import { both } from "../pipelines.js";
import { say, showCensus } from "../report.js";
import { ordersFrom } from "../shop.js";

/** Readers first: the warehouse is deployed with both formats; what is written does not change. */
export async function readBoth(fixture: Fixture): Promise<void> {
  // #region expand
  const { shop, plan } = shopWithPlan(fixture);
  await plan.setPercent(25).catch((error: Error) => say(`Refused: ${error.message}`));

  const warehouse = warehouseWithBoth(fixture);
  await warehouse.announce("host-1");
  // #endregion
  say("The warehouse is deployed with both formats, and has announced them.");
  await shop.place(ordersFrom(41, 50));
  await warehouse.work(8);

  // #region shadow
  const shadow = new ShadowCheck({ candidate: { serializer: "avro" }, sampleRate: 1 });
  const pipeline = shadow.observe(both);
  for (const { id, cents } of ordersFrom(1, 100))
    await pipeline.serialize(orderPlaced.message({ orderId: id, cents }));
  const { sampled, same } = await shadow.report();
  say(`Shadow check: readers would see ${same} of ${sampled} orders in Avro as they are.`);
  // #endregion
  showCensus(await fixture.takeCensus(both));
}
