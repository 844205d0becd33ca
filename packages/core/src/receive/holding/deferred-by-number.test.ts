import { describe, expect, it } from "vitest";
import { manualScheduler } from "../../../test/manual-scheduler.js";
import type { Serializer } from "../../contracts/serializer.js";
import type { DeliveredMessage } from "../../contracts/transport.js";
import { type ErrorCode, WaybillError } from "../../errors/error.js";
import { unavailableFailure } from "../../errors/failure.js";
import { createPipeline } from "../../pipeline/pipeline.js";
import { plainJson } from "../../plain-json.test-support.js";
import type { Delivery } from "../delivery/delivery.js";
import type { HeldMessage } from "./held-messages.js";
import { SetAside, type SetAsideOwner } from "./set-aside.js";

const heldSince = "waybill-held-since";
const minute = 60_000;

describe("setting a message aside", () => {
  it("defers it, marked with the first time that it was held", async () => {
    const { deferred, delivery, scheduler, defer } = fixture();
    const since = new Date(scheduler.now()).toISOString();
    expect(await defer(delivery(1n), "unavailable")).toBe(true);
    expect(await defer(delivery(2n, { [heldSince]: "2020-01-01T00:00:00Z" }), "unavailable")).toBe(true);
    expect(deferred).toEqual([
      [1n, since],
      [2n, "2020-01-01T00:00:00Z"],
    ]);
  });

  it("is not possible without a lock, or with 100,000 that are aside", async () => {
    const { delivery, defer, accepts } = fixture();
    expect(accepts(undefined)).toBe(false);
    const one = delivery(1n);
    for (let n = 1n; n <= 99_999n; n += 1n)
      await defer({ ...one, message: { ...one.message, sequenceNumber: n } } as Delivery, "unavailable");
    expect(accepts(one)).toBe(true);
    await defer(delivery(100_000n), "unavailable");
    expect(accepts(one)).toBe(false);
  });

  it.each<[ErrorCode, boolean, number, boolean]>([
    ["message-lock-lost", false, 0, true],
    ["service-busy", true, 1, true],
    ["invalid-argument" as ErrorCode, false, 1, false],
  ])("fails with %s", async (code, retryable, reported, canDefer) => {
    const { aside, delivery, errors, defer, accepts } = fixture();
    const failing = delivery(1n, {}, new WaybillError(code, "No.", { retryable } as object));
    expect(await defer(failing, "unavailable")).toBe(false);
    expect(errors).toHaveLength(reported);
    expect([accepts(failing), accepts(failing, () => false)]).toEqual([canDefer, canDefer]);
    expect(aside.hasProbes).toBe(false);
  });
});

describe("messages that were set aside because of a circuit", () => {
  it("are received again when it is over, 32 in a call", async () => {
    const { aside, broker, taken, calls, delivery, defer } = fixture();
    let isOver = false;
    for (let n = 1n; n <= 70n; n += 1n) await defer(delivery(n), () => isOver);
    broker.add(71n, "later");
    await defer(delivery(71n), "unavailable");
    await aside.bringBack();
    expect(taken).toEqual([]);
    isOver = true;
    await aside.bringBack();
    expect(taken).toEqual(Array.from({ length: 70 }, (_, i) => BigInt(i + 1)));
    expect(calls.map((numbers) => numbers.length)).toEqual([32, 32, 6]);
    await aside.bringBack();
    expect(calls).toHaveLength(3);
  });

  it("need no look at them to be received again with the others", async () => {
    const { aside, taken, peeks, delivery, defer } = fixture();
    let isOver = false;
    await defer(delivery(1n), () => isOver);
    expect([aside.hasProbes, await aside.probe()]).toEqual([false, false]);
    isOver = true;
    expect([aside.hasProbes, await aside.probe()]).toEqual([true, true]);
    expect([taken, peeks]).toEqual([[1n], []]);
  });

  it("stay aside if receiving them fails, and are reported unless the processor stops", async () => {
    const { aside, broker, taken, errors, delivery, defer } = fixture();
    let isOver = false;
    await defer(delivery(1n), () => isOver);
    isOver = true;
    broker.failWith = new WaybillError("service-busy", "Later.");
    await aside.bringBack();
    expect([taken, errors]).toEqual([[], [broker.failWith]]);
    broker.failWith = undefined;
    await aside.bringBack();
    expect(taken).toEqual([1n]);
  });

  it("are received one by one if another receiver has taken some", async () => {
    const { aside, broker, taken, calls, errors, delivery, defer } = fixture();
    let isOver = false;
    for (const n of [1n, 2n, 3n]) await defer(delivery(n), () => isOver);
    isOver = true;
    broker.remove(2n);
    await aside.bringBack();
    expect(taken).toEqual([1n, 3n]);
    expect(calls).toEqual([[1n, 2n, 3n], [1n], [2n], [3n]]);
    expect([errors, aside.hasProbes]).toEqual([[], true]);
  });
});

