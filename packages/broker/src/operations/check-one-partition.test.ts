import { describe, expect, it } from "vitest";
import { codeOf, message, openFixture } from "../fixture.test-support.js";

async function openPartitioned(options = {}) {
  const fixture = openFixture();
  await fixture.broker.createQueue("orders", { enablePartitioning: true, ...options });
  return { ...fixture, sender: fixture.broker.sender("orders") };
}

describe("a batch to a partitioned entity", () => {
  it("is accepted if all messages have the same key, or none", async () => {
    await using fixture = await openPartitioned();
    const keyed = { partitionKey: "k" };
    await fixture.sender.sendBatch([message("a", keyed), message("b", keyed)]);
    await fixture.sender.sendBatch([message("c"), message("d")]);
    expect(fixture.broker.getEntity("orders").totalMessageCount).toBe(4);
  });

  it("is refused if keys or sessions differ, and no message of it is sent", async () => {
    await using fixture = await openPartitioned();
    const batches = [
      [message("a", { partitionKey: "k" }), message("b", { partitionKey: "l" })],
      [message("a", { sessionId: "s" }), message("b", { sessionId: "t" })],
      [message("a", { partitionKey: "k" }), message("b")],
    ];
    for (const batch of batches) {
      await expect(fixture.sender.sendBatch(batch)).rejects.toThrow(
        "Batching brokered messages with distinct SessionId or PartitionKey is not supported for an entity with partitioning enabled.",
      );
      const transaction = fixture.broker.beginTransaction();
      expect(await codeOf(fixture.sender.sendBatch(batch, transaction))).toBe("not-allowed");
      await transaction.rollBack();
    }
    expect(fixture.broker.getEntity("orders").totalMessageCount).toBe(0);
  });

  it("uses the ids of messages without a key if duplicates are detected", async () => {
    await using fixture = await openPartitioned({ requiresDuplicateDetection: true });
    const ids = [message("a", { messageId: "1" }), message("b", { messageId: "2" })];
    await expect(fixture.sender.sendBatch(ids)).rejects.toThrow("partitioning and duplicate detection");
    await fixture.sender.sendBatch(ids.map((one) => ({ ...one, partitionKey: "k" })));
  });

  it("may mix keys and sessions without partitions", async () => {
    await using fixture = await openPartitioned({ enablePartitioning: false });
    await fixture.sender.sendBatch([message("a", { partitionKey: "k" }), message("b", { sessionId: "t" })]);
  });
});
