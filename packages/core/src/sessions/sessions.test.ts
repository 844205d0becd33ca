import { type ProcessErrorArgs, type Transport, WaybillClient } from "@waybill/core";
import type { DiagnosticEvent } from "@waybill/core/diagnostics";
import { decodeFailure } from "@waybill/core/serializer";
import type { TransportCapability } from "@waybill/core/transport";
import { json } from "@waybill/serializer-json";
import { describe, expect, it } from "vitest";
import {
  createFixture,
  type Fixture,
  type FixtureOptions,
  poison,
  quiet,
  until,
} from "../../test/fixture.js";

describe("subscribeSessions", () => {
  it("receives from subscriptions of topics", async () => {
    await using fixture = await createFixture();
    await fixture.broker.createSubscription("news", "by-region", { requiresSession: true });
    const seen: unknown[] = [];
    fixture.client.subscribeSessions("news", "by-region", {
      processMessage: ({ body }, { session }) => void seen.push([session.sessionId, body]),
      processError: () => {},
    });
    await fixture.client.createSender("news").sendMessages({ sessionId: "north", body: "extra" });
    await until(() => seen.length === 1);
    expect(seen).toEqual([["north", "extra"]]);
  });

  it("renews a session's lock for the given time, then releases the session between two messages", async () => {
    await using fixture = await createSessions();
    const steps: unknown[] = [];
    fixture.client.subscribeSessions(
      "carts",
      {
        sessionInitializing: () => void steps.push("opening"),
        processMessage: ({ body, deliveryCount }) => void steps.push([body, deliveryCount]),
        sessionClosing: () => void steps.push("closing"),
        processError: ({ error }) => void steps.push(error),
      },
      { maxAutoLockRenewalDurationInMs: 120_000, sessionIdleTimeoutInMs: Number.POSITIVE_INFINITY },
    );
    const sender = fixture.client.createSender("carts");
    for (let n = 1; n <= 3; n++) {
      await sender.sendMessages({ sessionId: "ada", body: n });
      await quiet();
      for (let i = 0; i < 11; i++) {
        fixture.clock.advance(5_000);
        await quiet();
      }
    }
    await sender.sendMessages({ sessionId: "ada", body: 4 });
    await quiet();
    // No lock was lost.
    expect(steps).toEqual(["opening", [1, 0], [2, 0], [3, 0], "closing", "opening", [4, 0]]);
  });

  it("reports an entity that does not exist, at increasing intervals", async () => {
    await using fixture = await createFixture();
    const errors: ProcessErrorArgs[] = [];
    fixture.client.subscribeSessions(
      "carts",
      { processMessage: () => {}, processError: (args) => void errors.push(args) },
      { maxConcurrentSessions: 1 },
    );
    for (let second = 0; second < 60; second++) {
      await quiet();
      fixture.clock.advance(1_000);
    }
    expect(errors[0]).toMatchObject({
      errorSource: "acceptSession",
      entityPath: "carts",
      error: { code: "entity-not-found" },
    });
    expect(errors.length).toBeLessThan(8);
    await fixture.broker.createQueue("carts", { requiresSession: true });
    await fixture.client.createSender("carts").sendMessages({ sessionId: "ada", body: 1 });
    fixture.clock.advance(30_000);
    await quiet();
    expect(await fixture.broker.receiver("carts").peek(1)).toEqual([]);
  });

  it("accepts many sessions at a time without a longer delay than for one", async () => {
    await using fixture = await createFixture();
    const errors: ProcessErrorArgs[] = [];
    fixture.client.subscribeSessions(
      "carts",
      { processMessage: () => {}, processError: (args) => void errors.push(args) },
      { maxConcurrentSessions: 8 },
    );
    // At once, then after one second and two, four, eight and 16 more.
    for (const [rounds, afterMs] of [0, 1_000, 2_000, 4_000, 8_000, 16_000].entries()) {
      fixture.clock.advance(afterMs);
      await quiet();
      expect(errors).toHaveLength(8 * (rounds + 1));
    }
  });

  it("continues a session whose lock was lost when it can be accepted again", async () => {
    await using fixture = await createSessions();
    const errors: ProcessErrorArgs[] = [];
    const aborted: unknown[] = [];
    const seen: unknown[] = [];
    let finish = () => {};
    fixture.client.subscribeSessions("carts", {
      async processMessage({ body, deliveryCount, lockToken }, { abortSignal }) {
        seen.push([body, deliveryCount]);
        if (deliveryCount > 0) return;
        abortSignal.addEventListener("abort", () => aborted.push(abortSignal.reason));
        fixture.broker.faults.loseLock("carts", lockToken!);
        await new Promise<void>((resolve) => (finish = resolve));
      },
      processError: (args) => void errors.push(args),
    });
    await fixture.client.createSender("carts").sendMessages({ sessionId: "ada", body: 1 });
    await until(() => aborted.length === 1);
    finish();
    await until(() => seen.length === 2);
    expect(seen).toEqual([
      [1, 0],
      [1, 1],
    ]);
    expect(aborted).toMatchObject([{ code: "session-lock-lost" }]);
    expect(errors[0]).toMatchObject({ errorSource: "receive", sessionId: "ada" });
  });

  it("releases a session if sessionInitializing fails, and reports the error", async () => {
    await using fixture = await createSessions();
    await fixture.client.createSender("carts").sendMessages({ sessionId: "ada", body: 1 });
    const errors: ProcessErrorArgs[] = [];
    let attempts = 0;
    const seen: unknown[] = [];
    fixture.client.subscribeSessions("carts", {
      sessionInitializing() {
        attempts++;
        if (attempts === 1) throw new Error("no database");
      },
      processMessage: ({ body }) => void seen.push(body),
      processError: (args) => void errors.push(args),
    });
    await until(() => seen.length === 1);
    expect(errors).toMatchObject([{ errorSource: "sessionCallback", sessionId: "ada" }]);
  });

  it("passes on undeserializable messages in receive-and-delete mode", async () => {
    await using fixture = await createSessions();
    await fixture.client.createSender("carts").sendEncodedMessages({ ...poison("p"), sessionId: "ada" });
    const errors: ProcessErrorArgs[] = [];
    fixture.client.subscribeSessions(
      "carts",
      { processMessage: () => {}, processError: (args) => void errors.push(args) },
      { receiveMode: "receiveAndDelete" },
    );
    await until(() => errors.length === 1);
    expect(errors).toMatchObject([{ disposition: "handedOver", rawMessage: { messageId: "p" } }]);
  });

  it("continues other sessions when more are blocked than there are slots", async () => {
    await using fixture = await createSessions();
    const sender = fixture.client.createSender("carts");
    for (let i = 0; i < 6; i++) await sender.sendEncodedMessages({ ...poison(`p${i}`), sessionId: `s${i}` });
    const seen: unknown[] = [];
    fixture.client.subscribeSessions(
      "carts",
      { processMessage: ({ body }) => void seen.push(body), processError: () => {} },
      { undeserializableAction: "block", maxConcurrentSessions: 2 },
    );
    await until(() => fixture.events.length === 6);
    await sender.sendMessages({ sessionId: "ada", body: 1 });
    await until(() => seen.length === 1);
    expect(fixture.events.map(({ disposition }) => disposition)).toEqual(Array(6).fill("blocked"));
  });

  it("keeps a blocked session locked for as long as it says, however long it is idle", async () => {
    await using fixture = await createSessions();
    await fixture.client.createSender("carts").sendEncodedMessages({ ...poison("p"), sessionId: "ada" });
    fixture.client.subscribeSessions(
      "carts",
      { processMessage: () => {}, processError: () => {} },
      { undeserializableAction: "block", blockedSessionRetryInMs: 120_000, sessionIdleTimeoutInMs: 1_000 },
    );
    await until(() => fixture.events.length === 1);
    const advance = async (seconds: number) => {
      for (let i = 0; i < seconds; i++) {
        fixture.clock.advance(1_000);
        await quiet();
      }
    };
    await advance(110);
    expect(fixture.events).toHaveLength(1);
    await advance(20);
    expect(fixture.events).toHaveLength(2);
  });

  it("peeks into a session while another one waits only when no message follows", async () => {
    let peeks = 0;
    const diagnostics = {
      onEvent({ type }: DiagnosticEvent) {
        if (type === "peek") peeks++;
      },
    };
    await using fixture = await createFixture({ queue: { requiresSession: true }, client: { diagnostics } });
    const sessions = [...Array<string>(20).fill("a"), "b"];
    await fixture.client
      .createSender("orders")
      .sendMessages(sessions.map((sessionId) => ({ body: 1, sessionId })));
    const handled: (string | undefined)[] = [];
    fixture.client.subscribeSessions(
      "orders",
      { processMessage: ({ sessionId }) => void handled.push(sessionId), processError: () => {} },
      { maxConcurrentSessions: 1 },
    );
    await until(() => handled.length === sessions.length);
    expect(handled).toEqual(sessions);
    expect(peeks).toBe(1);
  });

  it("closes with its client and with its abort signal", async () => {
    for (const by of ["client", "signal"]) {
      await using fixture = await createSessions();
      const givingUp = new AbortController();
      const seen: unknown[] = [];
      const handlers = { processMessage: () => void seen.push(1), processError: () => {} };
      fixture.client.subscribeSessions("carts", handlers, { abortSignal: givingUp.signal });
      await quiet();
      if (by === "client") await fixture.client.close();
      else givingUp.abort();
      await quiet();
      await fixture.broker
        .sender("carts")
        .send({ sessionId: "ada", body: { section: "data", bytes: new Uint8Array() } });
      await quiet();
      expect(seen).toEqual([]);
      await fixture.broker.acceptSession("carts", { sessionId: "ada" });
    }
  });

  it.each([
    [{ maxConcurrentSessions: 0 }, "maxConcurrentSessions must be a positive integer; got 0."],
    [{ sessionIdleTimeoutInMs: -1 }, "sessionIdleTimeoutInMs must be a number of milliseconds"],
    [
      { undeserializableAction: "drop" as never },
      'undeserializableAction must be "deadLetter" or "block", not "drop".',
    ],
    [{ receiveMode: "peek" as never }, 'receiveMode must be "peekLock" or "receiveAndDelete"'],
  ])("refuses %o", async (options, text) => {
    await using fixture = await createSessions();
    const handlers = { processMessage() {}, processError() {} };
    expect(() => fixture.client.subscribeSessions("carts", handlers, options)).toThrow(text);
  });
});

