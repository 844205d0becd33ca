import { Receiver } from "rhea-promise";
import { afterEach, describe, expect, it } from "vitest";
import { openLossyWorld } from "../lossy-world.test-support.js";
import { tolerateMissingAddresses } from "./missing-addresses.js";

const links = Object.getPrototypeOf(Receiver.prototype) as object;
const asItIs = Object.getOwnPropertyDescriptor(links, "address")!;

afterEach(tolerateMissingAddresses);

describe("a send that waits while the broker closes the connection and the SDK opens it again", () => {
  it("ends the process at its time-out, with the SDK alone", async () => {
    // When this fails, the SDK has been repaired, and need not be repaired here.
    expect(await outcomeAfter(() => Object.defineProperty(links, "address", asItIs))).toBe(
      "uncaught TypeError",
    );
  });

  it("rejects when links without address have none", async () => {
    expect(await outcomeAfter(tolerateMissingAddresses)).toBe("rejected");
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
  void world.server.close();
  while (outcome === undefined) {
    // Every call that needs a link opens the connection.
    sender.sendMessages({ body: 3 }).catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  world.network.drop();
  return outcome;
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
