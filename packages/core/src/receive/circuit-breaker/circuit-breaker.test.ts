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
    for (let i = 0; i < 3; i++) expect(await failed("order")).toBe(true);
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
    const listed = { messageType: "order", format: "json" };
    const some = create({ windowSize: 2, decodedBefore: [listed] });
    some.decoded("payment");
    expect(await some.failed("order")).toBe(true);
    expect(await some.failed("invoice")).toBe(false);
    const all = create({ windowSize: 2, decodedBefore: "all" });
    all.decoded("payment");
    expect(await all.failed("order")).toBe(true);
    expect(await all.failed("invoice")).toBe(true);
  });

  it("opens again after the tenth failure when it was closed by a decoded message", async () => {
    const { decoded, failed } = create({}, []);
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 500; i++) decoded("order");
      // Not again the messages that were held: they are the producer's fault.
      const first = BigInt(100 * round + 1);
      const held: boolean[] = [];
      for (let i = 0n; i < 12n; i += 1n) held.push(await failed("order", "json", first + i));
      expect(held.indexOf(true)).toBe(9);
    }
  });

  it("stays closed if one type or another decodes again and again", async () => {
    const { decoded, failed } = create();
    const types = ["a", "b", "c", "d", "e"];
    for (const type of types) decoded(type);
    for (let i = 0; i < 25; i++) {
      if (i % 5 === 0) decoded("other");
      if (i % 10 === 0) for (const type of types) decoded(type);
      expect(await failed(types[i % 5]!)).toBe(false);
    }
  });

  it("names its open circuit until the circuit closes", async () => {
    const { breaker, decoded, failed } = create({ windowSize: 2 });
    decoded("order");
    const circuit = () => breaker.openCircuitOf(delivered("order", 1n), report("json"));
    expect(circuit()).toBeUndefined();
    await failed("order");
    expect(circuit()).toMatchObject({ messageType: "order", isOpen: true });
    decoded("order");
    expect(circuit()).toBeUndefined();
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
    const stopListening = breaker.onCircuitClosed(({ messageType }) => closed.push(messageType));
    expect(await failed("order", "json", 5n)).toBe(true);
    expect(await failed("order", "json", 6n)).toBe(true);
    decoded("order");
    expect(closed).toEqual(["order"]);
    stopListening();
    for (let i = 0; i < 100; i++) {
      expect(await failed("order", "json", 5n)).toBe(false);
      expect(await failed("order", "json", 6n)).toBe(false);
    }
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
    for (let n = 10n; n < 100n; n += 1n) expect(await failed("order", "json", n)).toBe(false);
  });

  it("holds a type for all of the maximum duration", async () => {
    const { breaker, decoded, failed, clock } = create({ windowSize: 2, maxHoldDurationInMs: 60_000 });
    decoded("order");
    clock.now = 100_000;
    await failed("order");
    decoded("invoice");
    const openAfter = (ms: number) => {
      clock.now = 100_000 + ms;
      breaker.beginProbe();
      return breaker.isOpen;
    };
    expect([30_000, 60_000].map(openAfter)).toEqual([true, false]);
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
    // The failures before count as usual ones, so that it takes more than one to open the circuit again.
    expect(failures).toBeGreaterThan(100);
    expect(failures).toBeLessThan(500);
  });

  it("remembers the last waiting message that could be read, wherever it looks", async () => {
    const { breaker, decoded, failed } = create({ windowSize: 2 }, many("readable", 9));
    for (let i = 0; i < 100; i++) decoded("waiting");
    await breaker.lookAhead.findReadable(9n);
    await breaker.lookAhead.findReadable(4n);
    const held = async (sequenceNumber: bigint) => {
      const failures = [];
      for (let i = 0; i < 50; i++) failures.push(await failed("waiting", "json", sequenceNumber));
      return failures.includes(true);
    };
    expect([await held(8n), await held(9n)]).toEqual([false, true]);
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
    expect(events[0]).not.toHaveProperty("advice");
    expect(breaker.explain(error).text).toBe("Nothing that waits can be read, so nothing is dead-lettered.");
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

  it("shares a circuit among long content types that begin alike", async () => {
    const { breaker } = create({ windowSize: 2 });
    const of = (contentType: string) => ({ ...report("json"), declared: undefined, contentType });
    const fails = async (contentType: string) =>
      (await breaker.decide(delivered("order", 1n), of(contentType))) !== undefined;
    const long = `application/${"x".repeat(116)}`;
    breaker.onDecoded(delivered("order", 0n), of(`${long}a`));
    expect(await fails(`b${long.slice(1)}a`)).toBe(false);
    expect(await fails(`${long.slice(0, 127)}y`)).toBe(false);
    expect(await fails(`${long}b`)).toBe(true);
  });

  it("keeps at most a thousand formats, and all open circuits", async () => {
    const { breaker, decoded, failed } = create({ windowSize: 2 });
    decoded("order");
    await failed("order");
    for (let i = 2; i <= 1_000; i++) decoded(`type ${i}`);
    expect(await failed("type 2")).toBe(true);
    decoded("type 2");
    decoded("type 3");
    decoded("type 1001");
    expect(await failed("type 1001")).toBe(true);
    expect(await failed("order")).toBe(true);
    // All others were forgotten, and learn anew.
    expect(await failed("type 4")).toBe(false);
    expect(await failed("type 3")).toBe(false);
    decoded("type 3");
    expect(await failed("type 3", "json", 5n)).toBe(true);
    for (let i = 4; i <= 1_000; i++) decoded(`type ${i}`);
    expect(await failed("type 4", "json", 6n)).toBe(true);
    for (const type of ["order", "type 1001", "type 3", "type 4"]) {
      expect(breaker.isOpen).toBe(true);
      decoded(type);
    }
    expect(breaker.isOpen).toBe(false);
  });

  it.each([{ failureRate: 1 }, { failureRate: 0.001 }, { windowSize: 10_000 }, { windowDurationInMs: 0 }])(
    "accepts %o",
    (options) => {
      expect(resolveCircuitBreakerOptions(options)).toBeDefined();
    },
  );

  it("has the defaults that its options promise", () => {
    expect(resolveCircuitBreakerOptions()).toEqual({
      minFailures: 10,
      windowDurationInMs: 300_000,
      probeIntervalInMs: 30_000,
      maxHeldMessages: 10,
      whenFull: "defer",
      maxHoldDurationInMs: 3_600_000,
      decodedBefore: [],
    });
    expect(resolveCircuitBreakerOptions({ probeIntervalInMs: 0 }).probeIntervalInMs).toBe(10);
    expect(resolveCircuitBreakerOptions({ windowSize: 21 }).minFailures).toBe(11);
  });

  it.each([
    [{ failureRate: 0 }, "circuitBreaker.failureRate must be above 0 and at most 1; got 0."],
    [{ failureRate: 1.01 }, "circuitBreaker.failureRate must be above 0 and at most 1; got 1.01."],
    [{ maxHeldMessages: 0 }, "circuitBreaker.maxHeldMessages must be an integer from 1 to 10000; got 0."],
    [{ windowSize: 1.5 }, "circuitBreaker.windowSize must be an integer from 1 to 10000; got 1.5."],
    [{ probeIntervalInMs: -1 }, "circuitBreaker.probeIntervalInMs must be a number of milliseconds from 0"],
    [{ whenFull: "drop" as never }, 'circuitBreaker.whenFull must be "defer", "deadLetter" or "pause"'],
  ])("refuses %o", (options, text) => {
    expect(() => resolveCircuitBreakerOptions(options)).toThrow(text);
  });
});

