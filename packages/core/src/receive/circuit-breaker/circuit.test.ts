import { describe, expect, it } from "vitest";
import { Circuit, type CircuitRule, EntityRun } from "./circuit.js";

const rule: CircuitRule = { minFailures: 10, windowDurationInMs: 300_000 };

describe("consecutive failures of a message type", () => {
  it("open its circuit at the tenth failure, if the type never failed before", () => {
    const circuit = new Circuit("order", "json");
    for (let i = 0; i < 100; i++) circuit.decoded();
    expect(runUntilOpen(circuit)).toBe(10);
  });

  it.each([
    [0.01, 10],
    [0.1, 10],
    [0.25, 15],
    [0.5, 30],
    [0.9, 197],
  ])("open it only if a failure rate of %d does not explain them", (rate, failures) => {
    const circuit = new Circuit("order", "json");
    mix(circuit, 1_000, (i) => Math.floor((i + 1) * rate) > Math.floor(i * rate));
    circuit.decoded();
    expect(Math.abs(runUntilOpen(circuit) - failures)).toBeLessThan(0.1 * failures);
  });

  it("open no circuit if every second of 100,000 messages is faulty", () => {
    for (let seed = 1; seed <= 10; seed++) {
      const circuit = new Circuit("order", "json");
      const random = generator(seed);
      expect(mix(circuit, 100_000, () => random() < 0.5)).toBe(0);
    }
  });

  it("open no circuit when one message in a hundred is faulty", () => {
    const circuit = new Circuit("order", "json");
    const random = generator(1);
    expect(mix(circuit, 100_000, () => random() < 0.01)).toBe(0);
  });

  it("open it at the number that is set, if that is more than would be improbable", () => {
    expect(runUntilOpen(readBefore("order"), { ...rule, minFailures: 1_000 })).toBe(1_000);
  });

  it("open it eventually, even if the type nearly always failed", () => {
    const circuit = new Circuit("order", "json");
    mix(circuit, 1_000, (i) => i % 100 !== 0);
    expect(runUntilOpen(circuit)).toBeLessThan(450);
  });

  it("of long ago weigh less than what decoded since", () => {
    const circuit = new Circuit("order", "json");
    mix(circuit, 1_000, (i) => i % 2 === 0);
    for (let i = 0; i < 2_000; i++) circuit.decoded();
    expect(runUntilOpen(circuit)).toBe(10);
  });

  it("are counted at the rate of all outcomes before, of which 1,000 are remembered in full", () => {
    const eager = { ...rule, minFailures: 1 };
    const rates = (circuit: Circuit) => Math.exp(circuit.logProbabilityOfOne(eager));
    const failing = new Circuit("order", "json");
    expect(rates(failing)).toBeCloseTo(1e-9, 12);
    failing.failedAsExpected();
    expect(rates(failing)).toBeCloseTo(0.95, 12);
    failing.decoded();
    expect(rates(failing)).toBeCloseTo(0.5, 12);
    for (let i = 0; i < 997; i++) failing.decoded();
    failing.failedAsExpected();
    expect(rates(failing)).toBeCloseTo(2 / 1_000, 12);
    failing.decoded();
    expect(rates(failing)).toBeCloseTo(1 / 500, 12);
    failing.failedAsExpected();
    expect(rates(failing)).toBeCloseTo(2 / 501, 12);
  });

  it("halve both counters beyond 1,000 outcomes, whichever comes last", () => {
    const eager = { ...rule, minFailures: 1 };
    const rates = (circuit: Circuit) => Math.exp(circuit.logProbabilityOfOne(eager));
    const decodedLast = new Circuit("order", "json");
    decodedLast.failedAsExpected();
    for (let i = 0; i < 999; i++) decodedLast.decoded();
    expect(rates(decodedLast)).toBeCloseTo(1 / 1_000, 12);
    decodedLast.decoded();
    expect(rates(decodedLast)).toBeCloseTo(1e-9, 12);
    const failedLast = new Circuit("order", "json");
    for (let i = 0; i < 1_000; i++) failedLast.decoded();
    failedLast.failedAsExpected();
    expect(rates(failedLast)).toBeCloseTo(1e-9, 12);
  });

  it("are remembered one by one for 100,000 held messages", () => {
    const circuit = new Circuit("order", "json");
    for (let n = 1n; n <= 100_001n; n += 1n) circuit.hold(n);
    circuit.close();
    expect([circuit.isFaulty(100_000n), circuit.isFaulty(100_001n)]).toEqual([true, false]);
  });

  it("are not counted together if they are far apart", () => {
    const circuit = new Circuit("order", "json");
    circuit.decoded();
    for (let i = 0; i < 50; i++) expect(circuit.failed(i * 300_001, rule)).toBe(false);
    const close = readBefore("order");
    const failures = Array.from({ length: 10 }, (_, i) => close.failed(i * 300_000, rule));
    expect(failures.indexOf(true)).toBe(9);
  });

  it("begin anew for a type that is treated as one that never decoded", () => {
    const circuit = readBefore("order");
    circuit.failed(0, rule);
    circuit.forgetDecoded();
    expect([circuit.hasDecoded, circuit.failures]).toEqual([false, 0]);
  });

  it("are the producer's fault if another message was decoded while they were held, or a later one", () => {
    const circuit = new Circuit("order", "json");
    circuit.opening = { atMs: 0, number: 1, decodedBefore: 0 };
    circuit.hold(7n);
    expect(circuit.isFaulty(7n)).toBe(false);
    circuit.close();
    expect([circuit.isFaulty(7n), circuit.isFaulty(8n)]).toEqual([true, false]);
    circuit.hold(8n);
    expect(circuit.isFaulty(8n)).toBe(false);
    circuit.faultyBefore = 10n;
    expect([circuit.isFaulty(9n), circuit.isFaulty(10n)]).toEqual([true, false]);
  });
});

