import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { inspect } from "node:util";
import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { ClaimCheckStore } from "../contracts/claim-check-store.js";
import type { Serializer } from "../contracts/serializer.js";
import { WaybillError } from "../errors/error.js";
import type { ApplicationProperties, EncodedMessage } from "../message/message.js";
import { bodyType, defineMessage } from "../message-types/define-message.js";
import { type MessageTypeResolver, propertyResolver } from "../message-types/message-type-resolver.js";
import type { PipelineOptions } from "../pipeline/options.js";
import { createPipeline } from "../pipeline/pipeline.js";
import { plainJson } from "../plain-json.test-support.js";
import type { EncryptionKeyProvider, EncryptionOptions } from "./encryption-options.js";
import { vectors } from "./vectors.test-support.js";

describe("encrypting", () => {
  it("writes a body that Node's AES-GCM decrypts, with algorithm, key and nonce", async () => {
    const sent = await pipeline().serialize({ body: { order: 1 }, subject: "order" });
    const properties = sent.applicationProperties!;
    expect(Object.keys(properties).sort()).toEqual([
      "waybill-encryption",
      "waybill-encryption-bound",
      "waybill-encryption-key-id",
      "waybill-encryption-nonce",
    ]);
    expect(properties["waybill-encryption"]).toBe("AES-256-GCM");
    expect(properties["waybill-encryption-key-id"]).toBe("k1");
    expect(properties["waybill-encryption-bound"]).toBe('["messageVersion","type"]');
    const bound = ["application/json", "order", "", '["messageVersion","type"]', "", "-", "-"];
    expect(nodeDecrypt(sent, key1, "k1", bound).toString()).toBe('{"order":1}');
  });

  it("takes a new nonce for every message", async () => {
    const nonces = new Set<unknown>();
    for (let i = 0; i < 50; i++) {
      const { applicationProperties } = await pipeline().serialize({ body: 1 });
      nonces.add(applicationProperties!["waybill-encryption-nonce"]);
    }
    expect(nonces.size).toBe(50);
  });

  it("compresses first", async () => {
    const compressing = pipeline({}, { compression: { coding: "gzip", minBytes: 0 } });
    const sent = await compressing.serialize({ body: { text: "lamp ".repeat(200) } });
    expect((sent.body as Uint8Array).length).toBeLessThan(100);
    expect(sent.applicationProperties!["Content-Encoding"]).toBe("gzip");
    const outcome = await compressing.deserialize(sent);
    expect(outcome).toMatchObject({ status: "decoded", body: { text: "lamp ".repeat(200) } });
  });

  it("keeps the message's properties and does not change the caller's message", async () => {
    const message = Object.freeze({ body: { n: 1 }, applicationProperties: Object.freeze({ tenant: "a" }) });
    const sent = await pipeline().serialize(message);
    expect(sent.applicationProperties).toMatchObject({ tenant: "a" });
    expect(message.applicationProperties).toEqual({ tenant: "a" });
  });

  it("removes the properties of a forwarded message that describe another body", async () => {
    const received = await pipeline().serialize({ body: { n: 1 } });
    const { applicationProperties } = received;
    const plain = await createPipeline({ serializer: plainJson }).serialize({
      body: { n: 2 },
      applicationProperties,
    });
    expect(plain.applicationProperties).toEqual({});
    const again = await pipeline().serialize({ body: { n: 2 }, applicationProperties });
    expect(again.applicationProperties).not.toEqual(applicationProperties);
    expect(await pipeline().deserialize(again)).toMatchObject({ body: { n: 2 } });
  });

  it("fails with unavailable when the provider throws, without the text of its error", async () => {
    const failing = { ...ring(), currentKey: () => Promise.reject(new Error(`vault token ${secret}`)) };
    const sending = pipeline({ keys: failing }).serialize({ body: 1, messageId: "m" });
    await expect(sending).rejects.toMatchObject({ code: "unavailable", messageId: "m", stage: "decrypt" });
    expect(inspect(await rejection(sending), { depth: 9 })).not.toContain(secret);
  });

  it.each([
    ["a key of 128 bits", new Uint8Array(16)],
    ["a string", "0".repeat(32)],
    ["nothing", undefined],
  ])("refuses %s for a key", async (_, key) => {
    const keys = { ...ring(), currentKey: () => ({ id: "k", key: key as Uint8Array }) };
    await expect(pipeline({ keys }).serialize({ body: 1 })).rejects.toThrow(WaybillError);
  });

  it("accepts a Web Crypto key that is not extractable", async () => {
    const usages = ["encrypt", "decrypt"] as const;
    const key = await crypto.subtle.generateKey({ name: "AES-GCM", length: 256 }, false, usages);
    const keys: EncryptionKeyProvider = { currentKey: () => ({ id: "vault", key }), findKey: () => key };
    const sent = await pipeline({ keys }).serialize({ body: { n: 1 } });
    expect(await pipeline({ keys }).deserialize(sent)).toMatchObject({ status: "decoded", body: { n: 1 } });
  });
});

