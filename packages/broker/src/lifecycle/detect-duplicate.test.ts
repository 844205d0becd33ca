import { describe, expect, it } from "vitest";
import { message, openFixture, textsOf } from "../fixture.test-support.js";

const minuteMs = 60_000;

async function openOrders(options = {}) {
  const fixture = openFixture();
  await fixture.broker.createQueue("orders", { requiresDuplicateDetection: true, ...options });
  return { ...fixture, sender: fixture.broker.sender("orders"), receiver: fixture.broker.receiver("orders") };
}

describe("duplicate detection", () => {
  it("accepts and discards a message whose id was sent within the window, even if the first one was removed", async () => {
    await using fixture = await openOrders();
    await fixture.sender.send(message("a", { messageId: "m1" }));
    await fixture.receiver.complete((await fixture.receiver.receive())[0]!);
    await fixture.sender.send(message("again", { messageId: "m1" }));
    await fixture.sender.send(message("b", { messageId: "m2" }));
    const received = await fixture.receiver.receive(10);
    expect(textsOf(received)).toEqual(["b"]);
    expect(received[0]!.sequenceNumber).toBe(2n);
  });

  it("accepts an id again after the window", async () => {
    await using fixture = await openOrders({ duplicateDetectionHistoryTimeWindowMs: minuteMs });
    await fixture.sender.send(message("a", { messageId: "m1" }));
    fixture.clock.advance(minuteMs - 1);
    await fixture.sender.send(message("b", { messageId: "m1" }));
    fixture.clock.advance(1);
    await fixture.sender.send(message("c", { messageId: "m1" }));
    expect(textsOf(await fixture.receiver.receive(10))).toEqual(["a", "c"]);
  });

  it("distinguishes ids of different types and compares bytes by value", async () => {
    await using fixture = await openOrders();
    const ids = ["1", 1, new Uint8Array([1]), 1n, new Uint8Array([1])];
    for (const [i, messageId] of ids.entries()) await fixture.sender.send(message(`${i}`, { messageId }));
    expect(textsOf(await fixture.receiver.receive(10))).toEqual(["0", "1", "2"]);
  });

  it("finds duplicates within one batch", async () => {
    await using fixture = await openOrders();
    await fixture.sender.sendBatch([message("a", { messageId: "m" }), message("b", { messageId: "m" })]);
    expect(textsOf(await fixture.receiver.receive(10))).toEqual(["a"]);
  });

  it("reserves the id of a scheduled message when it is scheduled", async () => {
    await using fixture = await openOrders();
    const scheduledEnqueueTime = new Date(fixture.clock.now() + minuteMs);
    const scheduled = [message("a", { messageId: "m1", scheduledEnqueueTime })];
    expect(await fixture.sender.schedule(scheduled)).toEqual([1n]);
    expect(await fixture.sender.schedule(scheduled)).toEqual([0n]);
    await fixture.sender.send(message("now", { messageId: "m1" }));
    fixture.clock.advance(minuteMs);
    expect(textsOf(await fixture.receiver.receive(10))).toEqual(["a"]);
  });

  it("works in a topic, before its subscriptions", async () => {
    await using fixture = openFixture();
    await fixture.broker.createTopic("news", { requiresDuplicateDetection: true });
    await fixture.broker.createSubscription("news", "sub");
    const sender = fixture.broker.sender("news");
    await sender.send(message("a", { messageId: "m1" }));
    await sender.send(message("b", { messageId: "m1" }));
    expect(textsOf(await fixture.broker.receiver("news/subscriptions/sub").receive(10))).toEqual(["a"]);
  });

  it("takes the partition key into account in a partitioned entity", async () => {
    await using fixture = await openOrders({ enablePartitioning: true });
    for (const partitionKey of ["p", "q", "p"]) {
      await fixture.sender.send(message(partitionKey, { messageId: "m1", partitionKey }));
    }
    expect(textsOf(await fixture.receiver.receive(10)).sort()).toEqual(["p", "q"]);
  });

  it("also discards duplicates that are forwarded", async () => {
    await using fixture = await openOrders();
    await fixture.broker.createQueue("source", { forwardTo: "orders" });
    const sender = fixture.broker.sender("source");
    await sender.send(message("a", { messageId: "m1" }));
    await sender.send(message("b", { messageId: "m1" }));
    expect(textsOf(await fixture.receiver.receive(10))).toEqual(["a"]);
    expect(await fixture.broker.receiver("source/$Transfer/$DeadLetterQueue").peek()).toEqual([]);
  });
});
