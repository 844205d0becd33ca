import { shopWithPlan, warehouseWithBoth } from "../deployments.js";
import type { Fixture } from "../fixture.js";
import { both } from "../pipelines.js";
import { say, showCensus, showVerdict } from "../report.js";
import { retirementVerdicts } from "../retirement.js";
import { ordersFrom } from "../shop.js";

/** When the shop stopped writing JSON, as its owners state. */
export const shopStoppedAt = new Date(Date.UTC(2026, 2, 6, 8));

/** Everything is written in the new format; older messages still wait. */
export async function writeNew(fixture: Fixture): Promise<void> {
  const { shop, plan } = shopWithPlan(fixture);
  const warehouse = warehouseWithBoth(fixture);
  await warehouse.announce("host-1");
  // #region write-new
  for (const percent of [50, 100]) await plan.setPercent(percent);
  await shop.place(ordersFrom(101, 120));
  // #endregion
  say(`${plan.percent} % of the orders are written as Avro.`);
  await warehouse.work(6);
  showCensus(await fixture.takeCensus(both));
  for (const verdict of await retirementVerdicts(fixture, shopStoppedAt)) showVerdict(verdict);
}