describe("messages that were set aside because something is unavailable", () => {
  it("are peeked at in turn, 32 at a time while none can be read", async () => {
    const { aside, broker, peeks, taken, delivery, defer } = fixture();
    for (let n = 1n; n <= 40n; n += 1n) await defer(delivery(n, {}, undefined, "later"), "unavailable");
    expect(await aside.probe()).toBe(false);
    expect(peeks).toEqual(numbers(1, 32));
    peeks.length = 0;
    expect(await aside.probe()).toBe(false);
    expect(peeks).toEqual([...numbers(33, 40), ...numbers(1, 24)]);
    peeks.length = 0;
    // From the 25th to the 40th and on: all but the last eight can be read.
    for (const n of [...numbers(25, 40), ...numbers(1, 16)]) broker.add(n);
    expect(await aside.probe()).toBe(true);
    expect(taken).toHaveLength(32);
    expect(peeks).toHaveLength(40);
    expect(await aside.probe()).toBe(false);
  });

  it("are dropped if another receiver has taken them, or the number is that of another message", async () => {
    const { aside, broker, taken, delivery, defer } = fixture();
    for (const n of [1n, 2n, 3n]) await defer(delivery(n), "unavailable");
    broker.remove(1n);
    broker.add(2n, "good", {});
    broker.add(3n, "good", { [heldSince]: "x" }, "active");
    expect(await aside.probe()).toBe(false);
    expect([taken, aside.hasProbes]).toEqual([[], false]);
  });

  it("stay aside if peeking fails, which is reported unless the processor stops", async () => {
    const { aside, broker, errors, delivery, defer } = fixture();
    await defer(delivery(1n), "unavailable");
    broker.failWith = new Error("busy");
    expect(await aside.probe()).toBe(false);
    expect([errors, aside.hasProbes]).toEqual([[broker.failWith], true]);
    aside.stop();
    expect(await aside.probe()).toBe(true);
    expect(errors).toHaveLength(1);
  });

  it("come back when they turn out to be undeserializable", async () => {
    const { aside, taken, delivery, defer } = fixture({ isOpen: true });
    await defer(delivery(1n, {}, undefined, "broken"), "unavailable");
    expect(await aside.probe()).toBe(true);
    expect(taken).toEqual([1n]);
  });
});

describe("messages that were received again", () => {
  it("are looked after until they are settled, and received again if they come back", async () => {
    const { aside, taken, deliveries, delivery, defer } = fixture();
    await defer(delivery(1n), "unavailable");
    await aside.probe();
    const [first] = deliveries;
    expect([taken, aside.hasProbes]).toEqual([[1n], true]);
    expect(await aside.probe()).toBe(false);
    first!.isBack = true;
    expect(await aside.probe()).toBe(true);
    expect(taken).toEqual([1n, 1n]);
    deliveries[1]!.state = "settled";
    expect([await aside.probe(), aside.hasProbes]).toEqual([false, false]);
  });

  it("are not asked for twice if they were set aside again", async () => {
    const { aside, calls, deliveries, delivery, defer } = fixture();
    await defer(delivery(1n), "unavailable");
    await aside.probe();
    await defer(delivery(1n, {}, undefined, "later"), () => false);
    deliveries[0]!.isBack = true;
    expect(await aside.probe()).toBe(false);
    expect([calls.length, aside.hasProbes]).toEqual([1, false]);
  });
});

