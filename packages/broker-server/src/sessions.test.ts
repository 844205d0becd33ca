import { describe, expect, it } from "vitest";
import { codeOf, connect, openFixture } from "./fixture.test-support.js";

const openSessions = () => openFixture({ requiresSession: true });

describe("acceptSession", () => {
  it("receives only messages of its session, in order", async () => {
    await using fixture = await openSessions();
    await fixture.sender.sendMessages([
      { body: 1, sessionId: "a" },
      { body: 2, sessionId: "b" },
      { body: 3, sessionId: "a" },
    ]);
    const session = await fixture.client.acceptSession("orders", "a");
    expect(session.sessionId).toBe("a");
    expect(session.sessionLockedUntilUtc.getTime()).toBeGreaterThan(Date.now());
    const messages = await session.receiveMessages(10, { maxWaitTimeInMs: 300 });
    expect(messages.map(({ body }) => body)).toEqual([1, 3]);
    for (const message of messages) await session.completeMessage(message);
    await session.close();
    expect(fixture.broker.getEntity("orders").activeMessageCount).toBe(1);
  });

  it("is refused while another receiver has locked the session", async () => {
    await using fixture = await openSessions();
    const session = await fixture.client.acceptSession("orders", "a");
    expect(await codeOf(fixture.client.acceptSession("orders", "a"))).toBe("SessionCannotBeLocked");
    await session.close();
    await (await fixture.client.acceptSession("orders", "a")).close();
  });

  it("delivers an abandoned message again first", async () => {
    await using fixture = await openSessions();
    await fixture.sender.sendMessages([
      { body: 1, sessionId: "a" },
      { body: 2, sessionId: "a" },
    ]);
    const session = await fixture.client.acceptSession("orders", "a");
    const [first] = await session.receiveMessages(1);
    await session.abandonMessage(first!);
    const [again] = await session.receiveMessages(1);
    expect([again!.body, again!.deliveryCount]).toEqual([1, 1]);
    await session.close();
  });

  it("counts no delivery when a receiver closes with unsettled messages", async () => {
    await using fixture = await openSessions();
    await fixture.sender.sendMessages({ body: 1, sessionId: "a" });
    const first = await fixture.client.acceptSession("orders", "a");
    await first.receiveMessages(1);
    await first.close();
    const second = await fixture.client.acceptSession("orders", "a");
    const [message] = await second.receiveMessages(1);
    expect(message!.deliveryCount).toBe(0);
    await second.close();
  });
});

describe("acceptNextSession", () => {
  it("accepts the session with the oldest waiting message", async () => {
    await using fixture = await openSessions();
    await fixture.sender.sendMessages([
      { body: 1, sessionId: "b" },
      { body: 2, sessionId: "a" },
    ]);
    const first = await fixture.client.acceptNextSession("orders");
    const second = await fixture.client.acceptNextSession("orders");
    expect([first.sessionId, second.sessionId]).toEqual(["b", "a"]);
  });

  it("waits until a session gets messages", async () => {
    await using fixture = await openSessions();
    const next = fixture.client.acceptNextSession("orders");
    await fixture.sender.sendMessages({ body: 1, sessionId: "late" });
    expect((await next).sessionId).toBe("late");
  });

  it("ends with ServiceTimeout if there is none within the client's timeout", async () => {
    await using fixture = await openSessions();
    const client = connect(fixture.server.connectionString, 500);
    expect(await codeOf(client.acceptNextSession("orders"))).toBe("ServiceTimeout");
    await client.close();
  });
});

describe("a session receiver", () => {
  it("keeps a state up to the message limit of its entity", async () => {
    const kilobyte = 1024;
    await using fixture = await openFixture({ requiresSession: true, maxMessageSizeInKilobytes: 2048 });
    const session = await fixture.client.acceptSession("orders", "s1");
    const largest = Buffer.alloc(2048 * kilobyte, 0xff);
    await session.setSessionState(largest);
    const kept: Buffer = await session.getSessionState();
    expect(kept.equals(largest)).toBe(true);
    expect(await codeOf(session.setSessionState(Buffer.alloc(2048 * kilobyte + 1, 0xff)))).toBe(
      "MessageSizeExceeded",
    );
    await fixture.broker.updateEntity("orders", { maxMessageSizeInKilobytes: 256 });
    expect(await codeOf(session.setSessionState(Buffer.alloc(257 * kilobyte, 0xff)))).toBe(
      "MessageSizeExceeded",
    );
  });

  it("keeps its state for later receivers", async () => {
    await using fixture = await openSessions();
    const first = await fixture.client.acceptSession("orders", "a");
    expect(await first.getSessionState()).toBe(null);
    await first.setSessionState({ step: 2 });
    await first.close();
    const second = await fixture.client.acceptSession("orders", "a");
    expect(await second.getSessionState()).toEqual({ step: 2 });
  });

  it("renews the session's lock", async () => {
    await using fixture = await openSessions();
    const session = await fixture.client.acceptSession("orders", "a");
    const before = session.sessionLockedUntilUtc.getTime();
    const renewed = await session.renewSessionLock();
    expect(renewed.getTime()).toBeGreaterThanOrEqual(before);
  });

  it("defers messages, receives deferred ones, dead-letters and peeks", async () => {
    await using fixture = await openSessions();
    await fixture.sender.sendMessages([
      { body: 1, sessionId: "a" },
      { body: 2, sessionId: "a" },
      { body: 3, sessionId: "b" },
    ]);
    const session = await fixture.client.acceptSession("orders", "a");
    const [first, second] = await session.receiveMessages(2, { maxWaitTimeInMs: 1000 });
    await session.deferMessage(first!);
    expect((await session.peekMessages(10)).map(({ body }) => body)).toEqual([1, 2]);
    const [deferred] = await session.receiveDeferredMessages(first!.sequenceNumber!);
    await session.completeMessage(deferred!);
    await session.deadLetterMessage(second!, { deadLetterReason: "r", deadLetterErrorDescription: "d" });
    expect(fixture.broker.getEntity("orders")).toMatchObject({
      activeMessageCount: 1,
      deferredMessageCount: 0,
      deadLetterMessageCount: 1,
    });
  });

  it("is notified that its lock is lost", async () => {
    await using fixture = await openSessions();
    await fixture.sender.sendMessages({ body: 1, sessionId: "a" });
    const session = await fixture.client.acceptSession("orders", "a");
    const [message] = await session.receiveMessages(1);
    fixture.broker.faults.loseLock("orders", message!.lockToken!);
    expect(await codeOf(session.renewSessionLock())).toBe("SessionLockLost");
    expect(await codeOf(session.completeMessage(message!))).toBe("SessionLockLost");
  });
});

describe("a link of the wrong kind", () => {
  it("is refused on an entity with sessions and on one without", async () => {
    await using fixture = await openSessions();
    await fixture.broker.createQueue("plain");
    const plain = fixture.client.createReceiver("orders").receiveMessages(1);
    expect(await codeOf(plain)).toBe("GeneralError");
    expect(await codeOf(fixture.client.acceptNextSession("plain"))).toBe("GeneralError");
    expect(await codeOf(fixture.sender.sendMessages({ body: 1 }))).toBe("GeneralError");
  });
});
