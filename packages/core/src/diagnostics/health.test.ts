import { type CircuitBreakerEvent, type Transport, WaybillClient } from "@waybill/core";
import type { DiagnosticEvent, LinkStall } from "@waybill/core/diagnostics";
import type { TransportReceiverEvents } from "@waybill/core/transport";
import { json } from "@waybill/serializer-json";
import { describe, expect, it } from "vitest";
import { createFixture, poison, quiet, until } from "../../test/fixture.js";

describe("a client's health", () => {
  it("reports nothing before anything happened", async () => {
    await using fixture = await createFixture();
    expect(fixture.client.health()).toEqual({
      status: "ready",
      lastDeliveryAt: undefined,
      links: [],
      openCircuits: [],
      windowInMs: 300_000,
      locksLost: 0,
      deadLettered: 0,
      linksStalled: 0,
    });
  });

  it("reports its links, and when the last message was received", async () => {
    await using fixture = await createFixture();
    const { client, clock } = fixture;
    const receiver = client.createReceiver("orders");
    receiver.subscribe({ processMessage() {}, processError() {} }, { maxConcurrentCalls: 3 });
    await quiet();
    const link = { entityPath: "orders", sessionId: undefined, isOpen: true, credit: 3, stalls: 0 };
    expect(client.health().links).toEqual([{ ...link, lastDeliveryAt: undefined }]);
    clock.advance(1_000);
    await client.createSender("orders").sendMessages({ body: 1 });
    await quiet();
    const lastDeliveryAt = new Date(clock.now());
    clock.advance(1_000);
    expect(client.health()).toMatchObject({ lastDeliveryAt, links: [{ ...link, lastDeliveryAt }] });
    await receiver.close();
    expect(client.health()).toMatchObject({ status: "ready", links: [] });
  });

  it("names the session of a link", async () => {
    await using fixture = await createFixture({ queue: { requiresSession: true } });
    const { client } = fixture;
    await client.createSender("orders").sendMessages({ body: 1, sessionId: "a" });
    client.subscribeSessions("orders", { processMessage() {}, processError() {} });
    await until(() => client.health().links.length > 0);
    expect(client.health().links).toMatchObject([{ entityPath: "orders", sessionId: "a", isOpen: true }]);
  });

  it("is impaired while a link is not open", async () => {
    await using fixture = await createFixture();
    const { client, broker, clock } = fixture;
    client.createReceiver("orders").subscribe({ processMessage() {}, processError() {} });
    await quiet();
    expect(client.health().status).toBe("ready");
    broker.faults.dropLinks("orders");
    await quiet();
    expect(client.health()).toMatchObject({ status: "impaired", links: [{ isOpen: false }] });
    clock.advance(1_000);
    await quiet();
    expect(client.health().status).toBe("ready");
  });

  it("counts locks that were lost and messages that were dead-lettered, for five minutes", async () => {
    await using fixture = await createFixture({ queue: { lockDurationMs: 5_000 } });
    const { client, clock } = fixture;
    const sender = client.createSender("orders");
    await sender.sendMessages([{ body: 1 }, { body: 2 }]);
    await sender.sendEncodedMessages(poison("a", "{"));
    const receiver = client.createReceiver("orders", { maxAutoLockRenewalDurationInMs: 0 });
    const [first, second] = await receiver.receiveMessages(3);
    await receiver.deadLetterMessage(first!);
    clock.advance(5_000);
    await expect(receiver.completeMessage(second!)).rejects.toMatchObject({ code: "message-lock-lost" });
    expect(client.health()).toMatchObject({ locksLost: 1, deadLettered: 2 });
    clock.advance(300_000);
    expect(client.health()).toMatchObject({ locksLost: 0, deadLettered: 0 });
  });

  it("counts a lost session once, for any number of its messages", async () => {
    await using fixture = await createFixture({ queue: { requiresSession: true, lockDurationMs: 5_000 } });
    const { client, clock } = fixture;
    const messages = [1, 2, 3].map((body) => ({ body, sessionId: "a" }));
    await client.createSender("orders").sendMessages(messages);
    const session = await client.acceptSession("orders", "a", { maxAutoLockRenewalDurationInMs: 0 });
    const received = await session.receiveMessages(3);
    clock.advance(5_000);
    const settled = received.map((message) => session.completeMessage(message));
    const codes = (await Promise.allSettled(settled)).map(
      (one) => (one as { reason?: { code: string } }).reason?.code,
    );
    expect(codes).toEqual(["session-lock-lost", "session-lock-lost", "session-lock-lost"]);
    expect(client.health().locksLost).toBe(1);
  });

  it("is impaired while a circuit is open", async () => {
    const events: CircuitBreakerEvent[] = [];
    await using fixture = await createFixture({
      client: {
        circuitBreaker: { windowSize: 2, decodedBefore: "all" },
        onCircuitBreaker: (event) => events.push(event),
      },
    });
    const { client } = fixture;
    const receiver = client.createReceiver("orders");
    receiver.subscribe({ processMessage() {}, processError() {} });
    for (const id of ["a", "b", "c"]) {
      await client.createSender("orders").sendEncodedMessages(poison(id, "{"));
    }
    await until(() => events.length > 0);
    expect(client.health()).toMatchObject({
      status: "impaired",
      openCircuits: [{ entityPath: "orders", format: "json" }],
    });
    await receiver.close();
    expect(client.health()).toMatchObject({ status: "ready", openCircuits: [] });
  });

  it("reports that the client is closed", async () => {
    await using fixture = await createFixture();
    await fixture.client.close();
    expect(fixture.client.health()).toMatchObject({ status: "closed", links: [] });
  });
});

describe("a stalled link", () => {
  it("is reported to diagnostics and counted, for receivers and sessions", async () => {
    await using fixture = await createFixture();
    await fixture.broker.createQueue("visits", { requiresSession: true });
    await fixture.broker
      .sender("visits")
      .send({ sessionId: "a", body: { section: "data", bytes: new Uint8Array() } });
    const stalls: ((stall: LinkStall) => void)[] = [];
    const events: DiagnosticEvent[] = [];
    const client = new WaybillClient(stalling(fixture.transport, stalls), {
      serializer: json(),
      diagnostics: { onEvent: (event) => events.push(event) },
    });
    client.createReceiver("orders");
    const session = await client.acceptSession("visits", "a");
    const stall: LinkStall = {
      entityPath: "orders",
      sessionId: undefined,
      credit: 1,
      silenceInMs: 30_000,
      evidence: "backlog",
    };
    for (const report of stalls) report(stall);
    expect(events).toEqual([
      { type: "linkStalled", ...stall },
      { type: "linkStalled", ...stall },
    ]);
    expect(client.health().linksStalled).toBe(2);
    await session.close();
    await client.close();
  });
});

/** The transport, with stalls that the test reports. */
function stalling(inner: Transport, stalls: ((stall: LinkStall) => void)[]): Transport {
  const note = (events: TransportReceiverEvents | undefined) => {
    if (events?.onLinkStalled !== undefined) stalls.push(events.onLinkStalled);
  };
  return {
    capabilities: inner.capabilities,
    scheduler: inner.scheduler,
    createSender: (...args) => inner.createSender(...args),
    createReceiver(address, receiveMode, events) {
      note(events);
      return inner.createReceiver(address, receiveMode);
    },
    acceptSession(address, sessionId, options) {
      note(options);
      return inner.acceptSession(address, sessionId, options);
    },
    createRuleManager: (...args) => inner.createRuleManager(...args),
    close: () => inner.close(),
    [Symbol.asyncDispose]: () => inner.close(),
  };
}
