import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { ClaimCheckStore } from "../contracts/claim-check-store.js";
import { unavailableFailure } from "../errors/failure.js";
import type { EncodedMessage, Message } from "../message/message.js";
import { bodyType, defineMessage } from "../message-types/define-message.js";
import type { MessageTypeResolver } from "../message-types/message-type-resolver.js";
import { plainJson } from "../plain-json.test-support.js";
import { bytes } from "../serializers/bytes-serializer.js";
import { text } from "../serializers/text-serializer.js";
import type { PipelineOptions } from "./options.js";
import { createPipeline } from "./pipeline.js";

const none = new Uint8Array(0);
const json = { ...plainJson, name: "json" };
const chain = { serializer: json, additionalDeserializers: [text(), bytes()] };

function read(message: Partial<EncodedMessage> = {}, options: Partial<PipelineOptions> = {}) {
  return createPipeline({ ...chain, ...options }).deserialize({ body: none, ...message });
}

function write(message: Omit<Message, "body"> = {}, options: Partial<PipelineOptions> = {}) {
  return createPipeline({ ...chain, ...options }).serialize({ ...message, body: undefined });
}

const key = new Uint8Array(32).fill(1);
const encryption = { keys: { currentKey: () => ({ id: "k1", key }), findKey: () => key } };

describe("a message without bytes", () => {
  it.each([undefined, "", "application/json", "application/x-order", "application/xml", "json"])(
    "has no body, with any content type: %j",
    (contentType) => {
      expect(read({ contentType })).toMatchObject({
        status: "decoded",
        body: undefined,
        report: {
          isEmpty: true,
          serializer: undefined,
          position: -1,
          bytes: 0,
          section: "data",
          attempts: [],
        },
      });
    },
  );

  it("is not refused by any policy on content types", () => {
    const contentTypePolicies = { missing: "reject", unknown: "reject", foreign: "reject" } as const;
    for (const label of [undefined, "application/x-order", "text/html"]) {
      expect(read({ contentType: label }, { contentTypePolicies })).toMatchObject({
        status: "decoded",
        body: undefined,
      });
    }
  });

  it("is not read by the serializer that a policy assumes", () => {
    expect(read({}, { contentTypePolicies: { missing: { assume: "text" } } })).toMatchObject({
      body: undefined,
      report: { isEmpty: true, assumed: undefined },
    });
  });

  it("is an empty string or an empty byte array if its content type declares it", () => {
    expect(read({ contentType: "text/plain" })).toMatchObject({
      body: "",
      report: { isEmpty: false, serializer: "text" },
    });
    expect(read({ contentType: "application/octet-stream" })).toMatchObject({ body: none });
  });

  it("is not decompressed, with any Content-Encoding", () => {
    expect(read({ applicationProperties: { "Content-Encoding": "gzip" } })).toMatchObject({
      body: undefined,
      report: { isEmpty: true },
    });
  });

  it("can be the result of decompression", () => {
    const message = { body: gzipSync(none), applicationProperties: { "Content-Encoding": "gzip" } };
    expect(read(message)).toMatchObject({ body: undefined, report: { isEmpty: true, bytes: 20 } });
  });

  it("has no body when it is read as a particular format", () => {
    const pipeline = createPipeline(chain);
    for (const isDeclared of [true, false]) {
      expect(
        pipeline.deserialize({ body: none }, { readAs: { serializer: "text", isDeclared } }),
      ).toMatchObject({
        status: "decoded",
        body: isDeclared ? "" : undefined,
      });
    }
    expect(() => pipeline.deserialize({ body: none }, { readAs: { serializer: "xml" } })).toThrow(
      'No serializer of the pipeline is named "xml".',
    );
  });
});

describe("a body that is undefined", () => {
  it("is written as no bytes, without a content type", () => {
    expect(write({ messageId: "m", subject: "ping" })).toEqual({
      messageId: "m",
      subject: "ping",
      body: none,
      contentType: undefined,
    });
  });

  it("keeps any content type that the message has", () => {
    expect(write({ contentType: "application/json" })).toMatchObject({ contentType: "application/json" });
    expect(write({ contentType: "application/x-order" })).toMatchObject({
      body: none,
      contentType: "application/x-order",
    });
  });

  it("is not compressed", () => {
    const compression = { coding: "gzip", minBytes: 0 } as const;
    expect(write({}, { compression })).not.toHaveProperty("applicationProperties");
    expect(write({ applicationProperties: { "Content-Encoding": "br", tenant: "t" } })).toMatchObject({
      body: none,
      applicationProperties: { tenant: "t" },
    });
  });

  it("is not written in a format, even if the call names a serializer", () => {
    const pipeline = createPipeline(chain);
    expect(pipeline.serialize({ body: undefined }, { writeAs: { serializer: "text" } })).toMatchObject({
      body: none,
    });
    expect(() => pipeline.serialize({ body: undefined }, { writeAs: { serializer: "xml" } })).toThrow(
      'no serializer of the pipeline is named "xml"',
    );
  });

  it("is read back as it was sent", () => {
    const sent = write({ applicationProperties: { tenant: "t" } }) as EncodedMessage;
    expect(read(sent)).toMatchObject({ status: "decoded", body: undefined, report: { isEmpty: true } });
  });
});

