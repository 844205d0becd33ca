import { describe, expect, it } from "vitest";
import { openLossyWorld } from "../lossy-world.test-support.js";

describe("a request whose connection breaks before the answer comes", () => {
  it("is made again at once, not after the client's time-out", async () => {
    await using world = await openLossyWorld({}, { timeoutInMs: 120_000, retryDelayInMs: 1, mode: 1 });
    const receiver = world.client.createReceiver("orders");
    await receiver.peekMessages(1);
    world.broker.faults.delay("orders", 120_000);
    const peeking = receiver.peekMessages(1);
    world.broker.faults.clear();
    world.network.drop();
    expect(await peeking).toEqual([]);
  });

  it("can be given up by its caller", async () => {
    await using world = await openLossyWorld({}, { timeoutInMs: 120_000, mode: 1 });
    const receiver = world.client.createReceiver("orders");
    await receiver.peekMessages(1);
    world.broker.faults.delay("orders", 120_000);
    const caller = new AbortController();
    const peeking = receiver.peekMessages(1, { abortSignal: caller.signal });
    const ended = expect(peeking).rejects.toMatchObject({ name: "AbortError" });
    await new Promise((resolve) => setImmediate(resolve));
    caller.abort();
    await ended;
  });
});
