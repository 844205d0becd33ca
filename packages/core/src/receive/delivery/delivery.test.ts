import { inspect } from "node:util";
import { type WaybillClientOptions, WaybillError } from "@waybill/core";
import type { DiagnosticEvent } from "@waybill/core/diagnostics";
import { describe, expect, it } from "vitest";
import { createFixture, type Fixture, poison, quiet, registryBound } from "../../../test/fixture.js";
import { manualScheduler } from "../../../test/manual-scheduler.js";
import { type ContextOptions, contextOf, receiveOpen } from "../../../test/receiver-context.js";
import { defineMessage } from "../../message-types/define-message.js";
import { plainJson } from "../../plain-json.test-support.js";
import { DelayedAbandons } from "./delayed-abandons.js";
import { type Delivery, openDelivery, requireDelivery } from "./delivery.js";
import { type DecideUnread, readDelivery, readPeeked } from "./read-delivery.js";
import type { ReceiverContext } from "./receiver-context.js";
import { SessionLock } from "./session-lock.js";
import { backoffDelayMs, resolveUnavailableBackoff } from "./unavailable-backoff.js";

const lockMs = 60_000;
const verbs = ["complete", "abandon", "defer", "deadLetter"] as const;

describe("a delivery", () => {
  it.each(verbs)("is settled once, while another settlement is under way as well: %s", async (verb) => {
    await using fixture = await createFixture();
    const { delivery } = await receiveOne(fixture);
    expect([delivery.state, delivery.settling]).toEqual(["open", undefined]);
    const settling = delivery.settle(verb);
    expect([delivery.state, delivery.settling]).toEqual(["settling", settling]);
    const refused = { code: "operation-invalid", messageId: "m", entityPath: "orders" };
    await expect(delivery.settle("complete")).rejects.toMatchObject(refused);
    await settling;
    expect(delivery.state).toBe("settled");
    await expect(delivery.settle("complete")).rejects.toMatchObject({ text: "It was settled already." });
  });

  it("keeps its lock after a settlement that failed for a while, and may be settled again", async () => {
    await using fixture = await createFixture();
    const { delivery } = await receiveOne(fixture);
    fixture.broker.faults.throttle("orders", 1);
    await expect(delivery.settle("complete")).rejects.toMatchObject({ retryable: true });
    expect(delivery.state).toBe("open");
    await pass(fixture, 2 * lockMs);
    await delivery.settle("complete");
    expect(await fixture.broker.receiver("orders").peek(1)).toEqual([]);
  });

  it("is not renewed any more once it is settled", async () => {
    await using fixture = await createFixture();
    const { delivery, renewals } = await receiveOne(fixture);
    await delivery.settle("complete");
    await pass(fixture, 2 * lockMs);
    expect(renewals()).toBe(0);
  });

  it("is lost with its lock, and then says so", async () => {
    await using fixture = await createFixture();
    const { delivery, context } = await receiveOne(fixture);
    fixture.broker.faults.loseLock("orders", delivery.message.lockToken ?? "");
    await expect(delivery.settle("complete")).rejects.toMatchObject({ code: "message-lock-lost" });
    expect(delivery.state).toBe("lost");
    await expect(delivery.settle("complete")).rejects.toMatchObject({
      code: "message-lock-lost",
      text: "Its lock ran out; it will be delivered again.",
    });
    expect(context.health.health(false)).toMatchObject({ locksLost: 1, deadLettered: 0 });
  });

  it("is lost with the lock of its session, which counts once for all of its messages", async () => {
    const { context, deliveries } = failing("session-lock-lost", 2);
    for (const delivery of deliveries) {
      await expect(delivery.settle("complete")).rejects.toMatchObject({ code: "session-lock-lost" });
      await expect(delivery.settle("complete")).rejects.toMatchObject({ code: "session-lock-lost" });
    }
    expect(context.health.health(false).locksLost).toBe(1);
    const other = failing("message-lock-lost", 2);
    for (const delivery of other.deliveries) await delivery.settle("complete").catch(() => {});
    expect(other.context.health.health(false).locksLost).toBe(2);
  });

  it("counts as dead-lettered when it was", async () => {
    await using fixture = await createFixture();
    const { delivery, context } = await receiveOne(fixture);
    await delivery.settle("deadLetter");
    expect(context.health.health(false)).toMatchObject({ deadLettered: 1, locksLost: 0 });
  });

  it.each([
    ["complete", false],
    ["deadLetter", false],
    ["defer", false],
    ["abandon", true],
  ] as const)(
    "has gone back to the broker when its lock ends or it is abandoned: %s",
    async (verb, isReturned) => {
      await using fixture = await createFixture();
      const { delivery } = await receiveOne(fixture);
      const endMs = delivery.lockedUntilMs;
      expect([endMs - 1, endMs].map((ms) => delivery.isReturned(ms))).toEqual([false, true]);
      await delivery.settle(verb);
      expect([endMs - 1, endMs].map((ms) => delivery.isReturned(ms))).toEqual([isReturned, isReturned]);
      const [lost] = failing("message-lock-lost", 1).deliveries;
      await lost?.settle("complete").catch(() => {});
      expect(lost?.isReturned(0)).toBe(true);
    },
  );

  it("tells the received message how long it is locked, until the handler is done with it", async () => {
    await using fixture = await createFixture();
    const { delivery } = await receiveOne(fixture);
    const received: { lockedUntilUtc?: Date | undefined } = {};
    delivery.handOver(received);
    fixture.clock.advance(10_000);
    const end = await delivery.renew();
    expect(end.getTime()).toBe(fixture.clock.now() + lockMs);
    expect([received.lockedUntilUtc, delivery.lockedUntilMs]).toEqual([end, end.getTime()]);
    delivery.handOver(undefined);
    fixture.clock.advance(10_000);
    await delivery.renew();
    expect(received.lockedUntilUtc).toBe(end);
  });

  it.each([
    ["message-lock-lost", "lost"],
    ["service-busy", "open"],
  ] as const)("reports a renewal that failed, unless it is settled: %s", async (code, state) => {
    const errors: unknown[] = [];
    const { deliveries } = failing(code, 1, (...reported) => errors.push(reported));
    const [delivery] = deliveries as [Delivery];
    const error = new WaybillError(code, "No.");
    delivery.onRenewalFailed(error);
    expect([errors, delivery.state]).toEqual([[[error, delivery]], state]);
    await using fixture = await createFixture();
    const settled = await receiveOne(fixture);
    await settled.delivery.settle("complete");
    settled.delivery.onRenewalFailed(error);
    expect([settled.errors, settled.delivery.state]).toEqual([[], "settled"]);
  });

  it("shows its state when its message is printed, and nothing in JSON", async () => {
    await using fixture = await createFixture();
    const { delivery } = await receiveOne(fixture);
    expect(inspect(delivery)).toBe("{ state: 'open' }");
    expect(JSON.stringify({ settlement: delivery })).toBe("{}");
  });

  it("is reported when it is settled and renewed", async () => {
    await using fixture = await createFixture();
    const events: DiagnosticEvent[] = [];
    const diagnostics = { onEvent: (event: DiagnosticEvent) => void events.push(event) };
    const { delivery } = await receiveOne(fixture, { client: { serializer: plainJson, diagnostics } });
    await delivery.renew();
    await delivery.settle("deadLetter", { deadLetterReason: "Late" });
    const message = expect.objectContaining({ messageId: "m" });
    expect(events).toMatchObject([
      { type: "renewLock", entityPath: "orders", message },
      { type: "settle", entityPath: "orders", message, verb: "deadLetter", deadLetterReason: "Late" },
    ]);
  });

  it("is there only for messages with a lock; each counts as delivered", async () => {
    await using fixture = await createFixture();
    const context = contextOf(fixture, {
      client: { serializer: plainJson },
      receiveMode: "receiveAndDelete",
    });
    expect(context.health.health(false).lastDeliveryAt).toBeUndefined();
    await send(fixture, "{}");
    const [message] = await receiveOpen(context, 1);
    expect(message?.delivery).toBeUndefined();
    expect(context.health.health(false).lastDeliveryAt).toEqual(new Date(fixture.clock.now()));
  });

  it("is not renewed in a session, whose lock covers it", async () => {
    await using fixture = await createFixture();
    const { delivered, context } = await receiveOne(fixture);
    const delivery = openDelivery({ ...context, session: {} as never }, delivered, 300_000, () => {});
    expect(delivery?.plan).toBeUndefined();
  });
});

