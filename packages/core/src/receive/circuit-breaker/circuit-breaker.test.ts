import { systemScheduler } from "@waybill/foundation";
import { describe, expect, it } from "vitest";
import type { DeliveredMessage } from "../../contracts/transport.js";
import type { CircuitBreakerEvent } from "../../diagnostics/circuit-breaker-event.js";
import { WaybillError } from "../../errors/error.js";
import type { DeserializationOutcome } from "../../message/outcome.js";
import type { DeserializationReport } from "../../message/report.js";
import type { Pipeline } from "../../pipeline/pipeline.js";
import { CircuitBreaker } from "./circuit-breaker.js";
import { type CircuitBreakerOptions, resolveCircuitBreakerOptions } from "./circuit-breaker-options.js";
import { LookAhead } from "./look-ahead.js";

describe("a circuit breaker", () => {
  it("opens at the tenth consecutive failure of a format that decoded before", async () => {
    const { breaker, decoded, failed, events } = create();
    for (let i = 0; i < 100; i++) decoded("order");
    for (let i = 0; i < 9; i++) expect(await failed("order")).toBe(false);
    expect(breaker.isOpen).toBe(false);
    expect(await failed("order")).toBe(true);
    expect(breaker.isOpen).toBe(true);
    expect(events).toEqual([
      { state: "open", messageType: "order", format: "json", failures: 10, entityPath: "orders" },
    ]);
  });

  it("dead-letters a format that never decoded, when others did", async () => {
    const { breaker, decoded, failed } = create();
    decoded("order");
    for (let i = 0; i < 100; i++) {
      expect(await failed("invoice")).toBe(false);
      expect(await failed("order", "msgpack")).toBe(false);
    }
    expect(breaker.isOpen).toBe(false);
  });

  it("opens for all types together if several types fail that decoded before", async () => {
    const { decoded, failed, events } = create();
    const types = ["a", "b", "c", "d", "e"];
    for (const type of types) decoded(type);
    const held: boolean[] = [];
    for (let i = 0; i < 12; i++) held.push(await failed(types[i % 5]!));
    expect(held.indexOf(true)).toBe(9);
    expect(held.slice(9)).toEqual([true, true, true]);
    expect(events.map(({ messageType }) => messageType)).toEqual(["e", "a", "b"]);
  });

  it("can start with formats that decoded before", async () => {
    const { failed } = create({ windowSize: 2, decodedBefore: [{ messageType: "order", format: "json" }] });
    expect(await failed("order")).toBe(true);
    const { failed: fails } = create({ windowSize: 2, decodedBefore: "all" });
    expect(await fails("invoice")).toBe(true);
  });

  it("is closed only by a decoded message of its format", async () => {
    const { breaker, decoded, failed, events } = create({ windowSize: 2 });
    decoded("order");
    decoded("invoice");
    const before = breaker.openings;
    await failed("order");
    // A message whose deserialization began before it opened.
    decoded("order", "json", before);
    decoded("invoice");
    expect(breaker.isOpen).toBe(true);
    breaker.beginProbe();
    decoded("order");
    expect(breaker.isOpen).toBe(false);
    expect(events.map(({ state }) => state)).toEqual(["open", "halfOpen", "closed"]);
  });

  it("dead-letters held messages after another message of the type and format was decoded", async () => {
    const { decoded, failed, breaker } = create({ windowSize: 2 });
    decoded("order");
    const closed: unknown[] = [];
    const stopListening = breaker.onClosed(({ messageType }) => closed.push(messageType));
    expect(await failed("order", "json", 5n)).toBe(true);
    expect(await failed("order", "json", 6n)).toBe(true);
    decoded("order");
    expect(closed).toEqual(["order"]);
    stopListening();
    expect(await failed("order", "json", 5n)).toBe(false);
    expect(await failed("order", "json", 6n)).toBe(false);
    expect(breaker.isOpen).toBe(false);
  });

  it("stops holding a type after the maximum duration, if others decoded meanwhile", async () => {
    const { breaker, decoded, failed, clock, events } = create({
      windowSize: 2,
      maxHoldDurationInMs: 60_000,
    });
    decoded("order");
    decoded("invoice");
    await failed("order");
    clock.now += 60_000;
    breaker.beginProbe();
    expect(breaker.isOpen).toBe(true);
    decoded("invoice");
    clock.now += 60_000;
    breaker.beginProbe();
    expect(breaker.isOpen).toBe(false);
    expect(events.at(-1)).toMatchObject({ state: "closed", messageType: "order" });
    for (let i = 0; i < 10; i++) expect(await failed("order")).toBe(false);
  });

  it("is half open once in an interval, however many receivers probe it", async () => {
    const { breaker, decoded, failed, clock, events } = create({ windowSize: 2, probeIntervalInMs: 1_000 });
    decoded("order");
    await failed("order");
    const halfOpenings = () => events.filter(({ state }) => state === "halfOpen").length;
    for (let i = 0; i < 5; i++) breaker.beginProbe();
    expect(halfOpenings()).toBe(1);
    clock.now += 999;
    breaker.beginProbe();
    expect(halfOpenings()).toBe(1);
    clock.now++;
    breaker.beginProbe();
    expect(halfOpenings()).toBe(2);
    expect(breaker.isOpen).toBe(true);
  });

  it("is not closed by a message whose reading began before it opened", async () => {
    const { breaker, decoded, failed } = create({ windowSize: 2 });
    decoded("order");
    const { openings } = breaker;
    await failed("order");
    decoded("order", "json", openings);
    expect(breaker.isOpen).toBe(true);
    decoded("order", "json", openings + 1);
    expect(breaker.isOpen).toBe(false);
  });

  it("holds messages of calls only while it is open, or before anything was decoded", async () => {
    const { decoded, failed, failedInCall } = create({ windowSize: 4 }, many("undeserializable", 5));
    expect(await failedInCall("order")).toBe(true);
    decoded("order");
    for (let i = 0; i < 9; i++) expect(await failedInCall("order", 100n)).toBe(false);
    decoded("payment");
    expect(await failed("payment", "json", 101n)).toBe(false);
    expect(await failed("payment", "json", 102n)).toBe(true);
    expect(await failedInCall("payment", 103n)).toBe(true);
    expect(await failedInCall("invoice", 104n)).toBe(false);
  });

  it("dead-letters messages before a waiting one of their type that could be read, and holds later ones", async () => {
    const waiting = [...many("undeserializable", 3), "readable" as const];
    const { breaker, decoded, failed } = create({ windowSize: 2 }, waiting);
    decoded("waiting");
    await failed("waiting", "json", 9n);
    expect(breaker.isOpen).toBe(true);
    expect(await breaker.lookAhead.findReadable(1n)).toMatchObject({
      messageCount: 4,
      next: 5n,
      isAtEnd: false,
    });
    expect(breaker.isOpen).toBe(false);
    for (let i = 0n; i < 300n; i += 1n) expect(await failed("waiting", "json", 1n + (i % 3n))).toBe(false);
    let failures = 1;
    while (!(await failed("waiting", "json", 4n))) failures++;
    expect(failures).toBeLessThan(500);
  });

  it("explains its errors until something was decoded, while it holds messages for that reason", async () => {
    const { breaker, decoded, failed, events } = create({}, many("undeserializable", 50));
    const error = new WaybillError("deserialization-failed", "No.", { messageId: "m" });
    expect(breaker.explain(error)).toBe(error);
    await failed("order");
    expect(breaker.explain(error)).toMatchObject({ messageId: "m", entityPath: "orders", cause: error });
    const other = new WaybillError("unavailable", "Later.");
    expect(breaker.explain(other)).toBe(other);
    expect(events[0]).toMatchObject({ state: "open", failures: 50 });
    decoded("invoice");
    expect(breaker.explain(error)).toBe(error);
  });

  it("shares a circuit among long names that begin alike, which bounds its memory", async () => {
    const { decoded, failed } = create({ windowSize: 2 });
    const long = "t".repeat(256);
    decoded(`${long}a`);
    expect(await failed(`${long}b`)).toBe(true);
    decoded("t".repeat(255));
    expect(await failed(`${"t".repeat(255)}b`)).toBe(false);
  });

  it("keeps at most a thousand formats, and all open circuits", async () => {
    const { breaker, decoded, failed } = create({ windowSize: 2 });
    decoded("order");
    await failed("order");
    for (let i = 0; i < 5_000; i++) decoded(`type ${i}`);
    expect(await failed("order")).toBe(true);
    expect(await failed("type 1")).toBe(false);
    breaker.beginProbe();
    decoded("order");
    expect(breaker.isOpen).toBe(false);
  });

  it.each([
    [{ failureRate: 0 }, "circuitBreaker.failureRate must be above 0 and at most 1; got 0."],
    [{ windowSize: 1.5 }, "circuitBreaker.windowSize must be an integer from 1 to 10000; got 1.5."],
    [{ probeIntervalInMs: -1 }, "circuitBreaker.probeIntervalInMs must be a number of milliseconds from 0"],
    [{ whenFull: "drop" as never }, 'circuitBreaker.whenFull must be "defer", "deadLetter" or "pause"'],
  ])("refuses %o", (options, text) => {
    expect(() => resolveCircuitBreakerOptions(options)).toThrow(text);
  });
});

