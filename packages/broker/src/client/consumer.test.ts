import { describe, expect, it } from "vitest";
import { message, openFixture, textOf } from "../fixture.test-support.js";

describe("onMessage", () => {
  it("does not affect the sender when it throws; the error becomes an uncaught exception", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("orders");
    const thrown = new Promise((resolve) => process.setUncaughtExceptionCaptureCallback(resolve));
    const got: string[] = [];
    const consumer = fixture.broker.receiver("orders").consume({
      onMessage: (received) => {
        got.push(textOf(received));
        if (got.length === 1) throw new Error("handler failed");
      },
    });
    consumer.grant(2);
    await fixture.broker.sender("orders").sendBatch([message("a"), message("b")]);
    expect(got).toEqual(["a", "b"]);
    expect(await thrown).toMatchObject({ message: "handler failed" });
    process.setUncaughtExceptionCaptureCallback(null);
  });
});

describe("onClosed", () => {
  it("is called after the entity was deleted", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("orders");
    const receiver = fixture.broker.receiver("orders");
    let seen: unknown;
    const consumer = receiver.consume({
      onMessage: () => {},
      onClosed: () => {
        seen = receiver.receive().catch((error: { code: string }) => error.code);
      },
    });
    consumer.grant(1);
    await fixture.broker.deleteEntity("orders");
    expect(await seen).toBe("entity-not-found");
  });

  it("notifies a consumer without credit of a lost session lock, and then delivers nothing", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("carts", { requiresSession: true });
    await fixture.broker.sender("carts").send(message("a", { sessionId: "s1" }));
    const session = await fixture.broker.acceptSession("carts", { sessionId: "s1" });
    const events: string[] = [];
    const consumer = session.consume({
      onMessage: (received) => events.push(textOf(received)),
      onClosed: (error) => events.push((error as { code?: string }).code!),
    });
    consumer.grant(1);
    fixture.clock.advance(60_000);
    consumer.grant(1);
    expect(events).toEqual(["a", "session-lock-lost"]);
  });
});

describe("grant", () => {
  it("ends the consumer after the broker was closed", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("orders");
    const events: string[] = [];
    const consumer = fixture.broker.receiver("orders").consume({
      onMessage: () => {},
      onClosed: (error) => events.push((error as { code?: string }).code!),
    });
    await fixture.broker.close();
    consumer.grant(1);
    consumer.grant(1);
    expect(events).toEqual(["broker-closed"]);
    expect(consumer.isClosed).toBe(true);
  });

  it("refuses an invalid number of messages", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("orders");
    const consumer = fixture.broker.receiver("orders").consume({ onMessage: () => {} });
    for (const count of [-1, 1.5, Number.NaN]) expect(() => consumer.grant(count)).toThrow(TypeError);
    consumer.grant(0);
    expect(consumer.credit).toBe(0);
  });
});
