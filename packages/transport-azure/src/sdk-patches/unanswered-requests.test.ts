import { describe, expect, it } from "vitest";
import { openLossyFixture } from "../lossy-fixture.test-support.js";

describe("a request whose connection breaks before the response", () => {
  it("is repeated at once, not after the client's timeout", async () => {
    await using fixture = await openLossyFixture({}, { timeoutInMs: 120_000, retryDelayInMs: 1, mode: 1 });
    const { peeking } = await peekAndBreak(fixture);
    expect(await peeking).toEqual([]);
  });

  it("waits for its timeout, with the SDK alone", async () => {
    const retryOptions = { timeoutInMs: 1_000, maxRetries: 0, mode: 1 };
    await using fixture = await openLossyFixture({}, retryOptions, { sdkPatches: false });
    const { peeking } = await peekAndBreak(fixture);
    // When this fails, the fault is fixed upstream, and the patch can go.
    await expect(peeking).rejects.toThrow(/timed out/);
  });

  it("can be aborted by its caller", async () => {
    await using fixture = await openLossyFixture({}, { timeoutInMs: 120_000, mode: 1 });
    const receiver = fixture.client.createReceiver("orders");
    await receiver.peekMessages(1);
    fixture.broker.faults.delay("orders", 120_000);
    const caller = new AbortController();
    const peeking = receiver.peekMessages(1, { abortSignal: caller.signal });
    const ended = expect(peeking).rejects.toMatchObject({ name: "AbortError" });
    await new Promise((resolve) => setImmediate(resolve));
    caller.abort();
    await ended;
  });
});

/** Begins to peek, and breaks the connection before the response. */
async function peekAndBreak(fixture: Awaited<ReturnType<typeof openLossyFixture>>) {
  const receiver = fixture.client.createReceiver("orders");
  await receiver.peekMessages(1);
  fixture.broker.faults.delay("orders", 120_000);
  const peeking = receiver.peekMessages(1);
  peeking.catch(() => {});
  await new Promise((resolve) => setImmediate(resolve));
  fixture.broker.faults.clear();
  fixture.network.drop();
  return { peeking };
}