describe("decrypting", () => {
  it("reads what was written, and reports the key id", async () => {
    const sent = await pipeline().serialize({ body: { order: 1 }, subject: "order" });
    const outcome = await pipeline().deserialize(sent);
    expect(outcome).toMatchObject({
      status: "decoded",
      body: { order: 1 },
      report: {
        serializer: "text",
        position: 0,
        encryptionKeyId: "k1",
        attempts: [],
      },
    });
  });

  it.each(vectors())("reads a body that OpenSSL encrypted: $name", async ({ plain, key, message, store }) => {
    const bytes: Serializer = {
      ...plainJson,
      conforming: true,
      deserialize: (input) => ({ hex: hex(input) }),
    };
    const reading = createPipeline({
      serializer: bytes,
      encryption: { keys: { ...ring(), findKey: () => Buffer.from(key, "hex") } },
      claimCheck: { store },
    });
    // Content-Encoding is part of the authenticated data; without one, the serializer gets the bytes unchanged.
    const outcome = await reading.deserialize(message);
    expect(outcome).toMatchObject({ status: "decoded", body: { hex: plain } });
  });

  it("reads what Node's AES-GCM encrypted, with any texts", async () => {
    const anyText = fc.string({ unit: "binary", maxLength: 40 });
    const cases = fc.asyncProperty(fc.jsonValue(), anyText, anyText, async (value, subject, parameter) => {
      const contentType = `application/json; note="${parameter.replaceAll(/[^a-z0-9]/g, "")}"`;
      const sent = nodeEncrypt(Buffer.from(JSON.stringify({ value })), key1, "k1", { contentType, subject });
      const outcome = await pipeline().deserialize(sent);
      expect(outcome).toMatchObject({ status: "decoded" });
      expect(JSON.stringify((outcome as { body?: unknown }).body)).toBe(JSON.stringify({ value }));
    });
    await fc.assert(cases, { numRuns: 100 });
  });

  it("refuses a body with one changed bit, and never reads it as another format", async () => {
    const sent = await pipeline().serialize({ body: { order: 1 }, subject: "order" });
    const { length } = sent.body as Uint8Array;
    for (let bit = 0; bit < length * 8; bit++) {
      const body = (sent.body as Uint8Array).slice();
      body[bit >> 3]! ^= 1 << (bit & 7);
      expect(await reasonsFor({ ...sent, body })).toEqual(["decryption-failed"]);
    }
    for (const cut of [0, 1, 15, 16, length - 1]) {
      const body = (sent.body as Uint8Array).subarray(0, cut);
      expect(await reasonsFor({ ...sent, body })).toEqual(["decryption-failed"]);
    }
  });

  it("refuses a body with another content type, message type, encoding, key id or nonce", async () => {
    const sent = await pipeline().serialize({ body: { order: 1 }, subject: "order" });
    const otherNonce = randomBytes(12).toString("base64");
    const changes: Partial<EncodedMessage>[] = [
      { contentType: "application/vnd.msgpack" },
      { contentType: undefined },
      { subject: "refund" },
      { subject: undefined },
      { applicationProperties: { ...sent.applicationProperties, "Content-Encoding": "identity" } },
      { contentEncoding: "identity" },
      { applicationProperties: { ...sent.applicationProperties, "waybill-encryption-key-id": "k2" } },
      { applicationProperties: { ...sent.applicationProperties, "waybill-encryption-nonce": otherNonce } },
      { applicationProperties: { ...sent.applicationProperties, "waybill-encryption-bound": "[]" } },
      { applicationProperties: { ...sent.applicationProperties, messageVersion: 1 } },
    ];
    for (const change of changes) {
      expect(await reasonsFor({ ...sent, ...change } as EncodedMessage)).toEqual(["decryption-failed"]);
    }
  });

  it("refuses a body with a null added for a bound property that was absent, and reads one that was sent as null", async () => {
    const sent = await pipeline().serialize({ body: { order: 1 }, subject: "order" });
    const added = { ...sent.applicationProperties, messageVersion: null };
    expect(await reasonsFor({ ...sent, applicationProperties: added })).toEqual(["decryption-failed"]);
    const withNull = await pipeline().serialize({
      body: 1,
      subject: "order",
      applicationProperties: { messageVersion: null },
    });
    expect(await pipeline().deserialize(withNull)).toMatchObject({ status: "decoded", body: 1 });
    const removed = without(withNull, "messageVersion");
    expect(await reasonsFor({ ...withNull, applicationProperties: removed })).toEqual(["decryption-failed"]);
  });

  it("is dead-lettered as DecryptionFailed, without payload", async () => {
    const sent = await pipeline().serialize({ body: { note: secret } });
    const outcome = await pipeline().deserialize({ ...sent, subject: "other" });
    expect(outcome).toMatchObject({ status: "undeserializable", reason: "DecryptionFailed" });
    expect(inspect(outcome, { depth: 9 })).not.toContain(secret);
  });

  it.each([
    ["another algorithm", { "waybill-encryption": "ROT-13" }, "encryption-unsupported"],
    ["no key id", { "waybill-encryption-key-id": null }, "encryption-malformed"],
    ["a key id that is too long", { "waybill-encryption-key-id": "k".repeat(257) }, "encryption-malformed"],
    ["no nonce", { "waybill-encryption-nonce": null }, "encryption-malformed"],
    ["a short nonce", { "waybill-encryption-nonce": "AAAA" }, "encryption-malformed"],
    [
      "a nonce that is not base64",
      { "waybill-encryption-nonce": "????????????????" },
      "encryption-malformed",
    ],
    ["an invalid list of bound properties", { "waybill-encryption-bound": "{}" }, "encryption-malformed"],
    [
      "a list that is too long",
      { "waybill-encryption-bound": JSON.stringify(["n".repeat(5000)]) },
      "encryption-malformed",
    ],
    ["an unknown key", { "waybill-encryption-key-id": "k9" }, "key-unknown"],
  ])("refuses %s", async (_, change, reason) => {
    const sent = await pipeline().serialize({ body: { order: 1 } });
    const applicationProperties = { ...sent.applicationProperties, ...change };
    expect(await reasonsFor({ ...sent, applicationProperties })).toEqual([reason]);
  });

  it("reports that no keys are configured, instead of guessing", async () => {
    const sent = await pipeline().serialize({ body: { order: 1 } });
    const outcome = await createPipeline({ serializer: plainJson }).deserialize(sent);
    expect(outcome).toMatchObject({ status: "undeserializable", reason: "DecryptionFailed" });
    expect(outcome.report.attempts).toMatchObject([{ reason: "encryption-unsupported", stage: "decrypt" }]);
  });

  it("is unavailable while the provider fails, without the text of its error", async () => {
    const sent = await pipeline().serialize({ body: { order: 1 } });
    const keys = { ...ring(), findKey: () => Promise.reject(new Error(`vault token ${secret}`)) };
    const outcome = await pipeline({ keys }).deserialize(sent);
    expect(outcome).toMatchObject({
      status: "unavailable",
      error: { code: "unavailable", stage: "decrypt" },
    });
    expect(inspect(outcome, { depth: 9 })).not.toContain(secret);
  });

  it("is unavailable when the provider does not respond in time", async () => {
    const sent = await pipeline().serialize({ body: { order: 1 } });
    let signal: AbortSignal | undefined;
    const findKey: EncryptionKeyProvider["findKey"] = (_, { abortSignal }) => {
      signal = abortSignal;
      return new Promise(() => {});
    };
    const outcome = await pipeline({ keys: { ...ring(), findKey } }, { attemptTimeoutInMs: 5 }).deserialize(
      sent,
    );
    expect(outcome).toMatchObject({
      status: "unavailable",
      error: { message: /did not answer within 5 ms/ },
    });
    expect(signal!.aborted).toBe(true);
  });
});