describe("a message to settle", () => {
  it("must have been delivered by this receiver, with a lock", async () => {
    await using fixture = await createFixture();
    const { delivery, delivered, context } = await receiveOne(fixture);
    const message = { messageId: "m", settlement: delivery } as never;
    expect(requireDelivery(message, context.receiver)).toBe(delivery);
    const other = fixture.transport.createReceiver({ queue: "orders" }, "peekLock");
    const refused = { code: "operation-invalid", messageId: "m", entityPath: "orders" };
    const errorOf = (...given: Parameters<typeof requireDelivery>) => {
      try {
        return requireDelivery(...given);
      } catch (error) {
        return error;
      }
    };
    expect(errorOf(message, other)).toMatchObject({
      ...refused,
      text: expect.stringContaining("another receiver"),
    });
    expect(errorOf(delivered as never, other)).toMatchObject(refused);
    expect(errorOf({ messageId: "m" } as never, context.receiver)).toMatchObject({
      ...refused,
      text: "It holds no lock: it was peeked, or received in receiveAndDelete mode.",
    });
    for (const wrong of ["m", undefined, [message]]) {
      expect(errorOf(wrong as never, context.receiver)).toBeInstanceOf(TypeError);
    }
  });
});

describe("reading a delivery", () => {
  const newer = defineMessage("a", { version: 1 });
  const forOther = {
    serializer: plainJson,
    messageTypes: [newer],
    messageTypePolicies: { newer: "abandon" },
  } as const;
  const fromTheFuture = { subject: "a", applicationProperties: { messageVersion: 2 } };

  it.each([
    [0, "abandoned"],
    [3, "abandoned"],
    [4, "held"],
  ])(
    "leaves a message to another reader a few times, then holds it: after %d deliveries",
    async (deliveryCount, disposition) => {
      await using fixture = await createFixture();
      const { delivered, delivery, context } = await receiveOne(fixture, { client: forOther }, fromTheFuture);
      const result = await readDelivery(context, { ...delivered, deliveryCount }, delivery, hold);
      expect(result).toMatchObject({ disposition });
      expect(delivery.plan?.renewUntilMs === 0).toBe(disposition === "abandoned");
    },
  );

  it("holds a message for another reader in a session, where it would come back", async () => {
    await using fixture = await createFixture();
    const { delivered, delivery, context } = await receiveOne(fixture, { client: forOther }, fromTheFuture);
    const inSession: ReceiverContext = { ...context, session: {} as never };
    expect(await readDelivery(inSession, delivered, delivery, hold)).toMatchObject({ disposition: "held" });
  });

  it.each([
    ["hold", "held", 1],
    ["block", "blocked", 1],
    ["deadLetter", "deadLettered", 0],
  ] as const)(
    "does with an unreadable message what its receiver decides: %s",
    async (action, disposition, left) => {
      await using fixture = await createFixture();
      const { delivered, delivery, context } = await receivePoison(fixture);
      expect(await readDelivery(context, delivered, delivery, () => action)).toMatchObject({ disposition });
      expect(await fixture.broker.receiver("orders").peek(9)).toHaveLength(left);
    },
  );

  it("ends the renewal of a message that could not be dead-lettered, so that it is delivered again", async () => {
    await using fixture = await createFixture();
    const { delivered, delivery, context } = await receivePoison(fixture);
    fixture.broker.faults.throttle("orders", 1);
    expect(await readDelivery(context, delivered, delivery, () => "deadLetter")).toMatchObject({
      disposition: "unsettled",
      settlementError: { retryable: true },
    });
    expect(delivery.plan?.renewUntilMs).toBe(0);
  });

  it("dead-letters it with less and less when the broker refuses the record, and gives up at last", async () => {
    await using fixture = await createFixture();
    const { delivered, delivery, context } = await receivePoison(fixture);
    const given: string[][] = [];
    const refused = new WaybillError("operation-invalid", "There is no room for that.");
    context.receiver.deadLetter = async (_, options = {}) => {
      given.push(Object.keys(options));
      throw refused;
    };
    expect(await readDelivery(context, delivered, delivery, () => "deadLetter")).toMatchObject({
      disposition: "unsettled",
      settlementError: refused,
    });
    const [reason, description, record] = [
      "deadLetterReason",
      "deadLetterErrorDescription",
      "propertiesToModify",
    ];
    expect(given).toEqual([[reason, description, record], [reason, description], [reason], []]);
  });

  it("hands over what cannot be read in a dead-letter queue, where nothing is dead-lettered", async () => {
    await using fixture = await createFixture();
    const { delivered, delivery, context } = await receivePoison(fixture);
    const inSubQueue: ReceiverContext = { ...context, isSubQueue: true };
    const never: DecideUnread = () => expect.unreachable("Nothing is to decide.");
    expect(await readDelivery(inSubQueue, delivered, delivery, never)).toMatchObject({
      messageId: "m",
      failure: { status: "undeserializable" },
    });
  });

  it.each([
    [true, { failure: { status: "unavailable" } }],
    [false, { disposition: "handedOver" }],
  ])(
    "hands over an unavailable message that was deleted on receipt (from a dead-letter queue: %s)",
    async (isSubQueue, result) => {
      await using fixture = await createFixture();
      const client = { serializer: plainJson, additionalDeserializers: [registryBound({ isUp: false })] };
      const { delivered, context } = await receiveOne(
        fixture,
        { client },
        { contentType: "application/x-custom" },
      );
      const deleted = { ...delivered, settlement: undefined };
      expect(await readDelivery({ ...context, isSubQueue }, deleted, undefined, hold)).toMatchObject(result);
    },
  );

  it("is reported with its outcome, and whether it was peeked", async () => {
    await using fixture = await createFixture();
    const events: DiagnosticEvent[] = [];
    const diagnostics = { onEvent: (event: DiagnosticEvent) => void events.push(event) };
    const client = { serializer: plainJson, diagnostics };
    const { delivered, delivery, context } = await receiveOne(fixture, { client });
    await readDelivery(context, delivered, delivery, hold);
    await readPeeked(context, delivered);
    expect(events).toMatchObject([
      { type: "deserialize", isPeeked: false },
      { type: "deserialize", isPeeked: true },
    ]);
  });
});

