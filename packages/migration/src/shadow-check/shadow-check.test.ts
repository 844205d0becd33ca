import {
  bodyType,
  type ClaimCheckStore,
  createPipeline,
  defineMessage,
  type EncodedMessage,
  type Serializer,
} from "@waybill/core";
import { avro } from "@waybill/serializer-avro";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { order, orderPlaced, ordersPipeline } from "../../test/orders.js";
import { withWritePlans } from "../write-plan/with-write-plans.js";
import { WritePlan } from "../write-plan/write-plan.js";
import { ShadowCheck } from "./shadow-check.js";

const payment = defineMessage("payment", {
  version: 1,
  schemas: {
    1: {
      body: bodyType<{ at: Date; amount: number; note?: string | null | undefined }>(),
      avro: {
        type: "record",
        name: "Payment",
        fields: [
          { name: "at", type: { type: "long", logicalType: "timestamp-millis" } },
          { name: "amount", type: "float" },
          { name: "note", type: ["null", "string"], default: null },
        ],
      },
    },
  },
});

const pipeline = createPipeline({
  serializer: json(),
  additionalDeserializers: [avro(), msgpack()],
  messageTypes: [payment],
});

const secret = "ada@example.com";

describe("a shadow check", () => {
  it("reports what readers would read differently, by path and kind, without values", async () => {
    const shadow = new ShadowCheck({ candidate: { serializer: "avro" }, sampleRate: 1 });
    const observed = shadow.observe(pipeline);
    const message = payment.message({ at: new Date(0), amount: 0.1 });
    expect(observed.serialize(message)).toEqual(pipeline.serialize(message));
    observed.serialize(payment.message({ at: new Date(0), amount: 0.5, note: secret }));
    const report = await shadow.report();
    expect(report).toEqual({
      sampled: 2,
      same: 0,
      findings: [
        { messageType: "payment", path: "/at", kind: "date", count: 2 },
        { messageType: "payment", path: "/amount", kind: "precision", count: 1 },
        { messageType: "payment", path: "/note", kind: "undefined-null", count: 1 },
      ],
      uncounted: 0,
    });
    expect(JSON.stringify(report)).not.toContain(secret);
  });

  it("finds nothing if readers would read the same", async () => {
    const shadow = new ShadowCheck({ candidate: { serializer: "msgpack" }, sampleRate: 1 });
    shadow.observe(pipeline).serialize({ body: { id: 1, lines: [{ sku: "a" }], note: undefined } });
    expect(await shadow.report()).toMatchObject({ sampled: 1, same: 1, findings: [] });
  });

  it("compares across versions: the values that handlers get after upcasting", async () => {
    const shadow = new ShadowCheck({ candidate: { serializer: "avro", version: 2 }, sampleRate: 1 });
    shadow.observe(ordersPipeline()).serialize(orderPlaced.message(order(7)));
    expect(await shadow.report()).toMatchObject({ sampled: 1, same: 1 });
  });

  it("reports what the candidate cannot write, and what the pipeline cannot read of it", async () => {
    const shadow = new ShadowCheck({ candidate: { serializer: "avro" }, sampleRate: 1 });
    shadow.observe(pipeline).serialize({ subject: "payment", body: { amount: "much" } });
    const mute = new ShadowCheck({ candidate: { serializer: "mute" }, sampleRate: 1 });
    const unread: Serializer = {
      name: "mute",
      mediaTypes: ["application/x-mute"],
      detection: "label",
      serialize: () => ({ bytes: Uint8Array.of(0xff) }),
      deserialize: () => undefined,
    };
    mute
      .observe(createPipeline({ serializer: json(), additionalDeserializers: [unread] }))
      .serialize({ body: [1] });
    expect(await shadow.report()).toMatchObject({ findings: [{ path: "/", kind: "unwritable", count: 1 }] });
    expect(await mute.report()).toMatchObject({
      findings: [{ path: "/", kind: "undeserializable", count: 1 }],
    });
  });

  it("reports what readers cannot read already, before the switch", async () => {
    const type = defineMessage("meeting", { version: 1, schemas: { 1: z.object({ at: z.date() }) } });
    const observed = createPipeline({
      serializer: json(),
      additionalDeserializers: [msgpack()],
      messageTypes: [type],
      readBack: false,
    });
    const shadow = new ShadowCheck({ candidate: { serializer: "msgpack" }, sampleRate: 1 });
    shadow.observe(observed).serialize(type.message({ at: new Date(0) }));
    expect(await shadow.report()).toMatchObject({
      sampled: 1,
      same: 0,
      findings: [{ path: "/", kind: "undeserializable-now", count: 1 }],
    });
    const back = new ShadowCheck({ candidate: { serializer: "json" }, sampleRate: 1 });
    const now = createPipeline({
      serializer: msgpack(),
      additionalDeserializers: [json()],
      messageTypes: [type],
    });
    back.observe(now).serialize(type.message({ at: new Date(0) }));
    expect(await back.report()).toMatchObject({
      findings: [{ path: "/", kind: "undeserializable", count: 1 }],
    });
  });

  it("waits for asynchronous serializers before it reports, without delaying a send", async () => {
    let release = (): void => {};
    const gate = new Promise<void>((resolve) => (release = resolve));
    const slow: Serializer = {
      ...msgpack(),
      serialize: async (value, context) => {
        await gate;
        return msgpack().serialize(value, context);
      },
    };
    const shadow = new ShadowCheck({ candidate: { serializer: "msgpack" }, sampleRate: 1 });
    const observed = shadow.observe(createPipeline({ serializer: json(), additionalDeserializers: [slow] }));
    expect(observed.serialize({ body: [1] })).not.toBeInstanceOf(Promise);
    for (let extra = 0; extra < 200; extra++) observed.serialize({ body: [1] });
    release();
    expect(await shadow.report()).toMatchObject({ sampled: 100, same: 100 });
  });

  it("does not use a claim-check store, and calls a key provider no more often than a send", async () => {
    const bodies = new Map<string, Uint8Array>();
    const calls = { put: 0, get: 0, currentKey: 0, findKey: 0 };
    const store: ClaimCheckStore = {
      async put(key, body) {
        calls.put++;
        bodies.set(key, body);
      },
      async get(key) {
        calls.get++;
        return bodies.get(key);
      },
      delete: async () => {},
    };
    const key = new Uint8Array(32);
    const keys = {
      currentKey() {
        calls.currentKey++;
        return { id: "k", key };
      },
      findKey() {
        calls.findKey++;
        return key;
      },
    };
    const options = {
      serializer: json(),
      additionalDeserializers: [msgpack()],
      messageTypes: [orderPlaced],
      claimCheck: { store, minBytes: 1 },
    };
    const encryption = { keys, keyCacheDurationInMs: 0 };
    for (const one of [createPipeline(options), createPipeline({ ...options, encryption })]) {
      const shadow = new ShadowCheck({ candidate: { serializer: "msgpack" }, sampleRate: 1 });
      const plan = new WritePlan(orderPlaced, {
        from: { serializer: "json", version: 3 },
        to: { serializer: "json", version: 1 },
      });
      const observed = shadow.observe(withWritePlans(one, [plan]));
      for (let n = 0; n < 50; n++) {
        const sent = await observed.serialize(orderPlaced.message(order(n)));
        expect(sent.body).toHaveLength(0);
      }
      expect(await shadow.report()).toMatchObject({ sampled: 50, same: 50, findings: [] });
    }
    expect(calls).toEqual({ put: 100, get: 0, currentKey: 50, findKey: 0 });
  });

  it.each<[string, Partial<Serializer>, string]>([
    ["never settles while writing", { serialize: () => new Promise(() => {}) }, "unsettled"],
    ["never settles while reading", { deserialize: () => new Promise(() => {}) }, "unsettled"],
    ["throws while writing", { serialize: thrower }, "unwritable"],
    ["throws while reading", { deserialize: thrower }, "undeserializable"],
    ["throws nothing while writing", { serialize: () => Promise.reject(undefined) }, "unwritable"],
    ["rejects while writing", { serialize: async () => thrower() }, "unwritable"],
    ["rejects while reading", { deserialize: async () => thrower() }, "undeserializable"],
    ["returns nothing", { serialize: () => undefined as never }, "unwritable"],
    ["returns an object with an invalid then", { serialize: () => halfPromise as never }, "unsettled"],
    ["writes a large body", { serialize: () => ({ bytes: new Uint8Array(2_000_000) }) }, "too-large"],
    ["reads something that throws", { deserialize: trap }, "undeserializable"],
  ])("reports in bounded time if the candidate %s", async (_, part, kind) => {
    const candidate: Serializer = { ...msgpack(), ...part };
    const shadow = new ShadowCheck({ candidate: { serializer: "msgpack" }, sampleRate: 1, timeoutInMs: 50 });
    const observed = shadow.observe(
      createPipeline({ serializer: json(), additionalDeserializers: [candidate] }),
    );
    for (let n = 0; n < 3; n++) expect(observed.serialize({ body: { id: 1 } })).toMatchObject({});
    const report = await shadow.report();
    expect(report).toMatchObject({ sampled: 3, same: 0, findings: [{ path: "/", kind, count: 3 }] });
    expect(await shadow.report()).toEqual(report);
  });

  it("tries further messages when those in progress take too long, and ignores late results", async () => {
    let release = (): void => {};
    const gate = new Promise<void>((resolve) => (release = resolve));
    const slow: Serializer = {
      ...msgpack(),
      serialize: (...given) => gate.then(() => msgpack().serialize(...given)),
    };
    const shadow = new ShadowCheck({ candidate: { serializer: "msgpack" }, sampleRate: 1, timeoutInMs: 1 });
    const observed = shadow.observe(createPipeline({ serializer: json(), additionalDeserializers: [slow] }));
    for (let n = 0; n < 100; n++) observed.serialize({ body: [n] });
    const before = await shadow.report();
    for (let n = 0; n < 50; n++) observed.serialize({ body: [n] });
    release();
    expect(before).toMatchObject({ sampled: 100, findings: [{ kind: "unsettled", count: 100 }] });
    expect(await shadow.report()).toMatchObject({ sampled: 150, same: 50 });
  });

  it("waits for those in progress also with a time-out that is longer than any timer", async () => {
    let release = (): void => {};
    const gate = new Promise<void>((resolve) => (release = resolve));
    const slow: Serializer = {
      ...msgpack(),
      serialize: (...given) => gate.then(() => msgpack().serialize(...given)),
    };
    const candidate = { serializer: "msgpack" };
    const shadow = new ShadowCheck({ candidate, sampleRate: 1, timeoutInMs: Number.MAX_SAFE_INTEGER });
    const observed = shadow.observe(createPipeline({ serializer: json(), additionalDeserializers: [slow] }));
    observed.serialize({ body: 1 });
    using timers = vi.spyOn(globalThis, "setTimeout");
    const report = shadow.report();
    expect(timers).toHaveBeenCalledWith(expect.any(Function), 2 ** 31 - 1);
    release();
    expect(await report).toMatchObject({ sampled: 1, same: 1, findings: [] });
  });

  it("tries the sample rate's share of the messages of the given types, and none at 0", async () => {
    const shadow = new ShadowCheck({
      candidate: { serializer: "msgpack" },
      sampleRate: 0.1,
      messageTypes: [payment],
    });
    const observed = shadow.observe(pipeline);
    const message = payment.message({ at: new Date(0), amount: 1 });
    for (let count = 0; count < 2000; count++) {
      observed.serialize(message);
      observed.serialize({ body: [1] });
    }
    const { sampled } = await shadow.report();
    expect(sampled).toBeGreaterThan(100);
    expect(sampled).toBeLessThan(320);
    shadow.sampleRate = 0;
    shadow.reset();
    for (let count = 0; count < 100; count++) observed.serialize(message);
    expect(await shadow.report()).toEqual({ sampled: 0, same: 0, findings: [], uncounted: 0 });
  });

  it("keeps a bounded number of findings", async () => {
    const shadow = new ShadowCheck({ candidate: { serializer: "msgpack" }, sampleRate: 1, maxFindings: 3 });
    const observed = shadow.observe(pipeline);
    for (const name of ["a", "b", "c", "d", "e"]) observed.serialize({ body: { [name]: new Date(0) } });
    const { findings, uncounted } = await shadow.report();
    expect([findings.length, uncounted]).toEqual([3, 2]);
  });

  it("reads like the pipeline it observes", () => {
    const observed = new ShadowCheck({ candidate: { serializer: "msgpack" } }).observe(pipeline);
    const message = observed.serialize({ body: [1] }) as EncodedMessage;
    expect(observed.deserialize(message)).toMatchObject({ body: [1] });
  });

  it("refuses invalid limits", () => {
    const candidate = { serializer: "msgpack" };
    expect(() => new ShadowCheck({ candidate, timeoutInMs: 0 })).toThrow(
      "timeoutInMs must be a number of milliseconds from 1; got 0.",
    );
    expect(() => new ShadowCheck({ candidate, maxBodyBytes: Number.NaN })).toThrow(
      "maxBodyBytes must be a positive integer; got NaN.",
    );
  });

  it("refuses an unknown serializer and an invalid rate", () => {
    expect(() => new ShadowCheck({ candidate: { serializer: "cbor" } }).observe(pipeline)).toThrow(
      '[configuration-invalid] The shadow check cannot work: the pipeline has no serializer "cbor".',
    );
    expect(() => new ShadowCheck({ candidate: { serializer: "json" }, sampleRate: 2 })).toThrow(TypeError);
  });
});

function thrower(): never {
  throw new Error(secret);
}

/** Has a `then` method but is not a promise. */
// biome-ignore lint/suspicious/noThenProperty: a candidate may return this.
const halfPromise: object = { then: () => undefined };

function trap(): unknown {
  return new Proxy({}, { ownKeys: thrower, getPrototypeOf: () => Object.prototype });
}