describe("the message version", () => {
  /** Version 1 counts in euros, version 2 in cents. */
  const price = defineMessage("price", {
    version: 2,
    schemas: { 1: bodyType<{ euros: number }>(), 2: bodyType<{ cents: number }>() },
    upcasters: { 1: ({ euros }) => ({ cents: euros * 100 }) },
    unversioned: 1,
  });
  const typed = (encryption: Partial<EncryptionOptions> = {}, options: Partial<PipelineOptions> = {}) =>
    pipeline(encryption, { messageTypes: [price], ...options });
  const withVersion = (sent: EncodedMessage, version: unknown) => ({
    ...sent,
    applicationProperties: { ...sent.applicationProperties, messageVersion: version },
  });

  it("cannot be changed in transit", async () => {
    const sent = await typed().serialize({ body: { cents: 5 }, subject: "price" });
    expect(await typed().deserialize(sent)).toMatchObject({ status: "decoded", body: { cents: 5 } });
    const removed = { ...sent, applicationProperties: without(sent, "messageVersion") };
    for (const changed of [withVersion(sent, 1), withVersion(sent, "2"), removed]) {
      const outcome = await typed().deserialize(changed as EncodedMessage);
      expect(outcome).toMatchObject({ status: "undeserializable", reason: "DecryptionFailed" });
    }
  });

  it("cannot be added in transit to a message that was sent without one", async () => {
    const sent = await pipeline().serialize({ body: { euros: 5 }, subject: "price" });
    const outcome = await typed().deserialize(withVersion(sent, 2) as EncodedMessage);
    expect(outcome).toMatchObject({ status: "undeserializable", reason: "DecryptionFailed" });
  });

  it("is bound in every property that the resolver reads", async () => {
    const resolvers: MessageTypeResolver[] = [
      propertyResolver({ typeProperty: "kind", versionProperty: "revision" }),
      {
        identify: ({ applicationProperties: { kind, revision } = {} }) =>
          kind === undefined ? undefined : { messageType: String(kind), version: Number(revision) },
        stamp: ({ messageType, version }) => ({
          applicationProperties: { kind: messageType, revision: version ?? null },
        }),
      },
    ];
    for (const messageTypeResolver of resolvers) {
      const one = typed({}, { messageTypeResolver });
      const sent = await one.serialize({ body: { cents: 5 }, subject: "price" });
      expect(await one.deserialize(sent)).toMatchObject({ status: "decoded", body: { cents: 5 } });
      const applicationProperties = { ...sent.applicationProperties, revision: 1 };
      expect(await one.deserialize({ ...sent, applicationProperties })).toMatchObject({
        reason: "DecryptionFailed",
      });
    }
  });

  it("is refused if the sender did not bind its property, until the sender lists the property", async () => {
    const reader = typed({}, { messageTypeResolver: propertyResolver({ versionProperty: "revision" }) });
    const message = { body: { cents: 5 }, subject: "price", applicationProperties: { revision: 2 } };
    const refused = await reader.deserialize(await pipeline().serialize(message));
    expect(refused.report.attempts).toMatchObject([
      { reason: "decryption-failed", detail: expect.stringContaining("encryption.boundProperties") },
    ]);
    const unbound = await pipeline().serialize(message);
    const removed = { ...unbound, applicationProperties: without(unbound, "revision") };
    expect(await reader.deserialize(removed)).toMatchObject({ reason: "DecryptionFailed" });
    const sent = await pipeline({ boundProperties: ["revision"] }).serialize(message);
    expect(await reader.deserialize(sent)).toMatchObject({ status: "decoded", body: { cents: 5 } });
  });

  it("is also bound in the application property type, which cannot be added or changed in transit", async () => {
    const message = { body: { cents: 5 }, subject: "eu", applicationProperties: { type: "price" } };
    const sent = await typed().serialize(message);
    expect(await typed().deserialize(sent)).toMatchObject({ body: { cents: 5 } });
    const changed = { ...sent, applicationProperties: { ...sent.applicationProperties, type: "other" } };
    expect(await typed().deserialize(changed)).toMatchObject({ status: "undeserializable" });
    const untyped = await pipeline().serialize({ body: { cents: 5 } });
    const added = { ...untyped, applicationProperties: { ...untyped.applicationProperties, type: "price" } };
    expect(await typed().deserialize(added as EncodedMessage)).toMatchObject({ reason: "DecryptionFailed" });
  });

  it("does not prevent intermediaries from adding and changing other properties", async () => {
    const sent = await typed().serialize({
      body: { cents: 5 },
      subject: "price",
      applicationProperties: { priority: "low" },
    });
    const applicationProperties = { ...sent.applicationProperties, priority: "high", traceparent: "00-1" };
    expect(await typed().deserialize({ ...sent, applicationProperties })).toMatchObject({
      body: { cents: 5 },
    });
  });

  it("hides application properties to which the body is not bound from serializers", async () => {
    const region: Serializer = {
      ...plainJson,
      conforming: true,
      deserialize: (_, { applicationProperties }) => ({ region: applicationProperties.region }),
    };
    const message = { body: { cents: 5 }, applicationProperties: { region: "eu" } };
    for (const [boundProperties, seen] of [
      [[], undefined],
      [["region"], "eu"],
    ] as const) {
      const sent = await pipeline({ boundProperties }).serialize(message);
      const outcome = await pipeline({ boundProperties }, { serializer: region }).deserialize(sent);
      expect(outcome).toMatchObject({ status: "decoded", body: { region: seen } });
    }
  });

  it("is required: a body without the list of what it is bound to is refused", async () => {
    const sent = await typed().serialize({ body: { cents: 5 }, subject: "price" });
    const { "waybill-encryption-bound": _, ...applicationProperties } = sent.applicationProperties ?? {};
    const outcome = await typed().deserialize({ ...sent, applicationProperties });
    expect(outcome.report.attempts).toMatchObject([{ reason: "encryption-malformed" }]);
  });

  it("stays bound when the body is in a claim-check store, together with its key there", async () => {
    const bodies = new Map<string, Uint8Array>();
    const store: ClaimCheckStore = {
      put: async (key, body) => void bodies.set(key, body),
      get: async (key) => bodies.get(key),
      delete: async (key) => void bodies.delete(key),
    };
    const one = typed({}, { claimCheck: { store, minBytes: 1 } });
    const sent = await one.serialize({ body: { cents: 5 }, subject: "price" });
    expect(await one.deserialize(sent)).toMatchObject({ status: "decoded", body: { cents: 5 } });
    const [[key, body]] = [...bodies] as [[string, Uint8Array]];
    bodies.set("elsewhere", body);
    const applicationProperties = { ...sent.applicationProperties, "waybill-claim-check": "elsewhere" };
    const moved = await one.deserialize({ ...sent, applicationProperties });
    expect(moved).toMatchObject({ reason: "DecryptionFailed" });
    const inline = Object.entries(sent.applicationProperties ?? {}).filter(
      ([name]) => !name.startsWith("waybill-claim-check"),
    );
    const brought = await one.deserialize({
      ...sent,
      body,
      applicationProperties: Object.fromEntries(inline),
    });
    expect(brought).toMatchObject({ reason: "DecryptionFailed" });
    expect(key).toMatch(/^\d{4}-/);
  });
});

