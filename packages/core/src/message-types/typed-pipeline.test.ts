import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { SerializeContext, Serializer } from "../contracts/serializer.js";
import { unavailableFailure } from "../errors/failure.js";
import type { EncodedMessage, Message } from "../message/message.js";
import type { DeserializationOutcome } from "../message/outcome.js";
import type { PipelineOptions } from "../pipeline/options.js";
import { createPipeline } from "../pipeline/pipeline.js";
import { plainJson as text } from "../plain-json.test-support.js";
import { bodyType, defineMessage } from "./define-message.js";
import type { MessageType } from "./message-type.js";
import { type MessageTypeResolver, propertyResolver } from "./message-type-resolver.js";

const utf8 = new TextEncoder();

interface OrderV1 {
  readonly id: number;
  readonly total: string;
}

const orderPlaced = defineMessage("order-placed", {
  version: 3,
  schemas: {
    1: z.object({ id: z.number(), total: z.string() }),
    2: bodyType<{ id: number; cents: number }>(),
    3: z.object({ orderId: z.string(), cents: z.number().int() }),
  },
  upcasters: {
    1: ({ id, total }) => ({ id, cents: Math.round(Number(total) * 100) }),
    2: ({ id, cents }) => ({ orderId: `o-${id}`, cents }),
  },
  downcasters: {
    3: ({ orderId, cents }) => ({ id: Number(orderId.slice(2)), cents }),
  },
  aliases: ["OrderPlaced"],
});

function pipelineOf(type: MessageType, options: Partial<PipelineOptions> = {}) {
  return createPipeline({ serializer: text, messageTypes: [type], ...options });
}

function received(
  body: unknown,
  version?: number | string | bigint,
  subject = "order-placed",
): EncodedMessage {
  return {
    body: utf8.encode(JSON.stringify(body)),
    contentType: "application/json",
    subject,
    applicationProperties: version === undefined ? {} : { messageVersion: version },
  };
}

function read(
  message: EncodedMessage,
  options: Partial<PipelineOptions> = {},
  type: MessageType = orderPlaced,
) {
  return pipelineOf(type, options).deserialize(message) as DeserializationOutcome;
}

const oldOrder: OrderV1 = { id: 7, total: "12.50" };
const newOrder = { orderId: "o-7", cents: 1250 };

describe("reading a typed message", () => {
  it("converts every version to the current one and reports the path", () => {
    expect(read(received(oldOrder, 1))).toMatchObject({
      status: "decoded",
      body: newOrder,
      report: { messageType: "order-placed", messageVersion: 1, upcastPath: [1, 2, 3], attempts: [] },
    });
    expect(read(received({ id: 7, cents: 1250 }, 2))).toMatchObject({
      body: newOrder,
      report: { messageVersion: 2, upcastPath: [2, 3] },
    });
    expect(read(received(newOrder, 3))).toMatchObject({
      body: newOrder,
      report: { messageVersion: 3, upcastPath: [] },
    });
  });

  it.each([1, 1n, "1", undefined])("reads the version %s as 1", (version) => {
    expect(read(received(oldOrder, version))).toMatchObject({
      body: newOrder,
      report: { messageVersion: 1 },
    });
  });

  it("finds a type by its alias and reports its name", () => {
    expect(read(received(oldOrder, 1, "OrderPlaced"))).toMatchObject({
      body: newOrder,
      report: { messageType: "order-placed" },
    });
  });

  it("stays synchronous as long as the upcasters do", async () => {
    const slow = defineMessage("a", {
      version: 2,
      schemas: { 1: {}, 2: {} },
      upcasters: { 1: async (body) => [body] },
    });
    const outcome = pipelineOf(slow).deserialize(received({}, 1, "a"));
    expect(outcome).toBeInstanceOf(Promise);
    expect(await outcome).toMatchObject({ status: "decoded", body: [{}] });
    expect(read(received(oldOrder, 1))).not.toBeInstanceOf(Promise);
  });

  it("passes the application properties to upcasters, and the version and its schema to serializers", () => {
    const seen: unknown[] = [];
    const type = defineMessage("a", {
      version: 2,
      schemas: { 1: { text: "schema of 1" }, 2: {} },
      upcasters: { 1: (_, { applicationProperties }) => applicationProperties },
    });
    const spy: Serializer = {
      ...text,
      deserialize: (bytes, context) => {
        seen.push([context.messageType, context.messageVersion, context.schema]);
        return text.deserialize(bytes, context);
      },
    };
    expect(read(received({}, 1, "a"), { serializer: spy }, type)).toMatchObject({
      body: { messageVersion: 1 },
    });
    expect(seen).toEqual([["a", 1, "schema of 1"]]);
  });

  it("upcasts bodies of AMQP value sections too", () => {
    const { subject, applicationProperties } = received(oldOrder, 1);
    const message: EncodedMessage = {
      subject,
      applicationProperties,
      body: { section: "value", value: oldOrder },
    };
    expect(read(message)).toMatchObject({
      body: newOrder,
      report: { serializer: undefined, upcastPath: [1, 2, 3] },
    });
    expect(read({ ...message, body: { section: "value", value: { id: "7" } } })).toMatchObject({
      reason: "ValidationFailed",
    });
  });

  it("does not change rawBody when an upcaster changes the value", () => {
    const type = defineMessage("a", {
      version: 2,
      schemas: { 1: bodyType<{ n: number }>(), 2: {} },
      upcasters: { 1: (body) => Object.assign(body, { n: 99 }) },
    });
    const message = received({ n: 1 }, 1, "a");
    const bytes = Uint8Array.from(message.body as Uint8Array);
    expect(read(message, {}, type)).toMatchObject({ body: { n: 99 } });
    expect(message.body).toEqual(bytes);
  });
});

