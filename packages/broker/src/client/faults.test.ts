import { describe, expect, it } from "vitest";
import { codeOf, message, openWorld, settleMicrotasks, textOf, textsOf } from "../world.test-support.js";

async function openOrders() {
  const world = openWorld();
  await world.broker.createQueue("orders");
  return { ...world, sender: world.broker.sender("orders"), receiver: world.broker.receiver("orders") };
}

describe("loseLock", () => {
  it("ends a lock at once, as if its time were over", async () => {
    await using world = await openOrders();
    await world.sender.send(message("a"));
    const [received] = await world.receiver.receive();
    world.broker.faults.loseLock("orders", received!);
    expect(await codeOf(world.receiver.complete(received!))).toBe("message-lock-lost");
    expect((await world.receiver.receive())[0]!.deliveryCount).toBe(1);
  });

  it("ends the session's lock for a message of a session", async () => {
    await using world = openWorld();
    await world.broker.createQueue("orders", { requiresSession: true });
    await world.broker.sender("orders").send(message("a", { sessionId: "s" }));
    const session = await world.broker.acceptSession("orders");
    const [received] = await session.receive();
    world.broker.faults.loseLock("orders", received!);
    expect(await codeOf(session.complete(received!))).toBe("session-lock-lost");
  });
});

describe("throttle", () => {
  it("refuses the next operations with server-busy", async () => {
    await using world = await openOrders();
    world.broker.faults.throttle("orders", 2);
    expect(await codeOf(world.sender.send(message("a")))).toBe("server-busy");
    expect(await codeOf(world.receiver.receive())).toBe("server-busy");
    await world.sender.send(message("a"));
  });
});

describe("delay", () => {
  it("lets every answer take longer by the broker's clock", async () => {
    await using world = await openOrders();
    world.broker.faults.delay("orders", 500);
    let isAnswered = false;
    const sending = world.sender.send(message("a")).then(() => {
      isAnswered = true;
    });
    world.clock.advance(499);
    await settleMicrotasks();
    expect(isAnswered).toBe(false);
    world.clock.advance(1);
    await sending;
    world.broker.faults.clear("orders");
    expect(textsOf(await world.receiver.receive())).toEqual(["a"]);
  });
});

describe("duplicateDeliveries", () => {
  it("delivers a completed message once more", async () => {
    await using world = await openOrders();
    world.broker.faults.duplicateDeliveries("orders");
    await world.sender.send(message("a"));
    for (const deliveryCount of [0, 1]) {
      const [received] = await world.receiver.receive();
      expect([textOf(received), received!.deliveryCount]).toEqual(["a", deliveryCount]);
      await world.receiver.complete(received!);
    }
    expect(await world.receiver.peek()).toEqual([]);
  });
});

describe("dropLinks", () => {
  it("ends consumers and waits and leaves locks", async () => {
    await using world = await openOrders();
    const tokens: string[] = [];
    const errors: unknown[] = [];
    const consumer = world.receiver.consume({
      onMessage: (received) => tokens.push(received.lockToken!),
      onClosed: (error) => errors.push(error),
    });
    consumer.grant(5);
    await world.sender.send(message("a"));
    const waiting = codeOf(world.receiver.receive());
    world.broker.faults.dropLinks("orders");
    expect(await waiting).toBe("link-detached");
    expect(errors).toMatchObject([{ code: "link-detached", isRetryable: true }]);
    await world.receiver.complete(tokens[0]!);
  });
});

describe("stopDelivering", () => {
  it("lets consumers that wait go without, and serves those that are opened later", async () => {
    await using world = await openOrders();
    const seen: string[] = [];
    const consume = (name: string) => {
      const consumer = world.receiver.consume({
        onMessage: (got) => void seen.push(`${name} ${textOf(got)}`),
      });
      consumer.grant(1);
      return consumer;
    };
    const stalled = consume("first");
    expect(world.broker.faults.stopDelivering("orders")).toBe(1);
    stalled.grant(1);
    await world.sender.send(message("a"));
    expect([seen, stalled.credit, stalled.isClosed]).toEqual([[], 2, false]);
    consume("second");
    expect(seen).toEqual(["second a"]);
    expect(stalled.drain()).toBe(2);
  });

  it("lets those of sessions go without, too", async () => {
    await using world = openWorld();
    await world.broker.createQueue("orders", { requiresSession: true });
    await world.broker.sender("orders").send(message("a", { sessionId: "s" }));
    const session = await world.broker.acceptSession("orders");
    const seen: unknown[] = [];
    const consumer = session.consume({ onMessage: (got) => void seen.push(got) });
    consumer.grant(2);
    world.broker.faults.stopDelivering("orders");
    await world.broker.sender("orders").send(message("b", { sessionId: "s" }));
    expect(seen).toHaveLength(1);
  });
});

describe("fill", () => {
  it("refuses sends as a full entity does, until it is cleared", async () => {
    await using world = await openOrders();
    world.broker.faults.fill("orders");
    expect(await codeOf(world.sender.send(message("a")))).toBe("quota-exceeded");
    world.broker.faults.clear();
    await world.sender.send(message("a"));
  });
});

describe("a fault", () => {
  it("needs an entity that exists", async () => {
    await using world = await openOrders();
    expect(() => world.broker.faults.throttle("nowhere")).toThrow("could not be found");
    expect(() => world.broker.faults.fill("nowhere")).toThrow("could not be found");
  });
});