describe("plaintext", () => {
  const plain: EncodedMessage = { body: utf8('{"order":1}'), contentType: "application/json" };

  it("is refused by a pipeline that encrypts", async () => {
    const outcome = await pipeline().deserialize(plain);
    expect(outcome).toMatchObject({ status: "undeserializable", reason: "DecryptionFailed" });
    expect(outcome.report.attempts).toMatchObject([{ reason: "plaintext-refused", serializer: undefined }]);
  });

  it("is also refused in AMQP value sections", async () => {
    const outcome = await pipeline().deserialize({ body: { section: "value", value: { order: 1 } } });
    expect(outcome.report.attempts).toMatchObject([{ reason: "plaintext-refused" }]);
  });

  it("is refused in an AMQP value section that is declared as encrypted", async () => {
    const { applicationProperties } = await pipeline().serialize({ body: { order: 1 } });
    for (const reader of [pipeline(), pipeline({ allowPlaintext: true })]) {
      const outcome = await reader.deserialize({
        body: { section: "value", value: { order: 2 } },
        applicationProperties,
      });
      expect(outcome).toMatchObject({ status: "undeserializable", reason: "DecryptionFailed" });
      expect(outcome.report.attempts).toMatchObject([{ reason: "encryption-malformed" }]);
    }
  });

  it("is read if it is allowed, like encrypted bodies", async () => {
    const lenient = pipeline({ allowPlaintext: true });
    expect(await lenient.deserialize(plain)).toMatchObject({ status: "decoded", body: { order: 1 } });
    const sent = await lenient.serialize({ body: { order: 2 } });
    expect(await lenient.deserialize(sent)).toMatchObject({ status: "decoded", body: { order: 2 } });
  });

  it("is not assumed for an encrypted body that fails, even if plaintext is allowed", async () => {
    const sent = await pipeline().serialize({ body: { order: 1 } });
    const readable = { ...sent, body: utf8('{"order":1}') };
    const outcome = await pipeline({ allowPlaintext: true }).deserialize(readable);
    expect(outcome.report.attempts).toMatchObject([{ reason: "decryption-failed" }]);
  });
});