describe("a typed message is refused", () => {
  const refused: [string, EncodedMessage, Partial<PipelineOptions>, string, string, string][] = [
    [
      "when its type is not defined",
      received(oldOrder, 1, "order-shipped"),
      {},
      "UnknownMessageType",
      "select",
      "message-type-unknown",
    ],
    [
      "when it has no type although a type is required",
      received(oldOrder, 1, ""),
      { messageTypePolicies: { missing: "reject" } },
      "UnknownMessageType",
      "select",
      "message-type-missing",
    ],
    [
      "when its version is newer",
      received(newOrder, 4),
      {},
      "UnknownMessageVersion",
      "select",
      "message-version-unknown",
    ],
    [
      "when its version is not valid",
      received(newOrder, "three"),
      {},
      "UnknownMessageVersion",
      "select",
      "message-version-malformed",
    ],
    [
      "when it breaks the schema of its version",
      received({ id: "7", total: "1" }, 1),
      {},
      "ValidationFailed",
      "validate",
      "schema-violation",
    ],
    ["when its upcaster throws", received(null, 2), {}, "UpcastFailed", "upcast", "upcast-failed"],
    [
      "when it breaks the reader's schema after upcasting",
      received({ id: 7, total: "free" }, 1),
      {},
      "UpcastFailed",
      "upcast",
      "upcast-invalid",
    ],
  ];
  it.each(refused)("%s", (_, message, options, deadLetterReason, stage, reason) => {
    const outcome = read(message, options);
    expect(outcome).toMatchObject({ status: "undeserializable", reason: deadLetterReason });
    expect(outcome.report.attempts.at(-1)).toMatchObject({ stage, reason });
  });

  it("with the step but without the upcaster's text, which may quote the payload", () => {
    const type = defineMessage("a", {
      version: 2,
      schemas: { 1: {}, 2: {} },
      upcasters: {
        1: () => {
          throw new RangeError("secret 4711");
        },
      },
    });
    const outcome = read(received({}, 1, "a"), {}, type);
    expect(outcome).toMatchObject({
      description:
        'Refused the body of "a" version 1 (2 bytes, content type "application/json").\n' +
        "text [0] upcast: upcast-failed: The upcaster from version 1 to 2 threw a RangeError.",
    });
    expect(JSON.stringify(outcome)).not.toContain("4711");
  });

  it("when an upcaster returns undefined, rejects, or takes too long", async () => {
    const failing = (cast: () => unknown) =>
      defineMessage("a", { version: 2, schemas: { 1: {}, 2: {} }, upcasters: { 1: cast } });
    const outcome = (cast: () => unknown) =>
      pipelineOf(failing(cast), { attemptTimeoutInMs: 5 }).deserialize(received({}, 1, "a"));
    expect(await outcome(() => undefined)).toMatchObject({ reason: "UpcastFailed" });
    expect(await outcome(async () => Promise.reject(new Error("no")))).toMatchObject({
      reason: "UpcastFailed",
    });
    expect(await outcome(() => new Promise(() => {}))).toMatchObject({ status: "unavailable" });
  });

  it("only temporarily, when an upcaster throws that a dependency is unavailable", () => {
    const type = defineMessage("a", {
      version: 2,
      schemas: { 1: {}, 2: {} },
      upcasters: {
        1: () => {
          throw unavailableFailure("The price list does not answer.");
        },
      },
    });
    expect(read(received({}, 1, "a"), {}, type)).toMatchObject({ status: "unavailable" });
  });

  it("only temporarily, when newer versions are abandoned for an instance that has them", () => {
    const options: Partial<PipelineOptions> = { messageTypePolicies: { newer: "abandon" } };
    expect(read(received(newOrder, 4), options)).toMatchObject({ status: "unavailable" });
  });

  it("without trying other serializers after it was read and could not be upcast", () => {
    const other: Serializer = {
      ...text,
      name: "other",
      mediaTypes: ["application/x-other"],
      leadingBytes: [0x23],
    };
    const { report } = read(received(null, 2), { additionalDeserializers: [other] });
    expect(report.attempts).toHaveLength(1);
  });
});

