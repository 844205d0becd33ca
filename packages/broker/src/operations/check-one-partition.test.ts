import { describe, expect, it } from "vitest";
import { codeOf, message, openWorld } from "../world.test-support.js";

async function openPartitioned(options = {}) {
  const world = openWorld();
  await world.broker.createQueue("orders", { enablePartitioning: true, ...options });
  return { ...world, sender: world.broker.sender("orders") };
}

describe("a batch to a partitioned entity", () => {
  it("is taken when all messages have one key, or none", async () => {
    await using world = await openPartitioned();
    const keyed = { partitionKey: "k" };
    await world.sender.sendBatch([message("a", keyed), message("b", keyed)]);
    await world.sender.sendBatch([message("c"), message("d")]);
    expect(world.broker.getEntity("orders").totalMessageCount).toBe(4);
  });

  it("is refused when keys or sessions differ, and nothing of it is sent", async () => {
    await using world = await openPartitioned();
    const batches = [
      [message("a", { partitionKey: "k" }), message("b", { partitionKey: "l" })],
      [message("a", { sessionId: "s" }), message("b", { sessionId: "t" })],
      [message("a", { partitionKey: "k" }), message("b")],
    ];
    for (const batch of batches) {
      await expect(world.sender.sendBatch(batch)).rejects.toThrow(
        "Batching brokered messages with distinct SessionId or PartitionKey is not supported for an entity with partitioning enabled.",
      );
      const transaction = world.broker.beginTransaction();
      expect(await codeOf(world.sender.sendBatch(batch, transaction))).toBe("not-allowed");
      await transaction.rollBack();
    }
    expect(world.broker.getEntity("orders").totalMessageCount).toBe(0);
  });

  it("goes by the ids of messages without a key where duplicates are detected", async () => {
    await using world = await openPartitioned({ requiresDuplicateDetection: true });
    const ids = [message("a", { messageId: "1" }), message("b", { messageId: "2" })];
    await expect(world.sender.sendBatch(ids)).rejects.toThrow("partitioning and duplicate detection");
    await world.sender.sendBatch(ids.map((one) => ({ ...one, partitionKey: "k" })));
  });

  it("may mix keys and sessions where there are no partitions", async () => {
    await using world = await openPartitioned({ enablePartitioning: false });
    await world.sender.sendBatch([message("a", { partitionKey: "k" }), message("b", { sessionId: "t" })]);
  });
});
