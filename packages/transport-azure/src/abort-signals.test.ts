import { describe, expect, it } from "vitest";
import { openLossyFixture } from "./lossy-fixture.test-support.js";

describe("calls with the signal of a long-lived caller", () => {
  it("leave no listeners on it", async () => {
    await using fixture = await openLossyFixture();
    await fixture.broker.createQueue("sessions", { requiresSession: true });
    const queue = "orders";
    const sessions = "sessions";
    const { signal } = new AbortController();
    const receiver = fixture.transport.createReceiver({ queue }, "peekLock");
    const accepting = { receiveMode: "peekLock", maxWaitTimeInMs: 0, abortSignal: signal } as const;
    for (let i = 0; i < 5; i++) {
      await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 0, abortSignal: signal });
      await receiver.peek({ maxMessages: 1, abortSignal: signal });
      await receiver.receiveDeferred([1n], { abortSignal: signal }).catch(() => {});
      const session = await fixture.transport.acceptSession({ queue: sessions }, "s", accepting);
      await session.close();
    }
    expect(kept(signal)).toBe(0);
    // Node 24 records a dependent signal when it gets a listener.
    AbortSignal.any([signal, new AbortController().signal]).addEventListener("abort", () => {});
    expect(kept(signal)).toBeGreaterThan(0);
  });
});

/** How many listeners and dependent signals the platform keeps for a signal. */
function kept(signal: AbortSignal): number {
  const held = Object.getOwnPropertySymbols(signal).map((key) => (signal as never)[key] as unknown);
  return held.reduce((sum: number, value) => sum + ((value as { size?: number } | null)?.size ?? 0), 0);
}
