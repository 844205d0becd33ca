import { shopAfter, shopWithPlan, warehouseAfter, warehouseWithBoth } from "../deployments.js";
import type { Fixture } from "../fixture.js";
import { after } from "../pipelines.js";
import { say, showCensus, showVerdict } from "../report.js";
import { retirementVerdicts } from "../retirement.js";
import { ordersFrom } from "../shop.js";

/** When the partner, the last writer of JSON, was switched off. */
const partnerStoppedAt = new Date(Date.UTC(2026, 2, 15, 12));

/** Contract: JSON and version 1 are removed from the chain when the verdict is yes, not before. */
export async function retire(fixture: Fixture): Promise<void> {
  const warehouse = warehouseWithBoth(fixture);
  await warehouse.announce("host-1");
  await warehouse.work(1_000);
  const { shop, plan } = shopWithPlan(fixture);
  await plan.setPercent(100);
  await shop.place(ordersFrom(121, 125));

  const verdicts = await retirementVerdicts(fixture, partnerStoppedAt);
  for (const verdict of verdicts) showVerdict(verdict);
  if (!verdicts.every(({ answer }) => answer === "yes")) throw new Error("JSON cannot be retired yet.");

  say("Shop and warehouse are deployed without JSON and without version 1.");
  await shopAfter(fixture).place(ordersFrom(126, 130));
  await warehouseAfter(fixture).work(1_000);
  showCensus(await fixture.takeCensus(after));
}
