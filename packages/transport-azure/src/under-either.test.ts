import { describe, expect, it } from "vitest";
import { openLossyWorld } from "./lossy-world.test-support.js";
import { underEither } from "./under-either.js";

describe("calls under the signal of a long-lived caller", () => {
  it("leave nothing behind on it", async () => {
    await using world = await openLossyWorld();
    await world.broker.createQueue("sessions", { requiresSession: true });
    const queue = "orders";
    const sessions = "sessions";
    const { signal } = new AbortController();
    const receiver = world.transport.createReceiver({ queue }, "peekLock");
    const accepting = { receiveMode: "peekLock", maxWaitTimeMs: 0, abortSignal: signal } as const;
    for (let i = 0; i < 5; i += 1) {
      await receiver.receive({ maxMessages: 1, maxWaitTimeMs: 0, abortSignal: signal });
      const session = await world.transport.acceptSession({ queue: sessions }, "s", accepting);
      await session.close();
    }
    expect(kept(signal)).toBe(0);
    // What would be left.
    AbortSignal.any([signal, new AbortController().signal]);
    expect(kept(signal)).toBeGreaterThan(0);
  });
});

describe("underEither", () => {
  it("takes many calls at once for no leak", async () => {
    const warnings: Error[] = [];
    const note = (warning: Error) => void warnings.push(warning);
    process.on("warning", note);
    const [first, second] = [new AbortController(), new AbortController()];
    const waits = Array.from({ length: 20 }, (_, i) =>
      underEither(
        first.signal,
        i % 2 === 0 ? second.signal : undefined,
        (signal) => new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true })),
      ),
    );
    first.abort();
    await Promise.all(waits);
    await new Promise((resolve) => setImmediate(resolve));
    process.off("warning", note);
    expect(warnings).toEqual([]);
  });

  it.each([0, 1])(
    "aborts as either signal does, with its reason, also when it did before (%d)",
    async (which) => {
      const controllers = [new AbortController(), new AbortController()] as const;
      const reasonOf = () =>
        underEither(controllers[0].signal, controllers[1].signal, async (signal) => {
          if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve));
          return signal.reason as unknown;
        });
      const reason = reasonOf();
      controllers[which]!.abort("enough");
      expect(await reason).toBe("enough");
      expect(await reasonOf()).toBe("enough");
    },
  );
});

/** How many listeners and dependent signals the platform keeps for a signal. */
function kept(signal: AbortSignal): number {
  const held = Object.getOwnPropertySymbols(signal).map((key) => (signal as never)[key] as unknown);
  return held.reduce((sum: number, value) => sum + ((value as { size?: number } | null)?.size ?? 0), 0);
}
