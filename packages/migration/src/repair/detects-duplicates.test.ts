import { WaybillError } from "@waybill/core";
import type { EntityCatalog } from "@waybill/core/transport";
import { describe, expect, it } from "vitest";
import { openFixture } from "../fixture.test-support.js";
import { detectsDuplicates } from "./detects-duplicates.js";

const from = { queue: "orders" };

function failing(error: Error): EntityCatalog {
  return { listEntities: () => Promise.reject(error) };
}

describe("whether the target of a repair detects duplicates", () => {
  it("is what the catalog says of its queue, or of its topic, in any letter case", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("orders", { requiresDuplicateDetection: true });
    await fixture.broker.createQueue("events-archive");
    await fixture.broker.createTopic("events", { requiresDuplicateDetection: true });
    await fixture.broker.createSubscription("events", "billing");
    await fixture.broker.createTopic("orders-log");
    const detects = (path: Parameters<typeof detectsDuplicates>[1]) =>
      detectsDuplicates(fixture.catalog, path);
    expect(await detects({ from: { queue: "ORDERS" } })).toBe(true);
    expect(await detects({ from: { topic: "Events", subscription: "billing" } })).toBe(true);
    expect(await detects({ from, to: { queue: "events-archive" } })).toBe(false);
    expect(await detects({ from, to: { topic: "orders-log" } })).toBe(false);
    expect(await detects({ from, to: { queue: "events" } })).toBeUndefined();
  });

  it("is not known if the catalog does not say, or cannot be read", async () => {
    const silent = { listEntities: async () => [{ entity: from }] };
    expect(await detectsDuplicates(silent, { from })).toBeUndefined();
    const denied = new WaybillError("unauthorized", "No right to manage.");
    expect(await detectsDuplicates(failing(denied), { from })).toBeUndefined();
  });

  it("rejects when it is aborted, and for mistakes in the catalog", async () => {
    const abortSignal = AbortSignal.abort();
    const aborted = new WaybillError("aborted", "Aborted.");
    await expect(detectsDuplicates(failing(aborted), { from }, { abortSignal })).rejects.toBe(aborted);
    const mistake = new TypeError("listEntities is not a function");
    await expect(detectsDuplicates(failing(mistake), { from })).rejects.toBe(mistake);
  });
});
