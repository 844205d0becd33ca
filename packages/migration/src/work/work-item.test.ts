import type { DeliveredMessage } from "@waybill/core/transport";
import { describe, expect, it } from "vitest";
import { planOf } from "../repair/repair-plan.js";
import {
  type CensusItem,
  fromWorkMessage,
  pathOf,
  type RepairItem,
  sessionIdOf,
  toWorkMessage,
} from "./work-item.js";

const chain = { serializers: ["json"], messageTypes: [] };
const count: CensusItem = {
  kind: "census",
  job: "census",
  run: "1",
  chain,
  entity: { entity: { queue: "orders" }, requiresSession: false } as unknown as CensusItem["entity"],
  sampleRate: 1,
  maxMessagesPerPlace: undefined,
  maxGroups: 10,
};
const repair: RepairItem = {
  kind: "repair",
  job: "repair",
  run: "1",
  chain,
  plan: planOf({ from: { queue: "orders" } } as Parameters<typeof planOf>[0]),
  maxWaitTimeInMs: 0,
};

/** What a worker makes of a message whose body has other members. */
function readWith(item: CensusItem | RepairItem, changed: object) {
  const { body, ...message } = toWorkMessage(item);
  const written = JSON.parse(new TextDecoder().decode(body as Uint8Array)) as object;
  const changedBody = new TextEncoder().encode(JSON.stringify({ ...written, ...changed }));
  return fromWorkMessage({ ...message, body: changedBody } as unknown as DeliveredMessage);
}

describe("a work item", () => {
  it("is read as it was put", () => {
    expect(readWith(count, {})).toEqual(JSON.parse(JSON.stringify(count)));
    expect(readWith(repair, {})).toEqual(repair);
  });

  it("keeps the numbers of the messages that are repaired", () => {
    const plan = { ...repair.plan, select: { number: [2n ** 60n] } };
    expect(readWith({ ...repair, plan }, {})).toEqual({ ...repair, plan });
  });

  it("has no limit of messages where none was asked for", () => {
    const unlimited = { ...count, maxMessagesPerPlace: Number.POSITIVE_INFINITY };
    expect(readWith(unlimited, {})).not.toHaveProperty("maxMessagesPerPlace");
  });

  it.each([
    ["job", { job: 1 }],
    ["run", { run: undefined }],
    ["chain", { chain: undefined }],
    ["list of serializers", { chain: {} }],
    ["kind", { kind: "other" }],
  ])("is none without a proper %s", (_, changed) => {
    expect(readWith(count, changed)).toBeUndefined();
    expect(readWith(repair, changed)).toBeUndefined();
  });

  it.each([{ entity: undefined }, { entity: { entity: {} } }, { sampleRate: "1" }, { maxGroups: undefined }])(
    "is no count with %j",
    (changed) => expect(readWith(count, changed)).toBeUndefined(),
  );

  it.each([{ plan: undefined }, { plan: {} }, { maxWaitTimeInMs: "0" }])("is no repair with %j", (changed) =>
    expect(readWith(repair, changed)).toBeUndefined(),
  );

  it("is none in a message of somebody else", () => {
    const message = toWorkMessage(count) as unknown as DeliveredMessage;
    expect(fromWorkMessage({ ...message, subject: "order" })).toBeUndefined();
    expect(fromWorkMessage({ ...message, body: Uint8Array.of(0xff) })).toBeUndefined();
    expect(fromWorkMessage({ ...message, body: new TextEncoder().encode("null") })).toBeUndefined();
  });

  it("has a session of its own for each entity of a run, whatever the case of its name", () => {
    const of = (queue: string, run: string) =>
      sessionIdOf({ ...count, run, entity: { ...count.entity, entity: { queue } } });
    expect(of("orders", "1")).toBe(of("Orders", "1"));
    expect(new Set([of("orders", "1"), of("invoices", "1"), of("orders", "2")]).size).toBe(3);
    expect(sessionIdOf(repair)).not.toBe(sessionIdOf(count));
    expect(pathOf(repair)).toBe("orders/$DeadLetterQueue");
  });
});