describe("a circuit breaker before the first decoded message", () => {
  it("opens at the first failure when no waiting message can be read", async () => {
    const { failed, events } = create({}, [
      "undeserializable",
      "undeserializable",
      ...many("undeserializable", 98),
    ]);
    expect(await failed("order", "json", 1n)).toBe(true);
    expect(events).toMatchObject([{ state: "open", failures: 100 }]);
    expect(await failed("invoice", "json", 2n)).toBe(true);
  });

  it("dead-letters a message if a waiting one can be read", async () => {
    const { failed, breaker } = create({}, [...many("undeserializable", 99), "readable"]);
    expect(await failed("order", "json", 1n)).toBe(false);
    expect(breaker.isOpen).toBe(false);
  });

  it("dead-letters messages while there are too few to decide, and counts them", async () => {
    const { failed } = create({}, many("undeserializable", 3));
    const held: boolean[] = [];
    for (let i = 0; i < 9; i++) held.push(await failed("order", "json", 1n));
    expect(held.indexOf(true)).toBe(7);
  });

  it("counts only received messages if peeking fails", async () => {
    const { failed } = create({}, undefined);
    const held: boolean[] = [];
    for (let i = 0; i < 12; i++) held.push(await failed("order", "json", 1n));
    expect(held.indexOf(true)).toBe(9);
  });

  it("stops looking ahead once it has waited for unavailable messages for a second", async () => {
    const { failed, read } = create({}, many("unavailable", 100), { msPerBody: 400 });
    await failed("order", "json", 1n);
    expect(read.length).toBe(3);
  });

  it("looks past a hundred unavailable messages that fail at once", async () => {
    const { failed, read } = create({}, [...many("unavailable", 99), "readable"]);
    await failed("order", "json", 1n);
    expect(read.length).toBe(100);
  });
});