describe("the lock of a session", () => {
  it("counts as lost when its renewal says so, and only then", () => {
    const lost: unknown[] = [];
    const receiver = { sessionId: "ada", sessionLockedUntilUtc: new Date(1_000) };
    const health = { sessionLost: (each: unknown) => void lost.push(each) };
    const lock = new SessionLock(receiver as never, {} as never, 1_000, health as never);
    lock.onRenewalFailed(new WaybillError("service-busy", "Later."));
    expect(lost).toEqual([]);
    lock.onRenewalFailed(new WaybillError("session-lock-lost", "It is gone."));
    expect([lost, lock.sessionId, lock.lockedUntilMs]).toEqual([[receiver], "ada", 1_000]);
  });
});

describe("the delay before an unavailable message is read again", () => {
  it("doubles with every failure, up to the maximum, and is never less than 10 ms", () => {
    const backoff = resolveUnavailableBackoff();
    expect([0, 1, 2, 4, 5, 100].map((attempts) => backoffDelayMs(backoff, attempts))).toEqual([
      1_000, 2_000, 4_000, 16_000, 30_000, 30_000,
    ]);
    const long = { initialDelayInMs: 1, maxDelayInMs: 2 ** 40, maxHeldMessages: 1 };
    expect(backoffDelayMs(long, 30)).toBe(2 ** 30);
    expect(backoffDelayMs(long, 31)).toBe(2 ** 30);
    expect(backoffDelayMs({ ...long, initialDelayInMs: 0 }, 5)).toBe(10);
  });

  it("has options that are checked", () => {
    expect(resolveUnavailableBackoff()).toEqual({
      initialDelayInMs: 1_000,
      maxDelayInMs: 30_000,
      maxHeldMessages: 100,
    });
    const least = { initialDelayInMs: 0, maxDelayInMs: 0, maxHeldMessages: 1 };
    expect(resolveUnavailableBackoff(least)).toEqual(least);
    for (const wrong of [{ initialDelayInMs: -1 }, { maxDelayInMs: -1 }, { maxHeldMessages: 0 }]) {
      expect(() => resolveUnavailableBackoff(wrong)).toThrow(
        `unavailableBackoff.${Object.keys(wrong).join()} must be `,
      );
    }
  });
});