describe("consecutive failures of all message types", () => {
  it("count three times for each type, so that three types are not enough", () => {
    const run = new EntityRun();
    const fail = (circuit: Circuit) => {
      circuit.failed(0, rule);
      return run.failed(circuit, rule);
    };
    const three = ["a", "b", "c"]
      .map((name) => readBefore(name))
      .flatMap((type) => [type, type, type, type, type]);
    expect(three.map(fail)).not.toContain(true);
    expect(fail(readBefore("d"))).toBe(true);
    run.decoded();
    // All begins anew: nine are not enough again, ten are.
    const four = ["e", "f", "g", "h"].map((name) => readBefore(name));
    expect(Array.from({ length: 10 }, (_, i) => fail(four[i % 4]!))).toEqual([
      ...new Array<boolean>(9).fill(false),
      true,
    ]);
  });

  it("are as many as is set, each time, if that is more than would be improbable", () => {
    const many: CircuitRule = { ...rule, minFailures: 1_000 };
    const run = new EntityRun();
    for (let round = 0; round < 2; round++) {
      const types = Array.from({ length: 400 }, (_, n) => readBefore(`type ${n}`));
      const opened = Array.from({ length: 1_200 }, (_, i) => types[i % 400]!).findIndex((circuit) => {
        circuit.failed(0, many);
        return run.failed(circuit, many);
      });
      expect(opened).toBe(999);
      run.decoded();
    }
  });

  it("are not enough if the types often fail", () => {
    const run = new EntityRun();
    const types = ["a", "b", "c", "d"].map((name) => {
      const circuit = new Circuit(name, "json");
      for (let i = 0; i < 10; i++) {
        circuit.failedAsExpected();
        circuit.decoded();
      }
      return circuit;
    });
    for (let i = 0; i < 12; i++) {
      const circuit = types[i % 4]!;
      circuit.failed(0, rule);
      expect(run.failed(circuit, rule)).toBe(false);
    }
  });

  it("open circuits if several types fail that did not fail before", () => {
    const types = ["a", "b", "c", "d", "e"].map((name) => readBefore(name));
    const run = new EntityRun();
    const failures = Array.from({ length: 20 }, (_, i) => types[i % 5]!);
    const opened = failures.findIndex((circuit) => {
      circuit.failed(0, rule);
      return run.failed(circuit, rule);
    });
    expect(opened).toBe(9);
  });

  it("open none if only one type fails, or if another is decoded in between", () => {
    const poisoned = readBefore("order");
    const run = new EntityRun();
    for (let i = 0; i < 1_000; i++) {
      poisoned.failed(0, rule);
      expect(run.failed(poisoned, rule)).toBe(false);
    }
    const types = ["a", "b", "c", "d", "e"].map((name) => readBefore(name));
    for (let i = 0; i < 1_000; i++) {
      if (i % 9 === 0) run.decoded();
      const circuit = types[i % 5]!;
      circuit.decoded();
      circuit.failed(0, rule);
      expect(run.failed(circuit, rule)).toBe(false);
    }
  });
});

function readBefore(name: string): Circuit {
  const circuit = new Circuit(name, "json");
  circuit.decoded();
  return circuit;
}

function runUntilOpen(circuit: Circuit, given = rule): number {
  let failures = 1;
  while (!circuit.failed(0, given)) failures++;
  return failures;
}

/** Records outcomes; returns how often the circuit would have opened. */
function mix(circuit: Circuit, count: number, fails: (i: number) => boolean): number {
  let openings = 0;
  for (let i = 0; i < count; i++) {
    if (!fails(i)) circuit.decoded();
    else if (circuit.failed(0, rule)) openings++;
  }
  return openings;
}

/** The same numbers from 0 to 1 for the same seed. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}