type Readability = "readable" | "undeserializable" | "unavailable";

/** A circuit breaker, and the messages that wait after those that it gets, numbered from 1. */
function create(
  options?: CircuitBreakerOptions,
  waiting: readonly Readability[] | undefined = [],
  { msPerBody = 0 } = {},
) {
  const clock = { now: 0 };
  const scheduler = { ...systemScheduler, now: () => clock.now, steadyNow: () => clock.now };
  const events: CircuitBreakerEvent[] = [];
  const read: bigint[] = [];
  const messages = waiting.map((_, i) => delivered("waiting", BigInt(i + 1)));
  const peek = async ({
    fromSequenceNumber = 0n,
    maxMessages,
  }: {
    fromSequenceNumber?: bigint | undefined;
    maxMessages: number;
  }) => {
    if (waiting === undefined) throw new Error("not supported");
    return messages
      .filter(({ sequenceNumber }) => sequenceNumber >= fromSequenceNumber)
      .slice(0, maxMessages);
  };
  const pipeline = {
    serializers: [],
    deserialize(message: DeliveredMessage) {
      read.push(message.sequenceNumber);
      clock.now += msPerBody;
      return outcome(waiting[Number(message.sequenceNumber) - 1]!);
    },
  } as unknown as Pipeline;
  const breaker = new CircuitBreaker({
    options: resolveCircuitBreakerOptions(options),
    entityPath: "orders",
    now: () => clock.now,
    onEvent: (event) => events.push(event),
    createLookAhead: (onReadable) => new LookAhead(() => ({ peek }), pipeline, scheduler, onReadable),
  });
  return {
    breaker,
    clock,
    events,
    read,
    decoded: (type: string, format = "json", openings?: number) =>
      breaker.onDecoded(delivered(type, 0n), report(format), openings),
    failedInCall: async (type: string, sequenceNumber = 1n) =>
      (await breaker.onUndeserializableByCall(delivered(type, sequenceNumber), report("json"))) !== undefined,
    failed: async (type: string, format = "json", sequenceNumber = 1n) =>
      (await breaker.onUndeserializable(delivered(type, sequenceNumber), report(format))) !== undefined,
  };
}

function many(readability: Readability, count: number): Readability[] {
  return new Array<Readability>(count).fill(readability);
}

function delivered(subject: string, sequenceNumber: bigint): DeliveredMessage {
  return {
    subject,
    sequenceNumber,
    body: new Uint8Array(),
    applicationProperties: {},
    state: "active",
  } as never;
}

function outcome(readability: Readability): DeserializationOutcome {
  const shared = { report: report("json") };
  if (readability === "readable") return { status: "decoded", body: 1, ...shared };
  if (readability === "unavailable") return { status: "unavailable", error: {} as never, ...shared };
  return { status: "undeserializable", reason: "ValidationFailed", description: "", ...shared };
}

function report(declared: string): DeserializationReport {
  return {
    serializer: declared,
    position: 0,
    declared,
    messageType: undefined,
    messageVersion: undefined,
    upcastPath: [],
    claimCheck: undefined,
    encryptionKeyId: undefined,
    contentType: "application/json",
    section: "data",
    attempts: [],
    contentEncodings: [],
    bytes: 1,
    durationInMs: 0,
  };
}
