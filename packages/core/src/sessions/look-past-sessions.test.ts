import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createFixture, type Fixture } from "../../test/fixture.js";
import { registry } from "../receive/holding/unavailable-sources.test-support.js";

const unavailableSessions = 150;
const goodSessions = 20;

describe("sessions behind many whose messages cannot be read now", () => {
  it("are handled, and the others in order once they can be read", async () => {
    const source = registry();
    await using fixture = await createFixture({
      queue: { requiresSession: true, maxDeliveryCount: 2 },
      client: source.options,
    });
    const sender = fixture.clientWith({}).createSender("orders");
    for (let s = 0; s < unavailableSessions; s++) {
      const sessionId = `needs-${s}`;
      await sender.sendMessages([
        { sessionId, subject: "needs", body: { n: 1 } },
        { sessionId, subject: "free", body: { n: 2 } },
      ]);
    }
    for (let s = 0; s < goodSessions; s++) {
      await sender.sendMessages({ sessionId: `free-${s}`, subject: "free", body: { n: 1 } });
    }
    source.state.isUp = false;
    const handled = new Map<string, number[]>();
    fixture.client.subscribeSessions<{ n: number }>(
      "orders",
      {
        processMessage({ sessionId = "", body }) {
          handled.set(sessionId, [...(handled.get(sessionId) ?? []), body.n]);
        },
        processError() {},
      },
      { maxConcurrentSessions: 4 },
    );
    await advanceUntil(fixture, () => handled.size === goodSessions);
    expect([...handled.keys()].every((id) => id.startsWith("free-"))).toBe(true);
    source.state.isUp = true;
    await advanceUntil(fixture, () => handled.size === goodSessions + unavailableSessions);
    await advanceUntil(fixture, () =>
      [...handled].every(([id, ns]) => id.startsWith("free") || ns.length === 2),
    );
    for (const [id, ns] of handled) expect(ns).toEqual(id.startsWith("free-") ? [1] : [1, 2]);
  });
});

async function advanceUntil({ clock }: Fixture, holds: () => boolean): Promise<void> {
  for (let step = 0; step < 4_000; step++) {
    if (holds()) return;
    clock.advance(250);
    for (let i = 0; i < 5; i++) await turn();
  }
  throw new Error(`It took too long until ${holds}`);
}
