import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
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
  // The other sends have a timer for each of their attempts: their errors belong to this test, too.
  if (!options.sdkPatches) await setTimeout(2.5 * timeoutInMs);
  return ended;
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
