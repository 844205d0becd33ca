import type { CatalogEntity } from "@waybill/core/transport";
import { entityPathOf } from "@waybill/core/transport";
import { expect, it } from "vitest";
import { wavesInFlowOrder } from "./places.js";

const paths = (entities: readonly CatalogEntity[]) =>
  wavesInFlowOrder(entities).map((wave) => wave.map(({ entity }) => entityPathOf(entity)).sort());

it("puts what messages move to into later waves: subscriptions, and targets of forwarding", () => {
  expect(
    paths([
      { entity: { queue: "errors" } },
      { entity: { topic: "events", subscription: "billing" }, forwardTo: "orders" },
      { entity: { queue: "Orders" }, forwardDeadLetteredMessagesTo: "errors" },
      { entity: { queue: "alone" } },
      { entity: { topic: "events" } },
    ]),
  ).toEqual([["alone", "events"], ["events/Subscriptions/billing"], ["Orders"], ["errors"]]);
});

it("ends where entities forward in a circle", () => {
  expect(
    paths([
      { entity: { queue: "one" }, forwardTo: "two" },
      { entity: { queue: "two" }, forwardDeadLetteredMessagesTo: "one" },
    ]),
  ).toEqual([["one"], ["two"]]);
});