describe("a session's subscription whose circuit breaker is open", () => {
  it("stops at its message, and continues with it in order", async () => {
    const reader = { isBroken: false };
    const sound = json();
    await using fixture = await createSessions({
      serializer: {
        ...sound,
        deserialize(bytes, context) {
          if (reader.isBroken) throw decodeFailure("schema-unknown", "It does not fit.");
          return sound.deserialize(bytes, context);
        },
      },
      readBack: false,
      circuitBreaker: { windowSize: 1 },
    });
    const session = await fixture.client.acceptSession("carts", "ada");
    const seen: unknown[] = [];
    session.subscribe({ processMessage: ({ body }) => void seen.push(body), processError: () => {} });
    const sender = fixture.client.createSender("carts");
    await sender.sendMessages({ sessionId: "ada", body: 1 });
    await until(() => seen.length === 1);
    reader.isBroken = true;
    await sender.sendMessages([2, 3].map((body) => ({ sessionId: "ada", body })));
    await until(() => fixture.events.length === 1);
    reader.isBroken = false;
    await until(() => {
      fixture.clock.advance(1_000);
      return seen.length === 3;
    });
    expect(seen).toEqual([1, 2, 3]);
  });
});

describe("listSessions", () => {
  it("lists all sessions that have messages", async () => {
    await using fixture = await createSessions();
    const ids = Array.from({ length: 250 }, (_, i) => `s${String(i).padStart(3, "0")}`);
    await fixture.client.createSender("carts").sendMessages(ids.map((sessionId) => ({ sessionId, body: 1 })));
    const listed: string[] = [];
    for await (const id of fixture.client.listSessions("carts")) listed.push(id);
    expect(listed).toEqual(ids);
  });

  it("is refused if the transport does not support it", async () => {
    await using fixture = await createSessions();
    const capabilities = new Set<TransportCapability>(["sessions"]);
    const { scheduler } = fixture.transport;
    const changed = { capabilities: { value: capabilities }, scheduler: { value: scheduler } };
    const transport: Transport = Object.create(fixture.transport, changed);
    const client = new WaybillClient(transport, { serializer: json() });
    await expect(client.listSessions("carts").next()).rejects.toMatchObject({ code: "not-supported" });
  });
});

async function createSessions(client: FixtureOptions["client"] = {}): Promise<Fixture> {
  const fixture = await createFixture({ client });
  await fixture.broker.createQueue("carts", { requiresSession: true });
  return fixture;
}