describe("after a version was removed", () => {
  const contracted = {
    version: 2,
    schemas: { 2: bodyType<{ cents: number }>() },
  } as const;
  const old = received({ cents: 1200 }, undefined);

  it("its messages and those without a version are dead-lettered as such, and never read as another version", () => {
    const type = defineMessage("order-placed", { ...contracted, removed: [1] });
    for (const message of [old, received({ cents: 1200 }, 1)]) {
      expect(read(message, {}, type)).toMatchObject({
        status: "undeserializable",
        reason: "UnknownMessageVersion",
        report: { attempts: [{ stage: "select", reason: "message-version-removed" }] },
      });
    }
    expect(read(old, {}, type)).toMatchObject({
      description: expect.stringContaining(
        'It is of version 1 of "order-placed", as messages without a version are, which was removed here. Give the definition that ' +
          "version and its upcaster back, and repair the message.",
      ),
    });
    expect(read(received({ cents: 1200 }, 1), {}, type)).toMatchObject({
      description: expect.stringContaining('It is of version 1 of "order-placed" which was removed here.'),
    });
    expect(read(received({ cents: 1 }, 2), {}, type)).toMatchObject({ body: { cents: 1 } });
  });

  it("messages without a version are dead-lettered if the definition does not say what they are", () => {
    const type = defineMessage("order-placed", { ...contracted, unused: [1] });
    expect(read(old, {}, type)).toMatchObject({
      reason: "UnknownMessageVersion",
      report: { attempts: [{ stage: "select", reason: "message-version-missing" }] },
    });
    expect(read(received({ cents: 1200 }, 1), {}, type)).toMatchObject({
      report: { attempts: [{ reason: "message-version-unknown" }] },
    });
  });

  it("messages without a version are read as the one that the definition names", () => {
    const type = defineMessage("order-placed", { ...contracted, removed: [1], unversioned: 2 });
    expect(read(old, {}, type)).toMatchObject({ body: { cents: 1200 } });
  });

  it("a newer version is still abandoned for an instance that has it", () => {
    const type = defineMessage("order-placed", { ...contracted, removed: [1] });
    const newer: Partial<PipelineOptions> = { messageTypePolicies: { newer: "abandon" } };
    expect(read(received({}, 3), newer, type)).toMatchObject({ status: "unavailable" });
    expect(read(old, newer, type)).toMatchObject({ status: "undeserializable" });
  });
});

describe("a message without a known type", () => {
  it("is untyped if it has no type", () => {
    expect(read(received({ any: 1 }, undefined, ""))).toMatchObject({
      status: "decoded",
      body: { any: 1 },
      report: { messageType: undefined, messageVersion: undefined, upcastPath: [] },
    });
  });

  it("is untyped if unknown types are accepted, in both directions", () => {
    const options: Partial<PipelineOptions> = { messageTypePolicies: { unknown: "pass" } };
    expect(read(received({ any: 1 }, 5, "note"), options)).toMatchObject({
      status: "decoded",
      body: { any: 1 },
    });
    expect(pipelineOf(orderPlaced, options).serialize({ subject: "note", body: 1 })).toMatchObject({
      subject: "note",
    });
  });
});

