import { describe, expect, it } from "vitest";
import { codeOf, message, openWorld, textsOf } from "../world.test-support.js";
import type { Broker } from "./broker.js";

const MINUTE_MS = 60_000;

async function openQueues() {
  const world = openWorld();
  await world.broker.createQueue("in");
  await world.broker.createQueue("out");
  await world.broker.sender("in").sendBatch([message("a"), message("b")]);
  return { ...world, receiver: world.broker.receiver("in"), sender: world.broker.sender("out") };
}

describe("commit", () => {
  it("does sends and settlements across entities at once, and nothing before", async () => {
    await using world = await openQueues();
    const [first, second] = await world.receiver.receive(2);
    const transaction = world.broker.beginTransaction();
    await world.receiver.complete(first!, transaction);
    await world.receiver.deadLetter(second!, { reason: "Poison" }, transaction);
    await world.sender.send(message("c"), transaction);
    const scheduledEnqueueTime = new Date(world.clock.now() + 1000);
    const [scheduled] = await world.sender.schedule([message("d", { scheduledEnqueueTime })], transaction);
    expect(await world.receiver.peek(10)).toHaveLength(2);
    expect(await world.broker.receiver("out").peek(10)).toEqual([]);

    await transaction.commit();
    expect(transaction.state).toBe("committed");
    expect(await world.receiver.peek(10)).toEqual([]);
    expect(textsOf(await world.broker.receiver("in/$DeadLetterQueue").peek(10))).toEqual(["b"]);
    const out = await world.broker.receiver("out").peek(10);
    expect(out.map((one) => one.state)).toEqual(["scheduled", "active"]);
    expect(out[0]!.sequenceNumber).toBe(scheduled);
  });

  it("does nothing when a lock is lost meanwhile", async () => {
    await using world = await openQueues();
    const [first] = await world.receiver.receive();
    const transaction = world.broker.beginTransaction();
    await world.sender.send(message("c"), transaction);
    await world.receiver.complete(first!, transaction);
    world.clock.advance(MINUTE_MS);
    expect(await codeOf(transaction.commit())).toBe("message-lock-lost");
    expect(transaction.state).toBe("rolled-back");
    expect(await world.broker.receiver("out").peek()).toEqual([]);
    expect(await world.receiver.peek(10)).toHaveLength(2);
  });

  it.each([
    ["entity-not-found", (broker: Broker) => broker.deleteEntity("out")],
    ["entity-disabled", (broker: Broker) => broker.updateEntity("out", { status: "Disabled" })],
    ["quota-exceeded", async (broker: Broker) => broker.faults.fill("out")],
  ])("does nothing when a target refuses meanwhile with %s", async (code, spoil) => {
    await using world = await openQueues();
    const [first] = await world.receiver.receive();
    const transaction = world.broker.beginTransaction();
    await world.receiver.complete(first!, transaction);
    await world.sender.send(message("c"), transaction);
    await spoil(world.broker);
    expect(await codeOf(transaction.commit())).toBe(code);
    await world.receiver.complete(first!);
  });

  it("settles each message once", async () => {
    await using world = await openQueues();
    const [first] = await world.receiver.receive();
    const transaction = world.broker.beginTransaction();
    await world.receiver.complete(first!, transaction);
    expect(await codeOf(world.receiver.abandon(first!, {}, transaction))).toBe("message-lock-lost");
    await transaction.commit();
    expect(textsOf(await world.receiver.peek(10))).toEqual(["b"]);
  });

  it("fails where the message was settled outside meanwhile", async () => {
    await using world = await openQueues();
    const [first] = await world.receiver.receive();
    const transaction = world.broker.beginTransaction();
    await world.receiver.complete(first!, transaction);
    await world.receiver.complete(first!);
    expect(await codeOf(transaction.commit())).toBe("message-lock-lost");
  });

  it("takes messages in when they are sent, so that the caller may reuse its buffers", async () => {
    await using world = await openQueues();
    const bytes = Buffer.from("kept");
    const transaction = world.broker.beginTransaction();
    await world.sender.send({ body: { section: "data", bytes } }, transaction);
    bytes.fill(0);
    await transaction.commit();
    expect(textsOf(await world.broker.receiver("out").receive())).toEqual(["kept"]);
  });

  it("goes by way of a queue to targets that may be gone", async () => {
    await using world = await openQueues();
    const via = world.broker.sender("out", { via: "in" });
    const [first] = await world.receiver.receive();
    const transaction = world.broker.beginTransaction();
    await world.receiver.complete(first!, transaction);
    await via.send(message("c"), transaction);
    await world.broker.deleteEntity("out");
    await transaction.commit();
    expect(textsOf(await world.broker.receiver("in/$Transfer/$DeadLetterQueue").receive())).toEqual(["c"]);
  });
});

describe("rollBack", () => {
  it("drops all and leaves the messages locked", async () => {
    await using world = await openQueues();
    const [first] = await world.receiver.receive();
    const transaction = world.broker.beginTransaction();
    await world.receiver.complete(first!, transaction);
    await world.sender.send(message("c"), transaction);
    await transaction.rollBack();
    expect(textsOf(await world.receiver.receive(10))).toEqual(["b"]);
    await world.receiver.complete(first!);
    expect(await world.broker.receiver("out").peek()).toEqual([]);
    expect(await codeOf(transaction.commit())).toBe("transaction-not-found");
  });

  it("happens by itself two minutes after the first operation", async () => {
    await using world = await openQueues();
    const transaction = world.broker.beginTransaction();
    world.clock.advance(MINUTE_MS);
    await world.sender.send(message("c"), transaction);
    world.clock.advance(2 * MINUTE_MS - 1);
    expect(transaction.state).toBe("open");
    world.clock.advance(1);
    expect(transaction.state).toBe("timed-out");
    expect(await codeOf(transaction.commit())).toBe("transaction-timeout");
    expect(await codeOf(world.sender.send(message("d"), transaction))).toBe("transaction-timeout");
  });
});

describe("a transaction", () => {
  it("takes at most 100 operations", async () => {
    await using world = await openQueues();
    const transaction = world.broker.beginTransaction();
    for (let i = 0; i < 100; i++) await world.sender.send(message(`${i}`), transaction);
    expect(await codeOf(world.sender.send(message("100"), transaction))).toBe("quota-exceeded");
    await transaction.commit();
    expect(await world.broker.receiver("out").peek(200)).toHaveLength(100);
  });

  it("refuses at once what could never succeed", async () => {
    await using world = await openQueues();
    const transaction = world.broker.beginTransaction();
    expect(await codeOf(world.receiver.complete("no token", transaction))).toBe("message-lock-lost");
    expect(await codeOf(world.sender.send(message("x".repeat(2 ** 21)), transaction))).toBe(
      "message-size-exceeded",
    );
    await transaction.commit();
  });
});
