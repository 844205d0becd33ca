import { describe, expect, it } from "vitest";
import { codeOf, message, openFixture, settleMicrotasks, textOf, textsOf } from "../fixture.test-support.js";

async function openOrders() {
  const fixture = openFixture();
  await fixture.broker.createQueue("orders");
  return { ...fixture, sender: fixture.broker.sender("orders"), receiver: fixture.broker.receiver("orders") };
}

describe("loseLock", () => {
  it("ends a lock at once, as if it had expired", async () => {
    await using fixture = await openOrders();
    await fixture.sender.send(message("a"));
    const [received] = await fixture.receiver.receive();
    fixture.broker.faults.loseLock("orders", received!);
    expect(await codeOf(fixture.receiver.complete(received!))).toBe("message-lock-lost");
    expect((await fixture.receiver.receive())[0]!.deliveryCount).toBe(1);
  });

  it("ends the session's lock for a message of a session", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("orders", { requiresSession: true });
    await fixture.broker.sender("orders").send(message("a", { sessionId: "s" }));
    const session = await fixture.broker.acceptSession("orders");
    const [received] = await session.receive();
    fixture.broker.faults.loseLock("orders", received!);
    expect(await codeOf(session.complete(received!))).toBe("session-lock-lost");
  });
});

describe("throttle", () => {
  it("refuses the next operations with server-busy", async () => {
    await using fixture = await openOrders();
    fixture.broker.faults.throttle("orders", 2);
    expect(await codeOf(fixture.sender.send(message("a")))).toBe("server-busy");
    expect(await codeOf(fixture.receiver.receive())).toBe("server-busy");
    await fixture.sender.send(message("a"));
  });
});

describe("delay", () => {
  it("delays every response by the broker's clock", async () => {
    await using fixture = await openOrders();
    fixture.broker.faults.delay("orders", 500);
    let isAnswered = false;
    const sending = fixture.sender.send(message("a")).then(() => {
      isAnswered = true;
    });
    fixture.clock.advance(499);
    await settleMicrotasks();
    expect(isAnswered).toBe(false);
    fixture.clock.advance(1);
    await sending;
    fixture.broker.faults.clear("orders");
    expect(textsOf(await fixture.receiver.receive())).toEqual(["a"]);
  });
});

describe("duplicateDeliveries", () => {
  it("delivers a completed message once more", async () => {
    await using fixture = await openOrders();
    fixture.broker.faults.duplicateDeliveries("orders");
    await fixture.sender.send(message("a"));
    for (const deliveryCount of [0, 1]) {
      const [received] = await fixture.receiver.receive();
      expect([textOf(received), received!.deliveryCount]).toEqual(["a", deliveryCount]);
      await fixture.receiver.complete(received!);
    }
    expect(await fixture.receiver.peek()).toEqual([]);
  });
});

describe("dropLinks", () => {
  it("ends consumers and pending receives, and keeps locks", async () => {
    await using fixture = await openOrders();
    const tokens: string[] = [];
    const errors: unknown[] = [];
    const consumer = fixture.receiver.consume({
      onMessage: (received) => tokens.push(received.lockToken!),
      onClosed: (error) => errors.push(error),
    });
    consumer.grant(5);
    await fixture.sender.send(message("a"));
    const waiting = codeOf(fixture.receiver.receive());
    fixture.broker.faults.dropLinks("orders");
    expect(await waiting).toBe("link-detached");
    expect(errors).toMatchObject([{ code: "link-detached", isRetryable: true }]);
    await fixture.receiver.complete(tokens[0]!);
  });
});

describe("stopDelivering", () => {
  it("stalls waiting consumers, and delivers to those opened later", async () => {
    await using fixture = await openOrders();
    const seen: string[] = [];
    const consume = (name: string) => {
      const consumer = fixture.receiver.consume({
        onMessage: (got) => void seen.push(`${name} ${textOf(got)}`),
      });
      consumer.grant(1);
      return consumer;
    };
    const stalled = consume("first");
    expect(fixture.broker.faults.stopDelivering("orders")).toBe(1);
    stalled.grant(1);
    await fixture.sender.send(message("a"));
    expect([seen, stalled.credit, stalled.isClosed]).toEqual([[], 2, false]);
    consume("second");
    expect(seen).toEqual(["second a"]);
    expect(stalled.drain()).toBe(2);
  });

  it("also stalls session consumers", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("orders", { requiresSession: true });
    await fixture.broker.sender("orders").send(message("a", { sessionId: "s" }));
    const session = await fixture.broker.acceptSession("orders");
    const seen: unknown[] = [];
    const consumer = session.consume({ onMessage: (got) => void seen.push(got) });
    consumer.grant(2);
    fixture.broker.faults.stopDelivering("orders");
    await fixture.broker.sender("orders").send(message("b", { sessionId: "s" }));
    expect(seen).toHaveLength(1);
  });
});

describe("fill", () => {
  it("refuses sends like a full entity, until it is cleared", async () => {
    await using fixture = await openOrders();
    fixture.broker.faults.fill("orders");
    expect(await codeOf(fixture.sender.send(message("a")))).toBe("quota-exceeded");
    fixture.broker.faults.clear();
    await fixture.sender.send(message("a"));
  });
});

describe("a fault", () => {
  it("needs an entity that exists", async () => {
    await using fixture = await openOrders();
    expect(() => fixture.broker.faults.throttle("nowhere")).toThrow("could not be found");
    expect(() => fixture.broker.faults.fill("nowhere")).toThrow("could not be found");
  });
});
