import { describe, expect, it } from "vitest";
import { z } from "zod";
import { compileValidator, type StandardSchema } from "../contracts/body-schema.js";
import type { Serializer } from "../contracts/serializer.js";
import type { EncodedMessage } from "../message/message.js";
import { bodyType, defineMessage } from "../message-types/define-message.js";
import { type MessageTypeResolver, propertyResolver } from "../message-types/message-type-resolver.js";
import { plainJson } from "../plain-json.test-support.js";
import type { PipelineOptions } from "./options.js";
import { createPipeline } from "./pipeline.js";

const utf8 = new TextEncoder();
const json: Serializer = {
  ...plainJson,
  name: "json",
  compileSchema: (schema) => compileValidator(schema as StandardSchema),
};

/** A second format for the same values: `#`, then JSON. */
const hash: Serializer = {
  ...json,
  name: "hash",
  mediaTypes: ["application/hash"],
  detection: "magic",
  leadingBytes: [0x23],
  serialize: (value) => ({ bytes: utf8.encode(`#${JSON.stringify(value)}`) }),
  deserialize: (body, context) => json.deserialize(body.subarray(1), context),
};

const both = { serializer: json, additionalDeserializers: [hash] };
const order = z.object({ id: z.number() });

function read(message: Partial<EncodedMessage> | string, options: Partial<PipelineOptions>) {
  const received = typeof message === "string" ? { body: utf8.encode(message) } : message;
  return createPipeline({ ...both, ...options }).deserialize({ body: new Uint8Array(0), ...received });
}

const refused = { status: "undeserializable", reason: "ValidationFailed" };

describe("the schema of a pipeline", () => {
  it.each(['{"id":"x"}', '#{"id":"x"}'])("refuses bodies that break it in every format: %s", (body) => {
    expect(read(body, { schema: order })).toMatchObject(refused);
    expect(read(body.replace('"x"', "7"), { schema: order })).toMatchObject({ body: { id: 7 } });
  });

  it("refuses AMQP values and messages without a body that break it", () => {
    expect(read({ body: { section: "value", value: { id: "x" } } }, { schema: order })).toMatchObject(
      refused,
    );
    expect(read({}, { schema: order })).toMatchObject(refused);
    expect(read({}, { schema: order.optional() })).toMatchObject({ status: "decoded", body: undefined });
  });

  it("passes its output to handlers", () => {
    const schema = order.transform(({ id }) => ({ id: BigInt(id) }));
    expect(read('#{"id":7}', { schema })).toMatchObject({ body: { id: 7n } });
  });

  it("may differ by message", () => {
    const schemas = { Order: order };
    expect(read({ body: utf8.encode('#{"id":"x"}'), subject: "Order" }, { schemas })).toMatchObject(refused);
    expect(read({ body: utf8.encode('#{"id":"x"}'), subject: "Other" }, { schemas })).toMatchObject({
      status: "decoded",
    });
  });

  it("refuses to write values that break it, with any serializer", () => {
    const pipeline = createPipeline({ ...both, schema: order });
    for (const contentType of [undefined, "application/hash"]) {
      expect(() => pipeline.serialize({ body: { id: "x" }, contentType, messageId: "m" })).toThrow(
        '[serialization-failed] message "m", validate: The body breaks its schema at "/id".',
      );
      expect(() => pipeline.serialize({ body: { id: 7 }, contentType })).not.toThrow();
    }
    expect(() => pipeline.serialize({ body: undefined })).toThrow("The body breaks its schema at its root.");
  });

  it("refuses to write by the type that readers find, not by the subject alone", () => {
    const type = defineMessage("order", { version: 1, aliases: ["OrderPlaced"] });
    const options = { ...both, messageTypes: [type], schemas: { order } };
    const byAlias = { body: { id: "x" }, subject: "OrderPlaced" };
    const byProperty = {
      body: { id: "x" },
      subject: "orders/4711",
      applicationProperties: { kind: "order" },
    };
    const messageTypeResolver = propertyResolver({ typeProperty: "kind" });
    expect(() => createPipeline(options).serialize(byAlias)).toThrow('breaks its schema at "/id"');
    expect(() => createPipeline({ ...options, messageTypeResolver }).serialize(byProperty)).toThrow(
      'breaks its schema at "/id"',
    );
  });

  it("checks typed messages in their current version, after upcasting and out of their envelopes", () => {
    const type = defineMessage("order", {
      version: 2,
      schemas: { 1: bodyType<{ n: number }>(), 2: bodyType<{ id: number }>() },
      upcasters: { 1: ({ n }) => ({ id: n }) },
    });
    const v1 = (body: string) => ({
      body: utf8.encode(body),
      subject: "order",
      applicationProperties: { messageVersion: 1 },
    });
    const options = { messageTypes: [type], schema: order };
    expect(read(v1('#{"n":7}'), options)).toMatchObject({ body: { id: 7 } });
    expect(read(v1('#{"n":"x"}'), options)).toMatchObject(refused);

    const messageTypeResolver: MessageTypeResolver = {
      identify: () => undefined,
      stamp: () => ({}),
      open: (body) => ({ messageType: "order", version: 2, body: (body as { data: unknown }).data }),
    };
    expect(read('#{"data":{"id":7}}', { ...options, messageTypeResolver })).toMatchObject({
      body: { id: 7 },
    });
    expect(read('#{"data":{"id":"x"}}', { ...options, messageTypeResolver })).toMatchObject(refused);
  });
});