describe("messages that another process set aside", () => {
  it("are found among all that wait, and received if they can be read", async () => {
    const { aside, broker, taken, peeks, delivery, defer } = fixture();
    await defer(delivery(1n), () => false);
    for (let n = 2n; n <= 250n; n += 1n) broker.add(n, "good", {}, "active");
    broker.add(3n);
    broker.add(120n, "later");
    broker.add(251n);
    broker.add(252n, "good", {});
    await aside.discover();
    expect(taken).toEqual([3n, 251n]);
    expect(peeks).toEqual([0n, 101n, 201n, 253n]);
    broker.add(120n);
    await aside.probe();
    expect(taken).toEqual([3n, 251n, 120n]);
  });

  it("wait for their circuit there if they cannot be read, as long as messages are held here", async () => {
    const { aside, broker, taken, scheduler, breaker } = fixture({ isOpen: true });
    broker.add(1n, "broken", { [heldSince]: new Date(scheduler.now()).toISOString() });
    await aside.discover();
    await scheduler.pass(60 * minute);
    expect([await aside.probe(), taken]).toEqual([false, []]);
    breaker!.isOpen = false;
    expect([await aside.probe(), taken]).toEqual([true, [1n]]);
    const { aside: other, ...waiting } = fixture({ isOpen: false });
    waiting.broker.add(1n, "broken", { [heldSince]: new Date(waiting.scheduler.now()).toISOString() });
    await other.discover();
    await waiting.scheduler.pass(60 * minute - 1);
    expect(await other.probe()).toBe(false);
    await waiting.scheduler.pass(1);
    expect(await other.probe()).toBe(true);
  });

  it("wait for nothing without a circuit breaker", async () => {
    const { aside, broker, taken } = fixture();
    broker.add(1n, "broken");
    await aside.discover();
    expect(taken).toEqual([1n]);
  });

  it("are not looked for without end if the broker begins at the first again", async () => {
    const { aside, broker, peeks, errors } = fixture();
    broker.add(5n, "good", {}, "active");
    broker.ignoresStart = true;
    await aside.discover();
    expect([peeks, errors]).toEqual([[0n, 6n], []]);
  });

  it("are not looked for any more once the processor stops; until then an error is reported", async () => {
    const { aside, broker, peeks, errors } = fixture();
    broker.failWith = new Error("busy");
    await aside.discover();
    expect(errors).toEqual([broker.failWith]);
    aside.stop();
    peeks.length = 0;
    await aside.discover();
    expect([peeks, errors.length]).toEqual([[], 1]);
  });
});

type Body = "good" | "later" | "broken";

interface TakenDelivery {
  state: "open" | "settled";
  isBack: boolean;
  isReturned(): boolean;
}

/** Why a message is held: something is unavailable, or its circuit is open until this returns true. */
type Reason = "unavailable" | (() => boolean);

/** A held message. */
function held(delivery: Delivery | undefined, reason: Reason): HeldMessage {
  const outcome =
    reason === "unavailable"
      ? { status: "unavailable", error: new WaybillError("unavailable", "Later.") }
      : { status: "undeserializable", reason: "malformed", description: "Broken.", report: { attempts: [] } };
  const delivered = delivery?.message ?? {};
  if (reason === "unavailable") return { delivered, delivery, outcome, free() {} } as never;
  const circuit = {
    get opening() {
      return reason() ? undefined : "first";
    },
  };
  return { delivered, delivery, outcome, circuit, opening: "first", free() {} } as never;
}