describe("writing a typed message", () => {
  const write = (message: Message, options?: Parameters<ReturnType<typeof pipelineOf>["serialize"]>[1]) =>
    pipelineOf(orderPlaced).serialize(message, options) as EncodedMessage;

  it("validates it and sets type and version", () => {
    const message = orderPlaced.message(newOrder, { messageId: "m", applicationProperties: { tenant: "t" } });
    expect(write(message)).toEqual({
      messageId: "m",
      subject: "order-placed",
      contentType: "application/json",
      applicationProperties: { tenant: "t", messageVersion: 3 },
      body: utf8.encode(JSON.stringify(newOrder)),
    });
    expect(message.applicationProperties).toEqual({ tenant: "t" });
  });

  it("does not change a message without a type", () => {
    expect(write({ body: [1] })).toEqual({ contentType: "application/json", body: utf8.encode("[1]") });
  });

  it.each<[string, Message, string]>([
    [
      "breaks its schema",
      { subject: "order-placed", body: { orderId: 7 }, messageId: "m" },
      '"order-placed": The body breaks its schema at "/orderId".',
    ],
    [
      "has an unknown type",
      { subject: "order-placd", body: 1, messageId: "m" },
      'no message type is named "order-placd", which is the message\'s subject.',
    ],
  ])("refuses one that %s", (_, message, text) => {
    expect(() => write(message)).toThrow(`[serialization-failed] message "m": ${text}`);
  });

  it("writes an older version through its downcasters, which readers upcast again", () => {
    const message = write(orderPlaced.message(newOrder), { writeAs: { version: 2 } });
    expect(message).toMatchObject({
      applicationProperties: { messageVersion: 2 },
      body: utf8.encode('{"id":7,"cents":1250}'),
    });
    expect(read(message)).toMatchObject({ body: newOrder });
  });

  it("refuses a version to which no downcasters lead", () => {
    expect(() => write(orderPlaced.message(newOrder), { writeAs: { version: 1 } })).toThrow(
      '[serialization-failed] "order-placed" cannot be written as version 1: no downcasters lead there.',
    );
    expect(() => write({ body: 1 }, { writeAs: { version: 1 } })).toThrow("it has no message type");
  });

  it("refuses the result of a downcaster if it breaks the schema of that version", () => {
    const type = defineMessage("a", {
      version: 2,
      schemas: { 1: z.object({ n: z.number().min(5) }), 2: {} },
      upcasters: { 1: (body) => body },
      downcasters: { 2: () => ({ n: 1 }) },
    });
    expect(() => pipelineOf(type).serialize(type.message({}), { writeAs: { version: 1 } })).toThrow(
      '[serialization-failed] "a": The body breaks its schema at "/n".',
    );
  });

  it("writes with the serializer of the call, with any content type of the message", () => {
    const other: Serializer = {
      ...text,
      name: "other",
      mediaTypes: ["application/x-other"],
      leadingBytes: [0x23],
    };
    const pipeline = pipelineOf(orderPlaced, { additionalDeserializers: [other] });
    const message = { ...orderPlaced.message(newOrder), contentType: "application/json" };
    expect(pipeline.serialize(message, { writeAs: { serializer: "other" } })).toMatchObject({
      contentType: "application/x-other",
      applicationProperties: { messageVersion: 3 },
    });
    expect(() => pipeline.serialize(message, { writeAs: { serializer: "nobody" } })).toThrow(
      'no serializer of the pipeline is named "nobody".',
    );
  });

  it("passes the schema of the written version to the serializer", () => {
    const seen: SerializeContext[] = [];
    const spy: Serializer = {
      ...text,
      serialize: (value, context) => {
        seen.push(context);
        return text.serialize(value, context);
      },
    };
    const type = defineMessage("a", { version: 1, schemas: { 1: { text: "schema" } } });
    pipelineOf(type, { serializer: spy }).serialize(type.message({}));
    expect(seen).toMatchObject([{ messageType: "a", messageVersion: 1, schema: "schema" }]);
  });
});

describe("the pipeline of message types", () => {
  it("is not created when two types share a name", () => {
    const other = defineMessage("OrderPlaced", { version: 1 });
    expect(() => createPipeline({ serializer: text, messageTypes: [orderPlaced, other] })).toThrow(
      '[configuration-invalid] Two message types are named "OrderPlaced".',
    );
  });

  it("is not created when a serializer cannot compile its schema of a type", () => {
    const strict: Serializer = {
      ...text,
      compileSchema: (_, where) => {
        throw new TypeError(`The schema of ${where} does not compile.`);
      },
    };
    const type = defineMessage("a", { version: 1, schemas: { 1: { text: {} } } });
    expect(() => pipelineOf(type, { serializer: strict })).toThrow(
      'The schema of "a" version 1 does not compile.',
    );
  });

  it("checks upcast bodies with the schema of their format, if there is no schema for all formats", () => {
    const isText: Serializer = {
      ...text,
      compileSchema: () => (value) =>
        (value as { n?: unknown }).n === 1
          ? { isValid: true, value }
          : { isValid: false, text: "n is not 1." },
    };
    const type = defineMessage("a", {
      version: 2,
      schemas: { 1: bodyType<{ n: number }>(), 2: { text: {} } },
      upcasters: { 1: (body) => body },
    });
    expect(read(received({ n: 1 }, 1, "a"), { serializer: isText }, type)).toMatchObject({
      status: "decoded",
    });
    expect(read(received({ n: 2 }, 1, "a"), { serializer: isText }, type)).toMatchObject({
      reason: "UpcastFailed",
      report: { attempts: [{ detail: "Upcast to version 2, the body does not fit: n is not 1." }] },
    });
  });

  it("refuses invalid policies", () => {
    expect(() => pipelineOf(orderPlaced, { messageTypePolicies: { newer: "pass" as never } })).toThrow(
      TypeError,
    );
  });
});

