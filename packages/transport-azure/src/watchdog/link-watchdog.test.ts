import { createManualClock } from "@waybill/broker";
import type { LinkStall } from "@waybill/core/diagnostics";
import type { TransportSubscribeHandlers } from "@waybill/core/transport";
import { describe, expect, it, vi } from "vitest";
import { openLossyFixture } from "../lossy-fixture.test-support.js";
import { until } from "../until.test-support.js";

type Fixture = Awaited<ReturnType<typeof openLossyFixture>>;

const watchdog = { stallTimeoutInMs: 200, answerTimeoutInMs: 1_000 };

describe("a link that has credit but delivers nothing while a message waits", () => {
  it("is restarted for a subscription, and its message arrives", async () => {
    await using fixture = await openLossyFixture({}, undefined, { watchdog });
    const { stalls, bodies } = await subscribed(fixture);
    await stallWhenItWaits(fixture);
    await send(fixture, "waits");
    await expect.poll(() => bodies).toEqual(["first", "waits"]);
    expect(stalls).toEqual([
      {
        entityPath: "orders",
        sessionId: undefined,
        credit: 2,
        silenceInMs: expect.any(Number),
        evidence: "backlog",
      },
    ]);
  });

  it("is restarted for a pending call, which gets the message", async () => {
    await using fixture = await openLossyFixture({}, undefined, { watchdog });
    const { events, stalls } = reported();
    const receiver = fixture.transport.createReceiver({ queue: "orders" }, "peekLock", events);
    const waiting = receiver.receive({ maxMessages: 5, maxWaitTimeInMs: 60_000 });
    await stallWhenItWaits(fixture);
    await send(fixture, "waits");
    expect(receiver.links?.()).toMatchObject([{ credit: 5 }]);
    expect(await waiting).toHaveLength(1);
    expect(stalls).toMatchObject([{ credit: 5 }]);
    expect(total(fixture)).toBe(1);
  });

  it("is restarted for calls with a shorter wait than the stall timeout", async () => {
    await using fixture = await openLossyFixture({}, undefined, { watchdog });
    const { events, stalls } = reported();
    const receiver = fixture.transport.createReceiver({ queue: "orders" }, "peekLock", events);
    const first = receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 60_000 });
    await send(fixture, "first");
    await first;
    const wait = { maxMessages: 1, maxWaitTimeInMs: 100 };
    const waiting = receiver.receive(wait);
    await stallWhenItWaits(fixture);
    await send(fixture, "waits");
    expect(await waiting).toEqual([]);
    const came = await until(async () => (await receiver.receive(wait)).length > 0);
    expect([came, stalls.length]).toEqual([true, 1]);
  });

  it("ends its session, whose message the next receiver gets", async () => {
    await using fixture = await openLossyFixture({ requiresSession: true }, undefined, { watchdog });
    const { events, stalls } = reported();
    const accept = () =>
      fixture.transport.acceptSession({ queue: "orders" }, "a", {
        receiveMode: "peekLock",
        maxWaitTimeInMs: 60_000,
        ...events,
      });
    const session = await accept();
    const waiting = session.receive({ maxMessages: 1, maxWaitTimeInMs: 60_000 });
    const lost = expect(waiting).rejects.toMatchObject({ code: "session-lock-lost" });
    await stallWhenItWaits(fixture);
    await send(fixture, "waits");
    await lost;
    await expect(session.receive({ maxMessages: 1, maxWaitTimeInMs: 100 })).rejects.toMatchObject({
      code: "session-lock-lost",
    });
    await session.close();
    const next = await accept();
    expect(await next.receive({ maxMessages: 1, maxWaitTimeInMs: 60_000 })).toHaveLength(1);
    expect(stalls).toMatchObject([{ sessionId: "a", evidence: "backlog" }]);
  });
});

