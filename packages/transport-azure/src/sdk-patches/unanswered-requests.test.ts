import { describe, expect, it } from "vitest";
import { openLossyWorld } from "../lossy-world.test-support.js";

describe("a request whose connection breaks before the answer comes", () => {
  it("is made again at once, not after the client's time-out", async () => {
    await using world = await openLossyWorld({}, { timeoutInMs: 120_000, retryDelayInMs: 1, mode: 1 });
    const { peeking } = await peekAndBreak(world);
    expect(await peeking).toEqual([]);
  });

  it("waits for its time-out, with the SDK alone", async () => {
    const retryOptions = { timeoutInMs: 1_000, maxRetries: 0, mode: 1 };
    await using world = await openLossyWorld({}, retryOptions, { sdkPatches: false });
    const { peeking } = await peekAndBreak(world);
    // When this fails, the fault is mended upstream, and the patch can go.
    await expect(peeking).rejects.toThrow(/timed out/);
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

/** Begins to peek, and breaks the connection while the answer is awaited. */
async function peekAndBreak(world: Awaited<ReturnType<typeof openLossyWorld>>) {
  const receiver = world.client.createReceiver("orders");
  await receiver.peekMessages(1);
  world.broker.faults.delay("orders", 120_000);
  const peeking = receiver.peekMessages(1);
  peeking.catch(() => {});
  await new Promise((resolve) => setImmediate(resolve));
  world.broker.faults.clear();
  world.network.drop();
  return { peeking };
}
