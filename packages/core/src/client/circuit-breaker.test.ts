import { describe, expect, it } from "vitest";
import type { DeserializationReport } from "../deserialization/report.js";
import { CircuitBreaker } from "./circuit-breaker.js";
import { type CircuitBreakerOptions, resolveCircuitBreakerOptions } from "./circuit-breaker-options.js";

describe("a circuit breaker", () => {
  it("opens when half of the last twenty messages of a format that decoded before fail", () => {
    const { breaker, decoded, failed, events } = create();
    for (let i = 0; i < 100; i += 1) decoded("order");
    for (let i = 0; i < 9; i += 1) expect(failed("order")).toBe(false);
    expect(breaker.isOpen).toBe(false);
    expect(failed("order")).toBe(true);
    expect(breaker.isOpen).toBe(true);
    expect(events).toEqual([
      { state: "open", messageType: "order", format: "json", failures: 10, entityPath: "orders" },
    ]);
  });

  it("leaves a format alone that never decoded", () => {
    const { breaker, decoded, failed } = create();
    decoded("order");
    for (let i = 0; i < 100; i += 1) {
      expect(failed("invoice")).toBe(false);
      expect(failed("order", "msgpack")).toBe(false);
    }
    expect(breaker.isOpen).toBe(false);
  });

  it("leaves a few failures among many successes alone", () => {
    const { decoded, failed } = create();
    for (let i = 0; i < 1_000; i += 1) {
      decoded("order");
      if (i % 3 === 0) expect(failed("order")).toBe(false);
    }
  });

  it("does not add up failures that are far apart", () => {
    const { decoded, failed, clock } = create({ windowDurationInMs: 1_000 });
    decoded("order");
    for (let i = 0; i < 50; i += 1) {
      clock.now += 1_001;
      expect(failed("order")).toBe(false);
    }
  });

  it("knows from the start what decoded before", () => {
    const { failed } = create({ windowSize: 2, decodedBefore: [{ messageType: "order", format: "json" }] });
    expect([failed("order"), failed("invoice")]).toEqual([true, false]);
    const { failed: fails } = create({ windowSize: 2, decodedBefore: "all" });
    expect(fails("invoice")).toBe(true);
  });

  it("is closed by a message of its own format that decodes while it probes, and by no other", () => {
    const { breaker, decoded, failed, events } = create({ windowSize: 2 });
    decoded("order");
    decoded("invoice");
    failed("order");
    // One that was under way when it opened.
    decoded("order");
    expect(breaker.isOpen).toBe(true);
    breaker.beginProbe();
    decoded("invoice");
    expect(breaker.isOpen).toBe(true);
    decoded("order");
    expect(breaker.isOpen).toBe(false);
    expect(events.map(({ state }) => state)).toEqual(["open", "halfOpen", "closed"]);
  });

  it("holds every message of an open format, and counts the others as before", () => {
    const { decoded, failed } = create({ windowSize: 4 });
    decoded("order");
    decoded("invoice");
    expect([failed("order"), failed("order"), failed("order")]).toEqual([false, true, true]);
    expect([failed("invoice"), failed("invoice")]).toEqual([false, true]);
  });

  it("remembers a thousand formats at most, and those that are open in any case", () => {
    const { breaker, decoded, failed } = create({ windowSize: 2 });
    decoded("order");
    failed("order");
    for (let i = 0; i < 5_000; i += 1) decoded(`type ${i}`);
    expect(failed("order")).toBe(true);
    expect(failed("type 1")).toBe(false);
    breaker.beginProbe();
    decoded("order");
    expect(breaker.isOpen).toBe(false);
  });

  it.each([
    [{ failureRate: 0 }, "circuitBreaker.failureRate must be above 0 and at most 1; got 0."],
    [{ windowSize: 1.5 }, "circuitBreaker.windowSize must be a whole number from 1 to 10000; got 1.5."],
    [{ probeIntervalInMs: -1 }, "circuitBreaker.probeIntervalInMs must be a number of milliseconds from 0"],
  ])("refuses %o", (options, text) => {
    expect(() => resolveCircuitBreakerOptions(options)).toThrow(text);
  });
});

function create(options?: CircuitBreakerOptions) {
  const clock = { now: 0 };
  const events: unknown[] = [];
  const breaker = new CircuitBreaker(
    resolveCircuitBreakerOptions(options),
    "orders",
    () => clock.now,
    (event) => events.push(event),
  );
  return {
    breaker,
    clock,
    events: events as { state: string }[],
    decoded: (type: string, format = "json") => breaker.onDecoded(type, report(format)),
    failed: (type: string, format = "json") => breaker.onUndeserializable(type, report(format)),
  };
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
    encryptionBinding: undefined,
    contentType: "application/json",
    section: "data",
    attempts: [],
    contentEncodings: [],
    bytes: 1,
    durationMs: 0,
  };
}
