import { createPipeline, defineMessage, type EncodedMessage, type Pipeline } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";
import { afterEach, describe, expect, it, vi } from "vitest";
import { ShadowCheck, type ShadowCheckOptions } from "./shadow-check.js";

afterEach(() => {
  // In this order: a timer that was observed is one that the test has stopped.
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const pipeline = createPipeline({ serializer: json(), additionalDeserializers: [msgpack()] });
const message = { body: { at: new Date(0) }, subject: "noted" };
const candidate = { serializer: "msgpack" };

function checkOf(options: Partial<ShadowCheckOptions> = {}): ShadowCheck {
  return new ShadowCheck({ candidate, sampleRate: 1, ...options });
}

/** A pipeline that is changed where it tries the candidate's format. */
function trying(change: Partial<Pick<Pipeline, "serialize" | "deserialize">>): Pipeline {
  return {
    ...pipeline,
    deserialize: change.deserialize ?? pipeline.deserialize,
    serialize: (each, options) =>
      options?.writeAs === undefined || change.serialize === undefined
        ? pipeline.serialize(each, options)
        : change.serialize(each, options),
  };
}

const nothing = { sampled: 0, same: 0, findings: [], uncounted: 0 };

describe("the sample of a shadow check", () => {
  it("is the share that was set, which may be changed", () => {
    const shadow = new ShadowCheck({ candidate });
    expect(shadow.sampleRate).toBe(0.01);
    shadow.sampleRate = 0.5;
    expect(shadow.sampleRate).toBe(0.5);
    expect(() => {
      shadow.sampleRate = 1.5;
    }).toThrow("sampleRate must be a number from 0 to 1, not 1.5.");
  });

  it("is taken by chance", async () => {
    const shadow = checkOf({ sampleRate: 0.5 });
    const observed = shadow.observe(pipeline);
    const random = vi.spyOn(Math, "random");
    for (const value of [0, 0.49, 0.5, 0.99]) {
      random.mockReturnValue(value);
      observed.serialize(message);
    }
    expect(await shadow.report()).toMatchObject({ sampled: 2 });
  });

  it("is of the message types that are named, and of no message without a subject", async () => {
    const noted = defineMessage("noted", { version: 1, aliases: ["written-down"] });
    const shadow = checkOf({ messageTypes: [noted] });
    const observed = shadow.observe(pipeline);
    for (const subject of ["noted", "written-down", "read", undefined])
      observed.serialize({ ...message, subject });
    expect(await shadow.report()).toMatchObject({ sampled: 2 });
  });

  it("is of messages that were written, at once or later, and of none that was not", async () => {
    const shadow = checkOf();
    const later = shadow.observe({
      ...pipeline,
      serialize: async (each, options) => {
        await undefined;
        return pipeline.serialize(each, options);
      },
    });
    await later.serialize(message);
    expect(await shadow.report()).toMatchObject({ sampled: 1 });
    const failing = shadow.observe({
      ...pipeline,
      serialize: async (each, options) => {
        pipeline.serialize(each, options);
        throw new Error("refused");
      },
    });
    await expect(failing.serialize(message)).rejects.toThrow("refused");
    const silent = shadow.observe({
      ...pipeline,
      serialize: (each) => pipeline.serialize(each),
    });
    silent.serialize(message);
    expect(await shadow.report()).toMatchObject({ sampled: 1 });
  });
});

describe("the findings of a shadow check", () => {
  it("are counted by message type", async () => {
    const shadow = checkOf({ candidate: { serializer: "json" } });
    const writing = createPipeline({ serializer: msgpack(), additionalDeserializers: [json()] });
    const observed = shadow.observe(writing);
    for (const subject of ["noted", "noted", "read", undefined]) observed.serialize({ ...message, subject });
    const of = (messageType: string | undefined, count: number) => ({
      ...{ messageType, path: "/at", kind: "date", count },
    });
    expect(await shadow.report()).toEqual({
      sampled: 4,
      same: 0,
      findings: [of("noted", 2), of("read", 1), of(undefined, 1)],
      uncounted: 0,
    });
  });

  it("are gone after a reset, and so is what was the same", async () => {
    const shadow = checkOf();
    const observed = shadow.observe(pipeline);
    observed.serialize({ body: { id: 1 } });
    observed.serialize(message);
    shadow.reset();
    expect(await shadow.report()).toEqual(nothing);
  });

  it("do not come from tries that began before a reset", async () => {
    const shadow = checkOf();
    const ends: (() => void)[] = [];
    const slow: Pipeline["serialize"] = (each, options) =>
      new Promise((resolve) => ends.push(() => resolve(pipeline.serialize(each, options))));
    shadow.observe(trying({ serialize: slow })).serialize(message);
    shadow.reset();
    for (const end of ends) end();
    expect(await shadow.report()).toEqual(nothing);
  });

  it("say that a body is too large only if it is larger than maxBodyBytes", async () => {
    const { length } = (pipeline.serialize(message) as EncodedMessage).body as Uint8Array;
    const kinds = async (maxBodyBytes: number) => {
      const shadow = checkOf({ maxBodyBytes });
      shadow.observe(pipeline).serialize(message);
      return (await shadow.report()).findings.map(({ kind, path }) => `${kind} ${path}`);
    };
    expect(await kinds(length)).not.toContain("too-large /");
    expect(await kinds(length - 1)).toEqual(["too-large /"]);
  });

  it("include messages without a body", async () => {
    const shadow = checkOf();
    shadow.observe(pipeline).serialize({ body: undefined });
    expect(await shadow.report()).toEqual({ ...nothing, sampled: 1, same: 1 });
  });

  it("say that the candidate cannot be read if reading throws, and nothing if it is not known", async () => {
    const throwing = checkOf();
    const broken = () => {
      throw new Error("broken");
    };
    throwing.observe(trying({ deserialize: broken })).serialize(message);
    expect((await throwing.report()).findings).toMatchObject([{ kind: "undeserializable", path: "/" }]);

    const away = checkOf();
    const outcome = pipeline.deserialize(pipeline.serialize(message) as EncodedMessage);
    const deserialize = (() => ({ ...outcome, status: "unavailable" })) as unknown as Pipeline["deserialize"];
    away.observe(trying({ deserialize })).serialize(message);
    expect(await away.report()).toEqual({ ...nothing, sampled: 1 });
  });
});

describe("tries that take too long", () => {
  /** Timers and the clock of durations, which advance only when the test advances them. */
  function stopTime() {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    let now = 0;
    vi.spyOn(performance, "now").mockImplementation(() => now);
    return {
      async advance(ms: number) {
        now += ms;
        await vi.advanceTimersByTimeAsync(ms);
      },
    };
  }

  /** A pipeline whose tries never end, with the signals that abort them. */
  function endless() {
    const signals: (AbortSignal | undefined)[] = [];
    const serialize: Pipeline["serialize"] = (_, options) => {
      signals.push(options?.abortSignal);
      return new Promise(() => {});
    };
    return { signals, pipeline: trying({ serialize }) };
  }

  it("are aborted when the report is asked for, after ten seconds", async () => {
    const time = stopTime();
    const shadow = checkOf();
    const { signals, pipeline: slow } = endless();
    shadow.observe(slow).serialize(message);
    let report: unknown;
    void shadow.report().then((it) => {
      report = it;
    });
    await time.advance(9_999);
    expect([report, signals[0]?.aborted]).toEqual([undefined, false]);
    await time.advance(1);
    expect(report).toEqual({
      ...nothing,
      sampled: 1,
      findings: [{ messageType: "noted", path: "/", kind: "unsettled", count: 1 }],
    });
    expect(signals[0]?.aborted).toBe(true);
  });

  it("leave no timer behind when all have ended", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const shadow = checkOf();
    const serialize: Pipeline["serialize"] = async (each, options) => pipeline.serialize(each, options);
    shadow.observe(trying({ serialize })).serialize(message);
    await shadow.report();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("are waited for no longer than a timer can wait", async () => {
    stopTime();
    const wait = vi.spyOn(globalThis, "setTimeout");
    const shadow = checkOf({ timeoutInMs: 2 ** 40 });
    await shadow.report();
    expect(wait).toHaveBeenCalledWith(expect.any(Function), 2 ** 31 - 1);
  });

  it("give their places to others: a hundred run at a time", async () => {
    const time = stopTime();
    const shadow = checkOf({ timeoutInMs: 1_000 });
    const { signals, pipeline: slow } = endless();
    const observed = shadow.observe(slow);
    for (let count = 0; count < 99; count++) observed.serialize(message);
    await time.advance(999);
    observed.serialize(message);
    expect(signals.some((signal) => signal?.aborted)).toBe(false);
    // No room: the message is not tried.
    observed.serialize(message);
    expect([signals.length, signals.some((signal) => signal?.aborted)]).toEqual([100, false]);
    await time.advance(1);
    observed.serialize(message);
    expect(signals.filter((signal) => signal?.aborted)).toHaveLength(99);
    expect(signals).toHaveLength(101);
  });
});

it("a shadow check distinguishes 1,000 findings, and bodies up to a megabyte", async () => {
  const shadow = checkOf({ candidate: { serializer: "json" } });
  const writing = createPipeline({ serializer: msgpack(), additionalDeserializers: [json()] });
  const observed = shadow.observe(writing);
  for (let n = 0; n < 1_001; n++) observed.serialize({ ...message, subject: `type ${n}` });
  const report = await shadow.report();
  expect([report.findings.length, report.uncounted]).toEqual([1_000, 1]);

  const bytes = checkOf({ candidate: { serializer: "json" } });
  const frame = JSON.stringify({ text: "" }).length;
  for (const length of [1024 * 1024, 1024 * 1024 + 1])
    bytes.observe(pipeline).serialize({ body: { text: "x".repeat(length - frame) } });
  expect(await bytes.report()).toMatchObject({ sampled: 2, same: 1, findings: [{ kind: "too-large" }] });
});