describe("a schema of one serializer", () => {
  const validating: Serializer = { ...json, validation: "schema" };

  it("is refused together with a serializer without a schema, which would accept the same message", () => {
    for (const chain of [
      [validating, hash],
      [hash, validating],
    ] as const) {
      const [serializer, additional] = chain;
      expect(() => createPipeline({ serializer, additionalDeserializers: [additional] })).toThrow(
        '[configuration-invalid] "json" checks its bodies against a schema, and "hash" would let the same message through unchecked. ' +
          'Give the schema to the pipeline, as its option schema or schemas, or to "hash" as well.',
      );
    }
  });

  it("is accepted alone, with other schemas, with formats that always have a schema, and with a schema of the pipeline", () => {
    const accept = (options: PipelineOptions) => expect(() => createPipeline(options)).not.toThrow();
    accept({ serializer: validating });
    accept({ serializer: validating, additionalDeserializers: [{ ...hash, validation: "schema" }] });
    accept({ serializer: validating, additionalDeserializers: [{ ...hash, validation: "format" }] });
    accept({ serializer: validating, additionalDeserializers: [hash], schema: order });
    accept({ serializer: { ...hash, validation: "format" }, additionalDeserializers: [json] });
  });
});

describe("the schemas of a message type", () => {
  const forJson = defineMessage("order", { version: 1, schemas: { 1: { json: order } } });
  const typed = (body: string) => ({ body: utf8.encode(body), subject: "order" });

  it("check bodies in formats for which the definition has no schema", () => {
    const options = { messageTypes: [forJson] };
    expect(read(typed('#{"id":"x"}'), options)).toMatchObject(refused);
    expect(read(typed('#{"id":7}'), options)).toMatchObject({ body: { id: 7 } });
    const value = { body: { section: "value", value: { id: "x" } }, subject: "order" } as const;
    expect(read(value, options)).toMatchObject(refused);
  });

  it("refuse to write in such a format what readers would refuse", () => {
    const pipeline = createPipeline({ ...both, messageTypes: [forJson] });
    const write = (id: unknown) =>
      pipeline.serialize({ subject: "order", body: { id }, contentType: "application/hash" });
    expect(() => write("x")).toThrow('[serialization-failed] hash: The body breaks its schema at "/id".');
    expect(() => write(7)).not.toThrow();
  });

  it("do not check bodies in formats that always have a schema, and are not taken from those formats", () => {
    const bound: Serializer = { ...hash, validation: "format" };
    const chain = { serializer: json, additionalDeserializers: [bound] };
    expect(read(typed('#{"id":"x"}'), { ...chain, messageTypes: [forJson] })).toMatchObject({
      body: { id: "x" },
    });
    const forHash = defineMessage("order", { version: 1, schemas: { 1: { hash: order } } });
    expect(read(typed('{"id":"x"}'), { ...chain, messageTypes: [forHash] })).toMatchObject({
      body: { id: "x" },
    });
  });
});
