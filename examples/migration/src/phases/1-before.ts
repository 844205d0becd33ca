import { shopBefore, warehouseBefore } from "../deployments.js";
import type { Fixture } from "../fixture.js";
import { before } from "../pipelines.js";
import { say, showCensus } from "../report.js";
import { ordersFrom, partnerPlaces } from "../shop.js";

/** Everything is JSON version 1, and the queue has the usual old messages. */
export async function beforeTheMigration(fixture: Fixture): Promise<void> {
  const shop = shopBefore(fixture);
  await shop.place(ordersFrom(1, 30));
  await shop.preorder(ordersFrom(31, 33), 2);
  await shop.preorder(ordersFrom(34, 36), 9);
  await partnerPlaces(fixture, ordersFrom(1, 4, "p"));

  say(
    "The warehouse ships what it can. Some articles are out of stock, and some countries have no tax rate.",
  );
  const unusual = { "o-3": "defer", "o-13": "defer", "o-7": "fail", "o-17": "fail" } as const;
  await warehouseBefore(fixture).work(32, ({ id }) => unusual[id as keyof typeof unusual] ?? "ship");
  await shop.place(ordersFrom(37, 40));
  showCensus(await fixture.takeCensus(before));
}
