import { describe, expect, it } from "vitest";
import { message, openWorld, textsOf } from "../world.test-support.js";

const MINUTE_MS = 60_000;

async function openOrders(options = {}) {
  const world = openWorld();
  await world.broker.createQueue("orders", { requiresDuplicateDetection: true, ...options });
  return { ...world, sender: world.broker.sender("orders"), receiver: world.broker.receiver("orders") };
}

describe("duplicate detection", () => {
  it("accepts and drops a message whose id was seen within the window, even if the first is gone", async () => {
    await using world = await openOrders();
    await world.sender.send(message("a", { messageId: "m1" }));
    await world.receiver.complete((await world.receiver.receive())[0]!);
    await world.sender.send(message("again", { messageId: "m1" }));
    await world.sender.send(message("b", { messageId: "m2" }));
    const received = await world.receiver.receive(10);
    expect(textsOf(received)).toEqual(["b"]);
    expect(received[0]!.sequenceNumber).toBe(2n);
  });

  it("forgets an id when the window is over", async () => {
    await using world = await openOrders({ duplicateDetectionHistoryTimeWindowMs: MINUTE_MS });
    await world.sender.send(message("a", { messageId: "m1" }));
    world.clock.advance(MINUTE_MS - 1);
    await world.sender.send(message("b", { messageId: "m1" }));
    world.clock.advance(1);
    await world.sender.send(message("c", { messageId: "m1" }));
    expect(textsOf(await world.receiver.receive(10))).toEqual(["a", "c"]);
  });

  it("tells ids of different types apart and compares bytes by value", async () => {
    await using world = await openOrders();
    const ids = ["1", 1, new Uint8Array([1]), 1n, new Uint8Array([1])];
    for (const [i, messageId] of ids.entries()) await world.sender.send(message(`${i}`, { messageId }));
    expect(textsOf(await world.receiver.receive(10))).toEqual(["0", "1", "2"]);
  });

  it("finds duplicates within one batch", async () => {
    await using world = await openOrders();
    await world.sender.sendBatch([message("a", { messageId: "m" }), message("b", { messageId: "m" })]);
    expect(textsOf(await world.receiver.receive(10))).toEqual(["a"]);
  });

  it("reserves the id of a scheduled message when it is scheduled", async () => {
    await using world = await openOrders();
    const scheduledEnqueueTime = new Date(world.clock.now() + MINUTE_MS);
    const scheduled = [message("a", { messageId: "m1", scheduledEnqueueTime })];
    expect(await world.sender.schedule(scheduled)).toEqual([1n]);
    expect(await world.sender.schedule(scheduled)).toEqual([0n]);
    await world.sender.send(message("now", { messageId: "m1" }));
    world.clock.advance(MINUTE_MS);
    expect(textsOf(await world.receiver.receive(10))).toEqual(["a"]);
  });

  it("works at a topic, before its subscriptions", async () => {
    await using world = openWorld();
    await world.broker.createTopic("news", { requiresDuplicateDetection: true });
    await world.broker.createSubscription("news", "sub");
    const sender = world.broker.sender("news");
    await sender.send(message("a", { messageId: "m1" }));
    await sender.send(message("b", { messageId: "m1" }));
    expect(textsOf(await world.broker.receiver("news/subscriptions/sub").receive(10))).toEqual(["a"]);
  });

  it("takes the partition key into account in a partitioned entity", async () => {
    await using world = await openOrders({ enablePartitioning: true });
    for (const partitionKey of ["p", "q", "p"]) {
      await world.sender.send(message(partitionKey, { messageId: "m1", partitionKey }));
    }
    expect(textsOf(await world.receiver.receive(10)).sort()).toEqual(["p", "q"]);
  });

  it("also drops duplicates that are forwarded", async () => {
    await using world = await openOrders();
    await world.broker.createQueue("source", { forwardTo: "orders" });
    const sender = world.broker.sender("source");
    await sender.send(message("a", { messageId: "m1" }));
    await sender.send(message("b", { messageId: "m1" }));
    expect(textsOf(await world.receiver.receive(10))).toEqual(["a"]);
    expect(await world.broker.receiver("source/$Transfer/$DeadLetterQueue").peek()).toEqual([]);
  });
});
