import { describe, expect, it } from "vitest";
import type { EntityName } from "./entity-catalog.js";
import { entityPathOf, parseEntityPath, subQueuePathOf } from "./entity-path.js";

const paths: [path: string, address: EntityName][] = [
  ["orders", { queue: "orders" }],
  ["orders/$DeadLetterQueue", { queue: "orders", subQueue: "deadLetter" }],
  ["shop/orders/$Transfer/$DeadLetterQueue", { queue: "shop/orders", subQueue: "transferDeadLetter" }],
  ["events/Subscriptions/billing", { topic: "events", subscription: "billing" }],
  [
    "events/Subscriptions/billing/$DeadLetterQueue",
    { topic: "events", subscription: "billing", subQueue: "deadLetter" },
  ],
];

describe("the paths of entities", () => {
  it.each(paths)("%s is written and read", (path, address) => {
    expect(entityPathOf(address)).toBe(path);
    expect(parseEntityPath(path)).toEqual(address);
    expect(parseEntityPath(path.toLowerCase())).toEqual(address);
  });

  it("identify topics, from which no messages are received", () => {
    expect(entityPathOf({ topic: "events" })).toBe("events");
  });

  it("are completed by a sub-queue", () => {
    expect(subQueuePathOf("orders", undefined)).toBe("orders");
    expect(subQueuePathOf("orders", "deadLetter")).toBe("orders/$DeadLetterQueue");
  });

  it.each(["", "/$DeadLetterQueue", "orders/$Transfer", "$Resources", "orders/$other"])(
    "%j is not a path",
    (path) => {
      expect(parseEntityPath(path)).toBeUndefined();
    },
  );
});