describe("the key ring", () => {
  afterEach(() => void vi.restoreAllMocks());

  it("calls the provider once for concurrent requests, and caches the result", async () => {
    const { keys, asked } = counted();
    const one = pipeline({ keys });
    const sent = await Promise.all([1, 2, 3].map((n) => one.serialize({ body: { n } })));
    await Promise.all(sent.map((message) => one.deserialize(message)));
    await Promise.all(sent.map((message) => one.deserialize(message)));
    expect(asked).toEqual(["current", "k1"]);
  });

  it("calls the provider again after the cache time, and then encrypts with the new key", async () => {
    const { keys, asked, rotate } = counted();
    const one = pipeline({ keys, keyCacheDurationInMs: 60_000 });
    const before = await one.serialize({ body: { n: 1 } });
    rotate();
    const now = performance.now();
    expect(keyIdOf(await one.serialize({ body: { n: 2 } }))).toBe("k1");
    vi.spyOn(performance, "now").mockImplementation(() => now + 60_001);
    expect(keyIdOf(await one.serialize({ body: { n: 3 } }))).toBe("k2");
    expect(await one.deserialize(before)).toMatchObject({ status: "decoded", body: { n: 1 } });
    expect(asked).toEqual(["current", "current", "k1"]);
  });

  it("does not cache failures and unknown keys", async () => {
    const { keys, asked } = counted();
    const one = pipeline({ keys });
    const sent = await one.serialize({ body: { n: 1 } });
    const applicationProperties = { ...sent.applicationProperties, "waybill-encryption-key-id": "k9" };
    await one.deserialize({ ...sent, applicationProperties });
    await one.deserialize({ ...sent, applicationProperties });
    expect(asked).toEqual(["current", "k9", "k9"]);
  });

  it("caches keys up to the limit", async () => {
    const { keys, asked } = counted();
    const one = pipeline({ keys, keyCacheSize: 1 });
    const first = await one.serialize({ body: { n: 1 } });
    const second = nodeEncrypt(Buffer.from("{}"), key2, "k2", {
      contentType: "application/json",
      subject: "",
    });
    for (const message of [first, second, second, first]) await one.deserialize(message);
    expect(asked).toEqual(["current", "k1", "k2", "k1"]);
  });

  it("is checked when the pipeline is created", () => {
    expect(() => pipeline({ boundProperties: ["", "a"] })).toThrow("encryption.boundProperties must be");
    expect(() => pipeline({ keys: {} as EncryptionKeyProvider })).toThrow(TypeError);
    expect(() => pipeline({ keyCacheDurationInMs: -1 })).toThrow(TypeError);
  });
});