describe("a message that lost its body", () => {
  it("is refused if bodies are encrypted, and an encrypted empty body is read back", async () => {
    const sent = (await write({}, { encryption })) as EncodedMessage;
    expect((sent.body as Uint8Array).length).toBe(16);
    expect(await read(sent, { encryption })).toMatchObject({ status: "decoded", body: undefined });
    expect(await read({ ...sent, body: none }, { encryption })).toMatchObject({
      reason: "DecryptionFailed",
      report: { attempts: [{ reason: "decryption-failed" }] },
    });
    expect(read({}, { encryption })).toMatchObject({
      report: { attempts: [{ reason: "plaintext-refused" }] },
    });
  });

  it("is refused if only some of the encryption properties are left", async () => {
    const sent = (await write({}, { encryption })) as EncodedMessage;
    const { "waybill-encryption": _, ...applicationProperties } = sent.applicationProperties ?? {};
    const options = { encryption: { ...encryption, allowPlaintext: true } };
    expect(await read({ applicationProperties }, options)).toMatchObject({
      reason: "DecryptionFailed",
      report: { attempts: [{ reason: "encryption-malformed" }] },
    });
  });

  it("is refused if its claim check has no stored body or no key", async () => {
    const bodies = new Map<string, Uint8Array>();
    const store: ClaimCheckStore = {
      put: async (name, body) => void bodies.set(name, body),
      get: async (name) => bodies.get(name),
      delete: async () => {},
    };
    const options = { claimCheck: { store, minBytes: 0 } };
    expect(write({}, options)).not.toHaveProperty("applicationProperties");
    expect(bodies.size).toBe(0);

    const sent = (await createPipeline({ ...chain, ...options }).serialize({
      body: { a: 1 },
    })) as EncodedMessage;
    expect(sent.body).toEqual(none);
    bodies.clear();
    expect(await read(sent, options)).toMatchObject({
      reason: "ClaimCheckFailed",
      report: { attempts: [{ reason: "claim-check-missing" }] },
    });
    const { "waybill-claim-check": _, ...applicationProperties } = sent.applicationProperties ?? {};
    expect(read({ applicationProperties }, options)).toMatchObject({
      reason: "ClaimCheckFailed",
      report: { attempts: [{ reason: "claim-check-malformed" }] },
    });
  });
});

describe("a typed message without a body", () => {
  const ping = defineMessage("ping", {
    version: 2,
    schemas: { 1: bodyType<{ at: number } | undefined>(), 2: z.object({ at: z.string() }).optional() },
    upcasters: { 1: (body) => ({ at: String(body?.at) }) },
    downcasters: { 2: (body) => ({ at: Number(body?.at) }) },
  });
  const order = defineMessage("order", {
    version: 2,
    schemas: { 1: bodyType<{ id: number }>(), 2: z.object({ id: z.string() }) },
    upcasters: { 1: ({ id }) => ({ id: String(id) }) },
  });
  const typed = { messageTypes: [ping, order] };

  it("is sent with its type and read if its schema allows undefined", () => {
    const pipeline = createPipeline({ serializer: json, ...typed });
    const sent = pipeline.serialize(ping.message(undefined)) as EncodedMessage;
    expect(sent).toEqual({
      subject: "ping",
      body: none,
      contentType: undefined,
      applicationProperties: { messageVersion: 2 },
    });
    expect(pipeline.deserialize(sent)).toMatchObject({
      status: "decoded",
      body: undefined,
      report: { messageType: "ping", messageVersion: 2, isEmpty: true },
    });
  });

  it("is neither upcast nor downcast", () => {
    const pipeline = createPipeline({ serializer: json, ...typed });
    const older = pipeline.serialize(ping.message(undefined), { writeAs: { version: 1 } }) as EncodedMessage;
    expect(older).toMatchObject({ body: none, applicationProperties: { messageVersion: 1 } });
    expect(pipeline.deserialize(older)).toMatchObject({
      body: undefined,
      report: { messageVersion: 1, upcastPath: [] },
    });
  });

  it("is refused if a schema requires a body", () => {
    expect(() => write({ subject: "order" }, typed)).toThrow(
      '"order": The body breaks its schema at its root.',
    );
    const arriving = (messageVersion: number) =>
      read({ subject: "order", applicationProperties: { messageVersion } }, typed);
    expect(arriving(2)).toMatchObject({ reason: "ValidationFailed" });
    expect(arriving(1)).toMatchObject({
      reason: "UpcastFailed",
      report: { attempts: [{ reason: "upcast-invalid", detail: expect.stringContaining("Without a body") }] },
    });
  });

  it("has no envelope", () => {
    const messageTypeResolver: MessageTypeResolver = {
      identify: () => undefined,
      stamp: () => ({}),
      open: () => {
        throw unavailableFailure("It is not to be asked.");
      },
    };
    expect(read({}, { ...typed, messageTypeResolver })).toMatchObject({ status: "decoded", body: undefined });
    const messageTypePolicies = { missing: "reject" } as const;
    expect(read({}, { ...typed, messageTypeResolver, messageTypePolicies })).toMatchObject({
      reason: "UnknownMessageType",
    });
  });
});
