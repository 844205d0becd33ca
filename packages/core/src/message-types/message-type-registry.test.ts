import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { Serializer } from "../contracts/serializer.js";
import type { EncodedMessage } from "../message/message.js";
import type { DeserializationOutcome } from "../message/outcome.js";
import type { PipelineOptions } from "../pipeline/options.js";
import { createPipeline } from "../pipeline/pipeline.js";
import { plainJson } from "../plain-json.test-support.js";
import { defineMessage } from "./define-message.js";
import type { VersionSchemas } from "./message-definition.js";
import type { MessageType } from "./message-type.js";
import type { MessageTypeResolver } from "./message-type-resolver.js";

/** A format with its own media type, whose schemas are names of properties that bodies must have. */
function format(name: string, leadingByte: number, validation?: "format"): Serializer {
  return {
    ...plainJson,
    name,
    mediaTypes: [`application/x-${name}`],
    leadingBytes: [leadingByte],
    validation,
    compileSchema: (schema) => (value) =>
      Object.hasOwn(value as object, String(schema))
        ? { isValid: true, value }
        : { isValid: false, text: `It has no ${schema}.` },
  };
}

const text = format("text", 0x7b);
const other = format("other", 0x23);
/** Its schema is needed to read at all, as with Avro. */
const bound = format("bound", 0x24, "format");
const value = (body: object) => ({ section: "value", value: body }) as const;

describe("the schemas of a message type for single formats", () => {
  const type = (schemas: VersionSchemas) => defineMessage("a", { version: 1, schemas: { 1: schemas } });

  it("validate bodies in formats that have none", () => {
    expect(detail(type({ text: "t" }), body({}, "other"))).toBe("It has no t.");
    expect(detail(type({ text: "t" }), body({ t: 1 }, "other"))).toBeUndefined();
    expect(detail(type({ text: "t", other: "o" }), body({ o: 1 }, "other"))).toBeUndefined();
  });

  it("validate no bodies in other formats if there is one for all formats", () => {
    const both = type({ body: z.object({}), text: "t" });
    expect(detail(both, body({}, "other"))).toBeUndefined();
    expect(detail(both, { body: value({}) })).toBeUndefined();
  });

  it("do not validate other formats if their own needs a schema to be read", () => {
    expect(detail(type({ bound: "b" }), body({}, "other"))).toBeUndefined();
    expect(detail(type({ text: "t" }), body({}, "bound"))).toBeUndefined();
  });

  it("validate AMQP values, one of a format that needs no schema first", () => {
    expect(detail(type({ bound: "b" }), { body: value({}) })).toBe("It has no b.");
    const both = type({ bound: "b", text: "t" });
    expect(detail(both, { body: value({}) })).toBe("It has no t.");
    expect(detail(both, { body: value({ t: 1 }) })).toBeUndefined();
    expect(detail(type({}), { body: value({}) })).toBeUndefined();
  });

  it("validate an upcast body by that for the format in which it was written", () => {
    const upcast = defineMessage("a", {
      version: 2,
      schemas: { 1: {}, 2: { text: "t", other: "o" } },
      upcasters: { 1: (each) => each },
    });
    expect(detail(upcast, body({ t: 1 }, "text"))).toBeUndefined();
    expect(detail(upcast, body({ o: 1 }, "other"))).toBeUndefined();
    expect(detail(upcast, body({ t: 1 }, "other"))).toContain("It has no o.");
    expect(detail(upcast, { body: value({ o: 1 }) })).toContain("It has no t.");
  });
});