describe("a message that is abandoned for another receiver", () => {
  const backoff = { initialDelayInMs: 1_000, maxDelayInMs: 30_000 };
  const abandoning = (deliveryCount: number, lockedForMs = lockMs) => {
    const scheduler = manualScheduler();
    const settled: string[] = [];
    const delivery = {
      message: { deliveryCount },
      lockedUntilMs: scheduler.now() + lockedForMs,
      settle: async (verb: string) => void settled.push(verb),
    } as unknown as Delivery;
    return { scheduler, settled, delivery, abandons: new DelayedAbandons(scheduler, backoff) };
  };

  it.each([
    [0, lockMs, 1_000],
    [3, lockMs, 8_000],
    [9, lockMs, 30_000],
    [2_000, lockMs, 30_000],
    [3, 5_000, 4_000],
  ])(
    "stays locked longer with every delivery, but not to the end of its lock: %d",
    async (count, lock, delayMs) => {
      const { abandons, delivery, scheduler, settled } = abandoning(count, lock);
      void abandons.abandon(delivery);
      await scheduler.pass(delayMs - 1);
      await quiet();
      expect(settled).toEqual([]);
      await scheduler.pass(1);
      await quiet();
      expect(settled).toEqual(["abandon"]);
    },
  );

  it("is abandoned at once if its lock has ended, or the receiver closes", async () => {
    const late = abandoning(0, 0);
    await late.abandons.abandon(late.delivery);
    expect([late.settled, late.scheduler.timers]).toEqual([["abandon"], 0]);
    const { abandons, delivery, settled } = abandoning(3);
    const abandoned = abandons.abandon(delivery);
    abandons.flush();
    await abandoned;
    await abandons.abandon(delivery);
    expect(settled).toEqual(["abandon", "abandon"]);
  });
});

