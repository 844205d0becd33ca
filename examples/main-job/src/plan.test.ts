import { describe, expect, it } from "vitest";
import { eras, fullRound, planShipment, shipmentNumber, treatments } from "./plan.js";
import { isRefusedBySchema } from "./schema-check.js";
import { webhooks } from "./webhooks.js";

const round = Array.from({ length: fullRound }, (_, number) => planShipment(number));

describe("planShipment", () => {
  it("sends each of the 329 payloads once in each era", () => {
    const pairs = new Set(round.map(({ webhook, era }) => `${webhooks.indexOf(webhook)} ${era.title}`));
    expect(pairs.size).toBe(329 * 3);
  });

  it("sends each era in every way", () => {
    const ways = new Set(round.map(({ era, treatment }) => `${era.title}, ${treatment.title}`));
    expect(ways.size).toBe(eras.length * treatments.length);
  });

  it("makes the same plan for the same number", () => {
    expect(planShipment(1234)).toEqual(planShipment(1234));
  });

  it("dead-letters every damaged message and every payload that the schema refuses", () => {
    for (const { webhook, treatment, fate } of round) {
      const isUnreadable = treatment.damage !== "none" || isRefusedBySchema(webhook);
      expect(fate.status).toBe(isUnreadable ? "dead-lettered" : "decoded");
    }
  });

  it("expects that the published schema refuses 53 of the published payloads", () => {
    expect(webhooks.filter(isRefusedBySchema)).toHaveLength(53);
  });
});

describe("shipmentNumber", () => {
  it("reads back the number of a message id", () => {
    expect(shipmentNumber(planShipment(42).messageId)).toBe(42);
  });

  it.each(["webhook-", "webhook-1x", "other-1", 1, undefined])("refuses %j", (messageId) => {
    expect(shipmentNumber(messageId)).toBeUndefined();
  });
});