/** A broker of deferred messages, what was asked of it, and the messages that came back. */
function fixture(breaker?: { isOpen: boolean }) {
  const scheduler = manualScheduler();
  const messages = new Map<bigint, DeliveredMessage>();
  const [peeks, calls, taken]: [bigint[], bigint[][], bigint[]] = [[], [], []];
  const [deferred, errors]: [unknown[], unknown[]] = [[], []];
  const deliveries: TakenDelivery[] = [];
  const broker = {
    failWith: undefined as Error | undefined,
    ignoresStart: false,
    add(
      sequenceNumber: bigint,
      body: Body = "good",
      applicationProperties: Record<string, string> = { [heldSince]: "2020-01-01T00:00:00Z" },
      state = "deferred",
    ) {
      const bytes = new TextEncoder().encode(JSON.stringify([body]));
      const contentType = "application/json";
      messages.set(sequenceNumber, {
        sequenceNumber,
        body: bytes,
        contentType,
        applicationProperties,
        state,
      } as never);
    },
    remove: (sequenceNumber: bigint) => void messages.delete(sequenceNumber),
  };
  const receiver = {
    receiveMode: "peekLock",
    async peek({ fromSequenceNumber = 0n, maxMessages = 1 }) {
      peeks.push(fromSequenceNumber);
      if (broker.failWith !== undefined) throw broker.failWith;
      const from = broker.ignoresStart ? 0n : fromSequenceNumber;
      const sorted = [...messages.values()].sort((a, b) => Number(a.sequenceNumber - b.sequenceNumber));
      return sorted.filter(({ sequenceNumber }) => sequenceNumber >= from).slice(0, maxMessages);
    },
    async receiveDeferred(asked: readonly bigint[]) {
      calls.push([...asked]);
      if (broker.failWith !== undefined) throw broker.failWith;
      if (asked.some((n) => !messages.has(n))) throw new WaybillError("message-not-found", "One is gone.");
      return asked.flatMap((n) => messages.get(n) ?? []);
    },
  };
  const context = {
    receiver,
    scheduler,
    pipeline: createPipeline({ serializer }),
    breaker: breaker && Object.assign(breaker, { options: { maxHoldDurationInMs: 60 * minute } }),
    backoff: { initialDelayInMs: 1_000, maxDelayInMs: 60_000, maxHeldMessages: 10 },
    observer: undefined,
    entityPath: "orders",
    canDefer: true,
    isSubQueue: false,
  };
  const owner: SetAsideOwner = {
    async take({ sequenceNumber }) {
      taken.push(sequenceNumber);
      const delivery: TakenDelivery = { state: "open", isBack: false, isReturned: () => delivery.isBack };
      deliveries.push(delivery);
      return delivery as never;
    },
    onError: (error) => void errors.push(error),
  };
  const aside = new SetAside(context as never, owner, "defer");
  const accepts = (delivery: Delivery | undefined, reason: Reason = "unavailable") =>
    aside.accepts(held(delivery, reason));
  /** Resolves with whether the message was deferred. */
  const defer = async (delivery: Delivery, reason: Reason) =>
    (await aside.setAside(held(delivery, reason), delivery))?.disposition === "deferred";
  /** A message that is delivered, and can be deferred unless that fails with an error. */
  const delivery = (
    sequenceNumber: bigint,
    applicationProperties: Record<string, string> = {},
    error?: Error,
    body: Body = "good",
  ) =>
    ({
      message: { sequenceNumber, applicationProperties },
      handOver() {},
      async settle(_: string, options: { propertiesToModify: Record<string, string> }) {
        if (error !== undefined) throw error;
        const { propertiesToModify } = options;
        deferred.push([sequenceNumber, propertiesToModify[heldSince]]);
        broker.add(sequenceNumber, body, propertiesToModify);
      },
    }) as unknown as Delivery;
  return {
    aside,
    accepts,
    defer,
    broker,
    breaker,
    scheduler,
    peeks,
    calls,
    taken,
    deferred,
    errors,
    deliveries,
    delivery,
  };
}

/** JSON, in which "later" is unavailable and "broken" cannot be read. */
const serializer: Serializer = {
  ...plainJson,
  deserialize(bytes, context) {
    const value = plainJson.deserialize(bytes, context) as [Body];
    if (value[0] === "later") throw unavailableFailure("The registry does not answer.");
    if (value[0] === "broken") throw new Error("It is broken.");
    return value;
  },
};

function numbers(from: number, to: number): bigint[] {
  return Array.from({ length: to - from + 1 }, (_, i) => BigInt(from + i));
}
