import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import type { ClaimCheckStore } from "../contracts/claim-check-store.js";
import type { EncodedMessage } from "../message/message.js";
import type { PipelineOptions } from "../pipeline/options.js";
import { createPipeline } from "../pipeline/pipeline.js";
import { plainJson } from "../plain-json.test-support.js";

const large = { text: "lamp ".repeat(100) };

describe("checking in", () => {
  it("puts a large body into the store and sends a reference, its digest and its length", async () => {
    const { store, bodies } = mapStore();
    const sent = await pipeline(store).serialize({
      body: large,
      messageId: "m",
      applicationProperties: { a: 1 },
    });
    const [[key, body]] = [...bodies] as [[string, Uint8Array]];
    expect(key).toMatch(/^\d{4}-\d\d-\d\d\/[0-9a-f-]{36}$/);
    expect(new TextDecoder().decode(body)).toBe(JSON.stringify(large));
    expect(sent).toEqual({
      body: new Uint8Array(),
      messageId: "m",
      contentType: "application/json",
      applicationProperties: {
        a: 1,
        "waybill-claim-check": key,
        "waybill-claim-check-sha256": await sha256(body),
        "waybill-claim-check-bytes": body.length,
      },
    });
  });

  it("leaves small bodies in the message, and stays synchronous for them", () => {
    const { store, bodies } = mapStore();
    const sent = pipeline(store).serialize({ body: { n: 1 } });
    expect((sent as EncodedMessage).body).toEqual(utf8('{"n":1}'));
    expect(bodies.size).toBe(0);
  });

  it("compares the size after compression with the threshold", async () => {
    const { store, bodies } = mapStore();
    await pipeline(store, { compression: { coding: "gzip", minBytes: 0 } }).serialize({ body: large });
    expect(bodies.size).toBe(0);
  });

  it("removes the properties of a forwarded message that describe another body", async () => {
    const { store } = mapStore();
    const received = await pipeline(store).serialize({ body: large });
    const { applicationProperties } = received;
    const forwarded = await pipeline(store).serialize({ body: { n: 1 }, applicationProperties });
    expect(forwarded).toEqual({
      body: utf8('{"n":1}'),
      contentType: "application/json",
      applicationProperties: {},
    });
  });

  it("fails with unavailable if the store cannot write the body, without the text of its error", async () => {
    const { store } = mapStore();
    store.put = () => Promise.reject(new Error("https://store.example/?sig=s3cr3t"));
    const sending = pipeline(store).serialize({ body: large, messageId: "m" });
    await expect(sending).rejects.toMatchObject({ code: "unavailable", retryable: true, messageId: "m" });
    expect(inspect(await Promise.resolve(sending).catch((error) => error), { depth: 9 })).not.toContain(
      "s3cr3t",
    );
  });

  it("is checked when the pipeline is created", () => {
    expect(() => pipeline({} as ClaimCheckStore)).toThrow(TypeError);
    expect(() =>
      createPipeline({ serializer: plainJson, claimCheck: { store: mapStore().store, minBytes: -1 } }),
    ).toThrow(TypeError);
  });
});