const secret = "s3cr3t-k3y";
const key1 = Buffer.alloc(32, 1);
const key2 = Buffer.alloc(32, 2);

function ring(): EncryptionKeyProvider {
  const keys: Record<string, Uint8Array> = { k1: key1, k2: key2 };
  return { currentKey: () => ({ id: "k1", key: key1 }), findKey: async (id) => keys[id] };
}

/** A provider that records its calls. */
function counted() {
  const asked: string[] = [];
  let current = { id: "k1", key: key1 };
  const keys: EncryptionKeyProvider = {
    async currentKey() {
      asked.push("current");
      return current;
    },
    async findKey(id, options) {
      asked.push(id);
      return ring().findKey(id, options);
    },
  };
  return {
    keys,
    asked,
    rotate: () => {
      current = { id: "k2", key: key2 };
    },
  };
}

function pipeline(encryption: Partial<EncryptionOptions> = {}, options: Partial<PipelineOptions> = {}) {
  return createPipeline({ serializer: plainJson, encryption: { keys: ring(), ...encryption }, ...options });
}

async function reasonsFor(message: EncodedMessage): Promise<string[]> {
  const outcome = await pipeline().deserialize(message);
  expect(outcome.status).toBe("undeserializable");
  return outcome.report.attempts.map(({ reason }) => reason);
}

