import { describe, expect, it } from "vitest";
import { codeOf, message, openFixture, textsOf } from "../fixture.test-support.js";
import type { Broker } from "./broker.js";

const minuteMs = 60_000;

async function openQueues() {
  const fixture = openFixture();
  await fixture.broker.createQueue("in");
  await fixture.broker.createQueue("out");
  await fixture.broker.sender("in").sendBatch([message("a"), message("b")]);
  return { ...fixture, receiver: fixture.broker.receiver("in"), sender: fixture.broker.sender("out") };
}

describe("commit", () => {
  it("executes sends and settlements across entities together, and none before", async () => {
    await using fixture = await openQueues();
    const [first, second] = await fixture.receiver.receive(2);
    const transaction = fixture.broker.beginTransaction();
    await fixture.receiver.complete(first!, transaction);
    await fixture.receiver.deadLetter(second!, { reason: "Poison" }, transaction);
    await fixture.sender.send(message("c"), transaction);
    const scheduledEnqueueTime = new Date(fixture.clock.now() + 1000);
    const [scheduled] = await fixture.sender.schedule([message("d", { scheduledEnqueueTime })], transaction);
    expect(await fixture.receiver.peek(10)).toHaveLength(2);
    expect(await fixture.broker.receiver("out").peek(10)).toEqual([]);

    await transaction.commit();
    expect(transaction.state).toBe("committed");
    expect(await fixture.receiver.peek(10)).toEqual([]);
    expect(textsOf(await fixture.broker.receiver("in/$DeadLetterQueue").peek(10))).toEqual(["b"]);
    const out = await fixture.broker.receiver("out").peek(10);
    expect(out.map((one) => one.state)).toEqual(["scheduled", "active"]);
    expect(out[0]!.sequenceNumber).toBe(scheduled);
  });

  it("does nothing if a lock was lost meanwhile", async () => {
    await using fixture = await openQueues();
    const [first] = await fixture.receiver.receive();
    const transaction = fixture.broker.beginTransaction();
    await fixture.sender.send(message("c"), transaction);
    await fixture.receiver.complete(first!, transaction);
    fixture.clock.advance(minuteMs);
    expect(await codeOf(transaction.commit())).toBe("message-lock-lost");
    expect(transaction.state).toBe("rolled-back");
    expect(await fixture.broker.receiver("out").peek()).toEqual([]);
    expect(await fixture.receiver.peek(10)).toHaveLength(2);
  });

  it.each([
    ["entity-not-found", (broker: Broker) => broker.deleteEntity("out")],
    ["entity-disabled", (broker: Broker) => broker.updateEntity("out", { status: "Disabled" })],
    ["quota-exceeded", async (broker: Broker) => broker.faults.fill("out")],
  ])("does nothing if a target meanwhile refuses with %s", async (code, closeTarget) => {
    await using fixture = await openQueues();
    const [first] = await fixture.receiver.receive();
    const transaction = fixture.broker.beginTransaction();
    await fixture.receiver.complete(first!, transaction);
    await fixture.sender.send(message("c"), transaction);
    await closeTarget(fixture.broker);
    expect(await codeOf(transaction.commit())).toBe(code);
    await fixture.receiver.complete(first!);
  });

  it("settles each message once", async () => {
    await using fixture = await openQueues();
    const [first] = await fixture.receiver.receive();
    const transaction = fixture.broker.beginTransaction();
    await fixture.receiver.complete(first!, transaction);
    expect(await codeOf(fixture.receiver.abandon(first!, {}, transaction))).toBe("message-lock-lost");
    await transaction.commit();
    expect(textsOf(await fixture.receiver.peek(10))).toEqual(["b"]);
  });

  it("fails if the message was settled outside the transaction meanwhile", async () => {
    await using fixture = await openQueues();
    const [first] = await fixture.receiver.receive();
    const transaction = fixture.broker.beginTransaction();
    await fixture.receiver.complete(first!, transaction);
    await fixture.receiver.complete(first!);
    expect(await codeOf(transaction.commit())).toBe("message-lock-lost");
  });

  it("copies messages when they are sent, so that the caller may reuse its buffers", async () => {
    await using fixture = await openQueues();
    const bytes = Buffer.from("kept");
    const transaction = fixture.broker.beginTransaction();
    await fixture.sender.send({ body: { section: "data", bytes } }, transaction);
    bytes.fill(0);
    await transaction.commit();
    expect(textsOf(await fixture.broker.receiver("out").receive())).toEqual(["kept"]);
  });

  it("sends via a queue to targets that may not exist", async () => {
    await using fixture = await openQueues();
    const via = fixture.broker.sender("out", { via: "in" });
    const [first] = await fixture.receiver.receive();
    const transaction = fixture.broker.beginTransaction();
    await fixture.receiver.complete(first!, transaction);
    await via.send(message("c"), transaction);
    await fixture.broker.deleteEntity("out");
    await transaction.commit();
    expect(textsOf(await fixture.broker.receiver("in/$Transfer/$DeadLetterQueue").receive())).toEqual(["c"]);
  });
});

describe("rollBack", () => {
  it("discards all operations and leaves the messages locked", async () => {
    await using fixture = await openQueues();
    const [first] = await fixture.receiver.receive();
    const transaction = fixture.broker.beginTransaction();
    await fixture.receiver.complete(first!, transaction);
    await fixture.sender.send(message("c"), transaction);
    await transaction.rollBack();
    expect(textsOf(await fixture.receiver.receive(10))).toEqual(["b"]);
    await fixture.receiver.complete(first!);
    expect(await fixture.broker.receiver("out").peek()).toEqual([]);
    expect(await codeOf(transaction.commit())).toBe("transaction-not-found");
  });

  it("happens automatically two minutes after the first operation", async () => {
    await using fixture = await openQueues();
    const transaction = fixture.broker.beginTransaction();
    fixture.clock.advance(minuteMs);
    await fixture.sender.send(message("c"), transaction);
    fixture.clock.advance(2 * minuteMs - 1);
    expect(transaction.state).toBe("open");
    fixture.clock.advance(1);
    expect(transaction.state).toBe("timed-out");
    expect(await codeOf(transaction.commit())).toBe("transaction-timeout");
    expect(await codeOf(fixture.sender.send(message("d"), transaction))).toBe("transaction-timeout");
  });
});

describe("a transaction", () => {
  it("has at most 100 operations", async () => {
    await using fixture = await openQueues();
    const transaction = fixture.broker.beginTransaction();
    for (let i = 0; i < 100; i++) await fixture.sender.send(message(`${i}`), transaction);
    expect(await codeOf(fixture.sender.send(message("100"), transaction))).toBe("quota-exceeded");
    await transaction.commit();
    expect(await fixture.broker.receiver("out").peek(200)).toHaveLength(100);
  });

  it("refuses immediately what could never succeed", async () => {
    await using fixture = await openQueues();
    const transaction = fixture.broker.beginTransaction();
    expect(await codeOf(fixture.receiver.complete("no token", transaction))).toBe("message-lock-lost");
    expect(await codeOf(fixture.sender.send(message("x".repeat(2 ** 21)), transaction))).toBe(
      "message-size-exceeded",
    );
    await transaction.commit();
  });
});