describe("a circuit breaker before the first decoded message", () => {
  it("opens once for messages that fail together, and looks no more", async () => {
    const { failed, read, events } = create({}, many("undeserializable", 100));
    expect(await Promise.all([failed("order"), failed("order")])).toEqual([true, true]);
    await failed("invoice");
    expect(events.map(({ messageType }) => messageType)).toEqual(["order", "invoice"]);
    expect(read).toHaveLength(100);
  });

  it("says what would read the messages, as long as nothing was decoded", async () => {
    const { breaker, decoded, failed, events } = create({ windowSize: 2 });
    const advice = "100 of 100 messages look like MessagePack: msgpack() would read them.";
    breaker.lookAhead.survey = async () => ({ messageCount: 100, readable: undefined, advice });
    const error = new WaybillError("deserialization-failed", "No.");
    await failed("order");
    expect(breaker.explain(error).text).toBe(
      `Nothing that waits can be read, so nothing is dead-lettered. ${advice}`,
    );
    breaker.beginProbe();
    decoded("order");
    decoded("invoice");
    await failed("invoice", "json", 2n);
    const has = events.map(({ state, ...event }) => [state, "advice" in event]);
    expect(has).toEqual([
      ["open", true],
      ["halfOpen", false],
      ["closed", false],
      ["open", false],
    ]);
    expect(breaker.explain(error)).toBe(error);
  });

  it("opens at the first failure when no waiting message can be read", async () => {
    const { failed, events } = create({}, [
      "undeserializable",
      "undeserializable",
      ...many("undeserializable", 98),
    ]);
    expect(await failed("order", "json", 1n)).toBe(true);
    expect(events).toMatchObject([{ state: "open", failures: 100 }]);
    expect(await failed("invoice", "json", 2n)).toBe(true);
    expect(await failed("order", "json", 3n)).toBe(true);
    expect(events.map(({ messageType, state }) => [messageType, state])).toEqual([
      ["order", "open"],
      ["invoice", "open"],
    ]);
  });

  it("looks again for every message until it has decided, once for those that fail together", async () => {
    const { failed, read } = create({}, many("undeserializable", 3));
    await Promise.all([failed("order"), failed("order"), failed("invoice")]);
    expect(read).toHaveLength(3);
    await failed("order");
    expect(read).toHaveLength(6);
  });

  it("opens at the first failures of a format that is known to decode", async () => {
    const options = { windowSize: 10, decodedBefore: [{ messageType: "order", format: "json" }] };
    const { failed, events } = create(options, many("undeserializable", 2));
    const held: boolean[] = [];
    // Two wait, and each that was dead-lettered counts: the fifth is not the first to be held.
    for (let i = 0; i < 5; i++) held.push(await failed("order", "json", 1n));
    expect(held.indexOf(true)).toBe(3);
    expect(events[0]).toMatchObject({ failures: 5 });
  });

  it("holds what fails by the type and format of a readable one, if that is why the look ends", async () => {
    const options = { windowSize: 2, decodedBefore: [{ messageType: "order", format: "json" }] };
    const { failed } = create(options, ["readable"]);
    expect(await failed("order", "json", 1n)).toBe(true);
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
      (await breaker.decideForCall(delivered(type, sequenceNumber), report("json"))) !== undefined,
    failed: async (type: string, format = "json", sequenceNumber = 1n) =>
      (await breaker.decide(delivered(type, sequenceNumber), report(format))) !== undefined,
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