const hold: DecideUnread = () => "hold";

/** One message that was received, and what is reported of it. */
async function receiveOne(
  fixture: Fixture,
  options: Partial<ContextOptions> & { client?: WaybillClientOptions } = {},
  properties: object = {},
) {
  const context = contextOf(fixture, { client: { serializer: plainJson }, ...options });
  await send(fixture, "{}", properties);
  const [delivered] = await context.receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 0 });
  if (delivered === undefined) return expect.unreachable("No message was received.");
  const errors: unknown[] = [];
  const delivery = openDelivery(context, delivered, 300_000, (error) => errors.push(error)) as Delivery;
  let renewals = 0;
  fixture.broker.onEvent(({ type }) => {
    if (type === "lock-renewed") renewals++;
  });
  return { context, delivered, delivery, errors, renewals: () => renewals };
}

async function receivePoison(fixture: Fixture) {
  return receiveOne(fixture, {}, poison("m"));
}

/** Deliveries of a receiver whose settlements fail. */
function failing(
  code: "message-lock-lost" | "session-lock-lost" | "service-busy",
  count: number,
  onRenewalError: (...reported: unknown[]) => void = () => {},
) {
  const refuse = async () => {
    throw new WaybillError(code, "No.");
  };
  const lost: unknown[] = [];
  const health = {
    lost: 0,
    sessions: new Set<unknown>(),
    delivered() {},
    lockLost: () => void health.lost++,
    sessionLost: (receiver: unknown) => void health.sessions.add(receiver),
    health: () => ({ locksLost: health.lost + health.sessions.size }),
  };
  const context = {
    receiver: { entityPath: "orders", complete: refuse },
    health,
    renewal: { track() {}, forget: (each: unknown) => void lost.push(each) },
  } as unknown as ReceiverContext;
  const deliveries = Array.from({ length: count }, (_, n) => {
    const message = { messageId: `m${n}`, settlement: {} } as never;
    return openDelivery(context, message, 0, onRenewalError) as Delivery;
  });
  return { context, deliveries };
}

async function send({ transport }: Fixture, body: string, properties: object = {}): Promise<void> {
  const message = { messageId: "m", contentType: "application/json", body: new TextEncoder().encode(body) };
  await transport.createSender("orders").send([{ ...message, ...properties } as never]);
}

async function pass({ clock }: Fixture, durationMs: number): Promise<void> {
  for (let passedMs = 0; passedMs < durationMs; passedMs += 5_000) {
    clock.advance(5_000);
    await quiet();
  }
}