describe("a body can be read as something else", () => {
  const pound: Serializer = {
    ...text,
    name: "pound",
    mediaTypes: ["application/x-pound"],
    leadingBytes: [0x23],
    deserialize: (bytes, context) => text.deserialize(bytes[0] === 0x23 ? bytes.subarray(1) : bytes, context),
  };
  const pipeline = pipelineOf(orderPlaced, { additionalDeserializers: [pound] });

  it("by another serializer, with or without its content type", () => {
    const message = received(oldOrder, 1);
    expect(pipeline.deserialize(message, { readAs: { serializer: "pound" } })).toMatchObject({
      body: newOrder,
      report: { serializer: "pound", position: 1 },
    });
    const unlabelled = { readAs: { serializer: "pound", isDeclared: false } };
    expect(pipeline.deserialize(message, unlabelled)).toMatchObject({ status: "undeserializable" });
    expect(() => pipeline.deserialize(message, { readAs: { serializer: "nobody" } })).toThrow(TypeError);
  });

  it("as another version", () => {
    const readAs = { version: 2 };
    expect(pipeline.deserialize(received({ id: 7, cents: 1250 }, 1), { readAs })).toMatchObject({
      body: newOrder,
    });
  });
});

describe("the place of type and version in a message can be replaced", () => {
  it("without passing an envelope to a serializer together with the body's schema", () => {
    const seen: SerializeContext[] = [];
    const spy: Serializer = {
      ...text,
      serialize: (value, context) => {
        seen.push(context);
        return text.serialize(value, context);
      },
    };
    const type = defineMessage("a", { version: 1, schemas: { 1: { text: "schema" } } });
    const pipeline = pipelineOf(type, { serializer: spy, messageTypeResolver: envelopes });
    pipeline.serialize(type.message({}));
    expect(seen).toMatchObject([{ messageType: "a", messageVersion: 1, schema: undefined }]);
  });

  it("by other properties", () => {
    const pipeline = pipelineOf(orderPlaced, {
      messageTypeResolver: propertyResolver({ typeProperty: "kind", versionProperty: "v" }),
    });
    const message = pipeline.serialize(orderPlaced.message(newOrder)) as EncodedMessage;
    expect(message.applicationProperties).toEqual({ kind: "order-placed", v: 3 });
    expect(pipeline.deserialize({ ...message, subject: "other" })).toMatchObject({ body: newOrder });
  });

  it("by an envelope around the body", () => {
    const pipeline = pipelineOf(orderPlaced, { messageTypeResolver: envelopes });
    const message = pipeline.serialize(orderPlaced.message(newOrder, { messageId: "m" })) as EncodedMessage;
    expect(JSON.parse(new TextDecoder().decode(message.body as Uint8Array))).toEqual({
      type: "order-placed/3",
      data: newOrder,
    });
    expect(pipeline.deserialize(message)).toMatchObject({ body: newOrder, report: { messageVersion: 3 } });
    const old = { body: utf8.encode(JSON.stringify({ type: "order-placed/1", data: oldOrder })) };
    expect(pipeline.deserialize(old)).toMatchObject({ body: newOrder, report: { upcastPath: [1, 2, 3] } });
    const unknown = { body: utf8.encode(JSON.stringify({ type: "note/1", data: {} })) };
    expect(pipeline.deserialize(unknown)).toMatchObject({ reason: "UnknownMessageType" });
    expect(pipeline.deserialize({ body: utf8.encode("[1]") })).toMatchObject({
      status: "decoded",
      body: [1],
    });
  });
});

/** `{ type: "<name>/<version>", data }`, as messages of another bus might look. */
const envelopes: MessageTypeResolver = {
  identify: () => undefined,
  stamp: () => ({}),
  wrap: (data, { messageType, version }) => ({ type: `${messageType}/${version}`, data }),
  open(body) {
    const { type, data } = body as { type?: string; data?: unknown };
    if (type === undefined) return undefined;
    const [messageType = "", version] = type.split("/");
    return { messageType, version: Number(version), body: data };
  },
};