describe("a body in an envelope", () => {
  const type = defineMessage("a", { version: 1, schemas: { 1: { text: "t", bound: "b" } } });

  it("is validated by the schema for the format of the envelope", () => {
    expect(detail(type, body({ type: "a", data: { t: 1 } }, "text"), enveloped)).toBeUndefined();
    expect(detail(type, body({ type: "a", data: {} }, "text"), enveloped)).toBe("It has no t.");
    expect(detail(type, body({ type: "a", data: {} }, "other"), enveloped)).toBe("It has no t.");
    expect(detail(type, { body: value({ type: "a", data: {} }) }, enveloped)).toBe("It has no t.");
  });

  it("is not validated again by the schema with which it was read", () => {
    expect(detail(type, body({ type: "a", data: {} }, "bound"), enveloped)).toBeUndefined();
  });

  it("says its type in place of properties that are required", () => {
    const required = { ...enveloped, messageTypePolicies: { missing: "reject" } } as const;
    expect(detail(type, body({ type: "a", data: { t: 1 } }, "text"), required)).toBeUndefined();
    expect(detail(type, body({}, "text"), required)).toBe("The message does not say its type.");
    // Without a body there is no envelope.
    expect(detail(type, { body: new Uint8Array() }, required)).toBe("The message does not say its type.");
  });
});

describe("a message that is sent", () => {
  it("has its type's name, not the alias by which it was found", () => {
    const type = defineMessage("a", { version: 1, aliases: ["A"] });
    const pipeline = createPipeline({ serializer: plainJson, messageTypes: [type] });
    expect(pipeline.serialize({ subject: "A", body: {} })).toMatchObject({ subject: "a" });
  });
});

describe("the options for message types", () => {
  it.each([
    ["text for a list", { messageTypes: "a" as never }, "messageTypes must be an array of message types"],
    [
      "a name",
      { messageTypes: ["a" as never] },
      'messageTypes[0] must be a message type, as defineMessage makes it; got the name "a"',
    ],
    [
      "nothing",
      { messageTypes: [undefined as never] },
      "messageTypes[0] must be a message type, as defineMessage makes it; got undefined",
    ],
    [
      "an object with a name alone",
      { messageTypes: [defineMessage("b", { version: 1 }), { name: "a" } as never] },
      "messageTypes[1] must be a message type, as defineMessage makes it; got an object",
    ],
    [
      "another policy",
      { messageTypePolicies: { missing: "abandon" as never } },
      "messageTypePolicies.missing",
    ],
    [
      "another policy",
      { messageTypePolicies: { unknown: "abandon" as never } },
      "messageTypePolicies.unknown",
    ],
    ["another policy", { messageTypePolicies: { newer: "pass" as never } }, "messageTypePolicies.newer"],
  ])("are refused with %s", (_, options: Partial<PipelineOptions>, message) => {
    const create = () => createPipeline({ serializer: plainJson, ...options });
    expect(create).toThrow(TypeError);
    expect(create).toThrow(message);
  });
});

/** Reads a body as version 1 of a type; why it was refused, undefined if it was not. */
function detail(
  type: MessageType,
  message: Pick<EncodedMessage, "body" | "contentType">,
  options: Partial<PipelineOptions> = { messageTypeResolver: labelled },
): string | undefined {
  const pipeline = createPipeline({
    serializer: text,
    additionalDeserializers: [bound, other],
    messageTypes: [type],
    ...options,
  });
  return (pipeline.deserialize(message) as DeserializationOutcome).report.attempts.at(-1)?.detail;
}

function body(content: object, formatName: string): Pick<EncodedMessage, "body" | "contentType"> {
  return {
    body: new TextEncoder().encode(JSON.stringify(content)),
    contentType: `application/x-${formatName}`,
  };
}

/** Every message is one of version 1. */
const labelled: MessageTypeResolver = {
  identify: () => ({ messageType: "a", version: 1 }),
  stamp: () => ({}),
};

/** The type is in `type`, the body in `data`. */
const enveloped: Partial<PipelineOptions> = {
  messageTypeResolver: {
    identify: () => undefined,
    stamp: () => ({}),
    open(content) {
      const { type, data } = content as { type?: string; data?: unknown };
      return type === undefined ? undefined : { messageType: type, version: 1, body: data };
    },
  },
};
