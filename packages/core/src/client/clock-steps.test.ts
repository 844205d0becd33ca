import { describe, expect, it } from "vitest";
import { createFixture, type Fixture, quiet } from "../../test/fixture.js";

const hourMs = 3_600_000;

describe.each([
  ["back by an hour", -hourMs],
  ["forward by an hour", hourMs],
])("after the wall clock was stepped %s", (_, stepMs) => {
  it("locks are renewed in time", async () => {
    await using fixture = await createFixture();
    await fixture.client.createSender("orders").sendMessages({ body: 1 });
    const receiver = fixture.client.createReceiver("orders");
    const [message] = await receiver.receiveMessages(1);
    await pass(fixture, 20_000);
    fixture.clock.step(stepMs);
    await pass(fixture, 200_000);
    if (message === undefined) throw new Error("nothing came");
    await receiver.completeMessage(message);
    expect(await receiver.peekMessages(1)).toEqual([]);
  });

  it("the locks of sessions are renewed in time", async () => {
    await using fixture = await createFixture({ queue: { requiresSession: true } });
    await fixture.client.createSender("orders").sendMessages({ body: 1, sessionId: "s" });
    const session = await fixture.client.acceptSession("orders", "s");
    fixture.clock.step(stepMs);
    await pass(fixture, 200_000);
    expect(session.sessionLockedUntilUtc.getTime()).toBeGreaterThan(fixture.clock.now());
    expect(await session.receiveMessages(1)).toMatchObject([{ body: 1 }]);
  });

  it("receive calls end in time", async () => {
    await using fixture = await createFixture();
    const receiver = fixture.client.createReceiver("orders");
    let received: unknown;
    void receiver.receiveMessages(1, { maxWaitTimeInMs: 10_000 }).then((messages) => (received = messages));
    await quiet();
    fixture.clock.step(stepMs);
    await pass(fixture, 5_000);
    expect(received).toBeUndefined();
    await pass(fixture, 5_000);
    expect(received).toEqual([]);
  });

  it("an idle session is released for the next one in time", async () => {
    await using fixture = await createFixture({ queue: { requiresSession: true } });
    const sender = fixture.client.createSender("orders");
    const handled: unknown[] = [];
    const subscription = fixture.client.subscribeSessions(
      "orders",
      {
        processMessage: async ({ body }) => void handled.push(body),
        processError: async () => {},
      },
      { maxConcurrentSessions: 1, sessionIdleTimeoutInMs: 10_000 },
    );
    await sender.sendMessages({ body: 1, sessionId: "a" });
    await quiet();
    const lockedSessions = () =>
      fixture.broker.snapshot().stores.flatMap(({ sessions }) => sessions.filter(({ isLocked }) => isLocked));
    expect([handled, lockedSessions().length]).toEqual([[1], 1]);
    fixture.clock.step(stepMs);
    await pass(fixture, 5_000);
    expect(lockedSessions()).toHaveLength(1);
    await pass(fixture, 10_000);
    expect(lockedSessions()).toHaveLength(0);
    await subscription.close();
  });
});

async function pass(fixture: Fixture, durationMs: number): Promise<void> {
  for (let passedMs = 0; passedMs < durationMs; passedMs += 5_000) {
    fixture.clock.advance(5_000);
    await quiet();
  }
}
