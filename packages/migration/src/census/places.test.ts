import type { CatalogEntity } from "@waybill/core/transport";
import { entityPathOf } from "@waybill/core/transport";
import { expect, it } from "vitest";
import type { CensusPlace } from "./census.js";
import { hiddenIn, wavesInFlowOrder } from "./places.js";

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

it("knows what the broker counts and nobody could peek: scheduled at a topic, and in transfer", () => {
  const counts = { active: 9, scheduled: 5, deadLetter: 0, transfer: 0, transferDeadLetter: 0 };
  const place = (peeked: number, more: object = {}) =>
    ({ entityPath: "events", subQueue: undefined, peeked, end: "reached", ...more }) as CensusPlace;
  const events = { entity: { topic: "events" }, counts };
  const hidden = (...places: readonly CensusPlace[]) => hiddenIn([events], places);
  expect(hidden()).toEqual([{ entityPath: "events", kind: "scheduled-at-topic", count: 5 }]);
  expect(hidden(place(2))).toEqual([{ entityPath: "events", kind: "scheduled-at-topic", count: 3 }]);
  expect(hidden(place(5))).toEqual([]);
  expect(hidden(place(5, { subQueue: "deadLetter" }))).toHaveLength(1);
  const orders = { entity: { queue: "orders" }, counts: { ...counts, transfer: 1 } };
  expect(hiddenIn([orders, { entity: { queue: "uncounted" } }], [])).toEqual([
    { entityPath: "orders", kind: "in-transfer", count: 1 },
  ]);
});