function without({ applicationProperties = {} }: EncodedMessage, name: string): ApplicationProperties {
  return Object.fromEntries(Object.entries(applicationProperties).filter(([other]) => other !== name));
}

function keyIdOf(message: EncodedMessage): unknown {
  return message.applicationProperties!["waybill-encryption-key-id"];
}

/** The associated data, implemented again from its description in the docs. */
function lengthPrefixed(texts: readonly string[]): Buffer {
  return Buffer.concat(
    texts.flatMap((one) => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(Buffer.byteLength(one));
      return [length, Buffer.from(one)];
    }),
  );
}

function nodeDecrypt(sent: EncodedMessage, key: Buffer, keyId: string, bound: readonly string[]): Buffer {
  const nonce = Buffer.from(String(sent.applicationProperties!["waybill-encryption-nonce"]), "base64");
  const body = Buffer.from(sent.body as Uint8Array);
  const decipher = createDecipheriv("aes-256-gcm", key, nonce);
  decipher.setAAD(lengthPrefixed(["AES-256-GCM", keyId, ...bound]));
  decipher.setAuthTag(body.subarray(-16));
  return Buffer.concat([decipher.update(body.subarray(0, -16)), decipher.final()]);
}

function nodeEncrypt(
  plain: Buffer,
  key: Buffer,
  keyId: string,
  { contentType, subject }: { contentType: string; subject: string },
): EncodedMessage {
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  cipher.setAAD(lengthPrefixed(["AES-256-GCM", keyId, contentType, subject, "", "[]", ""]));
  const body = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  return {
    body,
    contentType,
    subject,
    applicationProperties: {
      "waybill-encryption": "AES-256-GCM",
      "waybill-encryption-key-id": keyId,
      "waybill-encryption-nonce": nonce.toString("base64"),
      "waybill-encryption-bound": "[]",
    },
  };
}

function utf8(value: string): Uint8Array {
  return new TextEncoder().encode(value);
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}

async function rejection(call: PromiseLike<unknown> | unknown): Promise<unknown> {
  try {
    await call;
  } catch (error) {
    return error;
  }
  throw new Error("It resolved.");
}