describe("checking out", () => {
  it("fetches the body, and reports its key", async () => {
    const { store, bodies } = mapStore();
    const sent = await pipeline(store).serialize({ body: large });
    const outcome = await pipeline(store).deserialize(sent);
    const [key] = bodies.keys();
    expect(outcome).toMatchObject({ status: "decoded", body: large, report: { claimCheck: key, bytes: 0 } });
  });

  it("decrypts and decompresses after fetching", async () => {
    const { store, bodies } = mapStore();
    const key = new Uint8Array(32);
    const all = pipeline(store, {
      claimCheck: { store, minBytes: 1 },
      compression: { coding: "gzip", minBytes: 0 },
      encryption: { keys: { currentKey: () => ({ id: "k", key }), findKey: () => key } },
    });
    const sent = await all.serialize({ body: large });
    expect(bodies.size).toBe(1);
    expect(await all.deserialize(sent)).toMatchObject({
      status: "decoded",
      body: large,
      report: { contentEncodings: ["gzip"], encryptionKeyId: "k", claimCheck: expect.any(String) },
    });
  });

  it.each<[string, (bodies: Map<string, Uint8Array>, key: string) => unknown, string]>([
    ["deleted", (bodies, key) => bodies.delete(key), "claim-check-missing"],
    ["replaced", (bodies, key) => bodies.set(key, utf8("{}")), "claim-check-changed"],
    ["changed in one bit", (bodies, key) => (bodies.get(key)![9]! ^= 1), "claim-check-changed"],
    [
      "longer",
      (bodies, key) => bodies.set(key, Buffer.concat([bodies.get(key)!, utf8(" ")])),
      "claim-check-changed",
    ],
  ])("refuses a body that was %s", async (_, change, reason) => {
    const { store, bodies } = mapStore();
    const sent = await pipeline(store).serialize({ body: large });
    change(bodies, [...bodies.keys()][0]!);
    const outcome = await pipeline(store).deserialize(sent);
    expect(outcome).toMatchObject({ status: "undeserializable", reason: "ClaimCheckFailed" });
    expect(outcome.report.attempts).toMatchObject([{ reason, stage: "fetch" }]);
  });

  it.each([
    ["a path to a parent folder", { "waybill-claim-check": "../../etc/passwd" }],
    ["a path through a parent folder", { "waybill-claim-check": "a/../b" }],
    ["an absolute path", { "waybill-claim-check": "/etc/passwd" }],
    ["a Windows path", { "waybill-claim-check": "C:\\boot.ini" }],
    ["a hidden file", { "waybill-claim-check": ".env" }],
    ["an address", { "waybill-claim-check": "https://attacker.example/a" }],
    ["a zero byte", { "waybill-claim-check": "a\0" }],
    ["a key that is too long", { "waybill-claim-check": "a".repeat(201) }],
    ["an empty key", { "waybill-claim-check": "" }],
    ["a number for a key", { "waybill-claim-check": 7 }],
    ["no digest", { "waybill-claim-check-sha256": null }],
    ["no length", { "waybill-claim-check-bytes": null }],
    ["a negative length", { "waybill-claim-check-bytes": -1 }],
    ["half a byte", { "waybill-claim-check-bytes": 0.5 }],
  ])("does not call the store for %s", async (_, change) => {
    const { store } = mapStore();
    const sent = await pipeline(store).serialize({ body: large });
    let asked = 0;
    store.get = async () => {
      asked++;
      return undefined;
    };
    const applicationProperties = { ...sent.applicationProperties, ...change };
    const outcome = await pipeline(store).deserialize({ ...sent, applicationProperties });
    expect(outcome.report.attempts).toMatchObject([{ reason: "claim-check-malformed" }]);
    expect(asked).toBe(0);
  });

  it("refuses a message that also has a body", async () => {
    const { store } = mapStore();
    const sent = await pipeline(store).serialize({ body: large });
    const outcome = await pipeline(store).deserialize({ ...sent, body: utf8("{}") });
    expect(outcome.report.attempts).toMatchObject([{ reason: "claim-check-malformed" }]);
  });

  it("refuses a declared length beyond the limit before it calls the store", async () => {
    const { store } = mapStore();
    const sent = await pipeline(store).serialize({ body: large });
    store.get = () => Promise.reject(new Error("was asked"));
    const outcome = await pipeline(store, { maxBodyBytes: 400 }).deserialize(sent);
    expect(outcome.report.attempts).toMatchObject([{ reason: "claim-check-too-large" }]);
  });

  it("passes the maximum length to the store, and accepts lengths of 64 bits", async () => {
    const { store, bodies } = mapStore();
    const sent = await pipeline(store).serialize({ body: large });
    const [body] = bodies.values();
    let asked = 0;
    store.get = async (_, { maxBytes }) => {
      asked = maxBytes;
      return body;
    };
    const applicationProperties = {
      ...sent.applicationProperties,
      "waybill-claim-check-bytes": BigInt(body!.length),
    };
    expect(await pipeline(store).deserialize({ ...sent, applicationProperties })).toMatchObject({
      body: large,
    });
    expect(asked).toBe(body!.length);
  });

  it("reports that no store is configured", async () => {
    const sent = await pipeline(mapStore().store).serialize({ body: large });
    const outcome = await createPipeline({ serializer: plainJson }).deserialize(sent);
    expect(outcome).toMatchObject({ status: "undeserializable", reason: "ClaimCheckFailed" });
    expect(outcome.report.attempts).toMatchObject([{ reason: "claim-check-unsupported" }]);
  });

  it("is unavailable while the store fails", async () => {
    const { store } = mapStore();
    const sent = await pipeline(store).serialize({ body: large });
    store.get = () => Promise.reject(new Error("ECONNREFUSED"));
    const outcome = await pipeline(store).deserialize(sent);
    expect(outcome).toMatchObject({ status: "unavailable", error: { code: "unavailable", stage: "fetch" } });
  });

  it("is unavailable when the store does not respond in time, and aborts its call", async () => {
    const { store } = mapStore();
    const sent = await pipeline(store).serialize({ body: large });
    let signal: AbortSignal | undefined;
    store.get = (_, { abortSignal }) => {
      signal = abortSignal;
      return new Promise(() => {});
    };
    const outcome = await pipeline(store, { attemptTimeoutInMs: 5 }).deserialize(sent);
    expect(outcome.status).toBe("unavailable");
    expect(signal!.aborted).toBe(true);
  });

  it("stops when the caller aborts", async () => {
    const { store } = mapStore();
    const sent = await pipeline(store).serialize({ body: large });
    store.get = () => new Promise(() => {});
    const outcome = await pipeline(store).deserialize(sent, { abortSignal: AbortSignal.abort() });
    expect(outcome.status).toBe("unavailable");
  });
});

function pipeline(store: ClaimCheckStore, options: Partial<PipelineOptions> = {}) {
  return createPipeline({ serializer: plainJson, claimCheck: { store, minBytes: 400 }, ...options });
}

/** A store in a map. */
function mapStore() {
  const bodies = new Map<string, Uint8Array>();
  const store: ClaimCheckStore = {
    async put(key, bytes) {
      bodies.set(key, bytes.slice());
    },
    get: async (key) => bodies.get(key),
    async delete(key) {
      bodies.delete(key);
    },
  };
  return { store, bodies };
}

async function sha256(bytes: Uint8Array): Promise<string> {
  return Buffer.from(await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>)).toString("hex");
}

function utf8(value: string): Uint8Array {
  return new TextEncoder().encode(value);
}
