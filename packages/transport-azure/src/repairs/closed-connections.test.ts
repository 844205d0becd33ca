import { Connection } from "rhea-promise";
import { afterEach, describe, expect, it, vi } from "vitest";
import { openLossyWorld } from "../lossy-world.test-support.js";
import { breakClosedConnections } from "./closed-connections.js";

const { prototype } = Connection;
const asItIs = prototype.open;

afterEach(breakClosedConnections);

describe("a send that waits while the broker closes the connection and the SDK opens it again", () => {
  it("ends the process at its time-out, with the SDK alone", async () => {
    const undo = () => {
      prototype.open = asItIs;
    };
    // When this fails, the SDK has been repaired, and need not be repaired here.
    expect(await outcomeAfter(undo)).toBe("uncaught TypeError");
  });

  it("rejects when closed connections are taken for broken", async () => {
    expect(await outcomeAfter(breakClosedConnections)).toBe("rejected");
  });
});

/** What becomes of the send. */
async function outcomeAfter(prepare: () => void): Promise<string> {
  await using world = await openLossyWorld(
    {},
    {
      maxRetries: 1,
      retryDelayInMs: 1,
      timeoutInMs: 1_000,
      mode: 1,
    },
  );
  prepare();
  const sender = world.client.createSender("orders");
  await sender.sendMessages({ body: 1 });
  world.broker.faults.delay("orders", 2_000);
  let outcome: string | undefined;
  sender.sendMessages({ body: 2 }).then(
    () => (outcome = "sent"),
    () => (outcome = "rejected"),
  );
  using _ = uncaught(({ name }) => (outcome = `uncaught ${name}`));
  world.network.slowDownEnds();
  // This waits for the connection to end.
  void world.closeServer();
  const became = await vi.waitUntil(
    () => {
      // Every call that needs a link opens the connection.
      sender.sendMessages({ body: 3 }).catch(() => {});
      return outcome;
    },
    { interval: 20, timeout: 30_000 },
  );
  world.network.drop();
  return became;
}

/** Takes exceptions that nobody catches, instead of who takes them else. */
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
