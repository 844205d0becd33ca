import { describe, expect, it } from "vitest";
import { describePlan } from "./describe-plan.js";
import type { RepairPlan } from "./repair-plan.js";

const ordinary: RepairPlan = {
  from: { queue: "orders", subQueue: "deadLetter" },
  to: { queue: "orders" },
  body: "as-is",
  select: undefined,
  includeUndeserializable: false,
  targetDetectsDuplicates: false,
  maxResubmits: 3,
  maxPerSecond: undefined,
  limit: undefined,
};

describe("a plan in words", () => {
  it("says what is repaired, where to, which messages, how and how fast", () => {
    expect(describePlan(ordinary)).toEqual([
      "the repair of orders/$DeadLetterQueue",
      "to orders",
      "all that can be read",
      "byte for byte",
      "at any rate",
    ]);
  });

  it("says what limits it", () => {
    const plan: RepairPlan = {
      ...ordinary,
      from: { topic: "events", subscription: "billing", subQueue: "transferDeadLetter" },
      to: { topic: "events", subscription: "billing" },
      body: "transcode",
      select: { messageVersion: [1, 2], format: undefined },
      maxPerSecond: 5,
      limit: 100,
    };
    expect(describePlan(plan)).toEqual([
      "the repair of events/Subscriptions/billing/$Transfer/$DeadLetterQueue",
      "to events/Subscriptions/billing",
      "only those with messageVersion 1 or 2",
      "transcoded",
      "5 a second",
      "at most 100 in all",
    ]);
  });

  it("names every criterion of a selection, with the members of a group", () => {
    const kind = {
      deadLetterReason: undefined,
      mediaType: "application/json",
      messageType: "order-placed",
      messageVersion: 2,
    };
    const plan: RepairPlan = {
      ...ordinary,
      to: { topic: "events" },
      select: { reason: ["Test"], number: [7n, 9n], kind },
      includeUndeserializable: true,
    };
    expect(describePlan(plan).slice(1, 5)).toEqual([
      "to the topic events",
      "only those with reason Test and number 7 or 9 and kind deadLetterReason=(none) mediaType=application/json messageType=order-placed messageVersion=2",
      "byte for byte",
      "with what cannot be deserialized",
    ]);
  });

  it("takes a selection without criteria for none", () => {
    expect(describePlan({ ...ordinary, select: { reason: undefined } })).toContain("all that can be read");
  });
});
