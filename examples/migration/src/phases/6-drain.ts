import { warehouseWithBoth } from "../deployments.js";
import type { Fixture } from "../fixture.js";
import { both } from "../pipelines.js";
import { say, showCensus, showVerdict } from "../report.js";
import { retirementVerdicts } from "../retirement.js";
import { ordersFrom, partnerPlaces } from "../shop.js";
import { shopStoppedAt } from "./5-write-new.js";

/** Scheduled messages become active, deferred ones are received, and the census reveals a forgotten writer. */
export async function drain(fixture: Fixture): Promise<void> {
  const warehouse = warehouseWithBoth(fixture);
  await warehouse.announce("host-1");
  await partnerPlaces(fixture, ordersFrom(5, 6, "p"));
  showCensus(await fixture.takeCensus(both));

  fixture.clock.advance(3_600_000);
  await warehouse.work(1_000);
  await warehouse.shipDeferred();
  say("An hour later, no messages wait, but still:");
  for (const verdict of await retirementVerdicts(fixture, shopStoppedAt)) showVerdict(verdict);
  say("It was the partner. From today on it sends its orders through the shop.");
}