describe("a link without deliveries", () => {
  it("is not restarted if no message waits", async () => {
    await using fixture = await openLossyFixture({}, undefined, { watchdog });
    const { stalls, bodies } = await subscribed(fixture);
    await peeks(fixture, 3);
    await send(fixture, "second");
    await expect.poll(() => bodies).toEqual(["first", "second"]);
    expect(stalls).toEqual([]);
  });

  it("is not restarted if all waiting messages are deferred, scheduled, or locked by the same client", async () => {
    await using fixture = await openLossyFixture({}, undefined, { watchdog });
    const receiver = fixture.transport.createReceiver({ queue: "orders" }, "peekLock");
    await send(fixture, "deferred");
    const [deferred] = await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 60_000 });
    await receiver.defer(deferred!.settlement!);
    await send(fixture, "held");
    await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 60_000 });
    const later = new Date(Date.now() + 3_600_000);
    await fixture.transport.createSender("orders").schedule([{ body: new Uint8Array() }], later);
    const { stalls } = subscribe(fixture);
    await peeks(fixture, 3);
    expect(stalls).toEqual([]);
  });

  it("is restarted at increasing intervals while another client has locked the waiting messages, without a report", async () => {
    await using fixture = await openLossyFixture({}, undefined, { watchdog });
    await send(fixture, "held by another");
    await fixture.broker.receiver("orders").receive();
    const { stalls } = subscribe(fixture);
    const openedAt: number[] = [];
    const open = fixture.client.createReceiver.bind(fixture.client);
    vi.spyOn(fixture.client, "createReceiver").mockImplementation((...options: unknown[]) => {
      openedAt.push(performance.now());
      return open(...(options as Parameters<typeof open>));
    });
    await expect.poll(() => openedAt.length).toBeGreaterThan(3);
    const [, first = 0, second = 0, third = 0] = openedAt;
    expect([second - first > 300, third - second > 600]).toEqual([true, true]);
    expect(stalls).toEqual([]);
  });

  it("is not restarted if the watchdog is disabled", async () => {
    await using fixture = await openLossyFixture({}, undefined, { watchdog: false });
    await using watched = await openLossyFixture({}, undefined, { watchdog });
    const { bodies } = await subscribed(fixture);
    await stallWhenItWaits(fixture);
    await send(fixture, "waits");
    const requests = fixture.network.sent("transfer");
    const later = await subscribed(watched);
    await stallWhenItWaits(watched);
    await send(watched, "waits");
    await expect.poll(() => later.bodies).toEqual(["first", "waits"]);
    // The other had been stalled for longer, and has not even peeked.
    expect([bodies, fixture.network.sent("transfer")]).toEqual([["first"], requests]);
  });
});

describe("a connection over which nothing arrives, not even a response", () => {
  it("is closed and opened again", async () => {
    const clock = createManualClock(new Date());
    const queue = { lockDurationMs: 60_000 };
    await using fixture = await openLossyFixture(queue, undefined, { watchdog }, { clock });
    const { receiver, stalls, bodies } = await subscribed(fixture);
    fixture.network.swallow();
    await send(fixture, "waits");
    await expect.poll(() => fixture.network.connectionCount).toBe(2);
    await expect.poll(() => receiver.links?.().map(({ isOpen }) => isOpen)).toEqual([true]);
    // The broker still delivers to the lost link while it has credit, so more than one lock must expire.
    const received = () => {
      clock.advance(60_000);
      return bodies;
    };
    await expect.poll(received, { interval: 500 }).toEqual(["first", "waits"]);
    expect(stalls[0]).toMatchObject({ evidence: "unanswered" });
    expect(fixture.network.connectionCount).toBe(2);
  });
});

describe("the options of the watchdog", () => {
  it.each([
    [
      { stallTimeoutInMs: 0 },
      "watchdog.stallTimeoutInMs must be a number of milliseconds from 1 to 2147483647; got 0.",
    ],
    [
      { answerTimeoutInMs: Number.NaN },
      "watchdog.answerTimeoutInMs must be a number of milliseconds from 1 to 2147483647",
    ],
    [true, "watchdog must be an object of options, or false."],
  ])("refuse %o", async (options, text) => {
    await expect(openLossyFixture({}, undefined, { watchdog: options as never })).rejects.toThrow(text);
  });
});

function reported() {
  const stalls: LinkStall[] = [];
  return { stalls, events: { onLinkStalled: (stall: LinkStall) => void stalls.push(stall) } };
}

/** Subscribes with a handler that completes its messages. */
function subscribe({ transport }: Fixture) {
  const { stalls, events } = reported();
  const bodies: string[] = [];
  const receiver = transport.createReceiver({ queue: "orders" }, "peekLock", events);
  const handlers: TransportSubscribeHandlers = {
    async onMessage({ body, settlement }) {
      bodies.push(Buffer.from(body as Uint8Array).toString());
      await receiver.complete(settlement!);
    },
    onError() {},
  };
  receiver.subscribe(handlers, { maxConcurrentCalls: 2 });
  return { receiver, stalls, bodies };
}

/** The same, after a first message was received, so that the link is open and has credit. */
async function subscribed(fixture: Fixture) {
  const subscription = subscribe(fixture);
  await send(fixture, "first");
  await expect.poll(() => total(fixture)).toBe(0);
  return subscription;
}

/** Stalls the link of a pending call after its credit has arrived. */
async function stallWhenItWaits({ broker }: Fixture): Promise<void> {
  await expect.poll(() => broker.faults.stopDelivering("orders"), { interval: 5 }).toBe(1);
}

function send({ broker }: Fixture, text: string): Promise<void> {
  const body = { section: "data", bytes: Buffer.from(text) } as const;
  return broker.sender("orders").send({ body, sessionId: "a" });
}

function total({ broker }: Fixture): number {
  return broker.getEntity("orders").totalMessageCount;
}

/** Waits until the watchdog has peeked a number of times for waiting messages. */
async function peeks({ client }: Fixture, times: number): Promise<void> {
  const prototype = Object.getPrototypeOf(client.createReceiver("orders"));
  const peeking = vi.spyOn(prototype, "peekMessages");
  await expect.poll(() => peeking.mock.calls.length).toBeGreaterThanOrEqual(times);
  peeking.mockRestore();
}
