import { describe, expect, it, vi } from "vitest";
import { openLossyFixture } from "../lossy-fixture.test-support.js";
import { until } from "../until.test-support.js";

describe("a pending send while the broker closes the connection and the SDK opens it again", () => {
  it("ends the process at its timeout, with the SDK alone", async () => {
    // When this fails, the fault is fixed upstream, and the patch can go.
    expect(await outcomeWith({ sdkPatches: false })).toBe("uncaught TypeError");
  });

  it("rejects if closed connections are treated as broken", async () => {
    expect(await outcomeWith({ sdkPatches: true })).toBe("rejected");
  });
});

/** The outcome of the send. */
async function outcomeWith(options: { readonly sdkPatches: boolean }): Promise<string> {
  const timeoutInMs = 1_000;
  const retryOptions = { maxRetries: 1, retryDelayInMs: 1, timeoutInMs, mode: 1 };
  // Other sends have timers for each of their attempts, whose errors would end other tests.
  using __ = clearedTimers();
  await using fixture = await openLossyFixture({}, retryOptions, options);
  const sender = fixture.client.createSender("orders");
  await sender.sendMessages({ body: 1 });
  fixture.broker.faults.delay("orders", 2_000);
  let outcome: string | undefined;
  sender.sendMessages({ body: 2 }).then(
    () => (outcome = "sent"),
    () => (outcome = "rejected"),
  );
  using _ = uncaught(({ name }) => (outcome = `uncaught ${name}`));
  fixture.network.slowDownEnds();
  // This waits for the connection to end.
  void fixture.closeServer();
  const ended = await until(() => {
    // Every call that needs a link opens the connection.
    sender.sendMessages({ body: 3 }).catch(() => {});
    return outcome;
  });
  fixture.network.drop();
  return ended;
}

/** Clears every timer that is set meanwhile. */
function clearedTimers(): Disposable {
  const timers = vi.spyOn(globalThis, "setTimeout");
  return {
    [Symbol.dispose]() {
      for (const { value } of timers.mock.results) clearTimeout(value);
      timers.mockRestore();
    },
  };
}

/** Catches uncaught exceptions instead of the test runner. */
function uncaught(take: (error: Error) => void): Disposable {
  const event = "uncaughtException";
  const others = process.listeners(event);
  process.removeAllListeners(event).on(event, take);
  return {
    [Symbol.dispose]() {
      process.removeListener(event, take);
      for (const other of others) process.on(event, other);
    },
  };
}
