import { shopWithPlan, warehouseBefore, warehouseWithBoth } from "../deployments.js";
import type { Fixture } from "../fixture.js";
import { both } from "../pipelines.js";
import { say, showCensus } from "../report.js";
import { ordersFrom } from "../shop.js";

/** A percentage is written in the new format. The warehouse is rolled back, and the plan is stopped. */
export async function writeSome(fixture: Fixture): Promise<void> {
  const { shop, plan } = shopWithPlan(fixture);
  await warehouseWithBoth(fixture).announce("host-1");
  await plan.setPercent(25);
  await shop.place(ordersFrom(51, 90));
  say(`${plan.percent} % of the orders are written as Avro.`);
  showCensus(await fixture.takeCensus(both));

  say("\nThe warehouse is rolled back to a version that reads only JSON.");
  // #region roll-back
  const rolledBack = warehouseBefore(fixture);
  await rolledBack.announce("host-2");
  await rolledBack.work(20);

  for (const objection of await plan.recheck()) say(`Objection: ${objection}.`);
  say(`The plan is stopped: ${plan.percent} % are written as Avro.`);
  await shop.place(ordersFrom(91, 100));
  // #endregion
  say("The Avro orders that the old warehouse received are dead-lettered, not lost.");
  showCensus(await fixture.takeCensus(both));
}
