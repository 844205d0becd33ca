import {
  bodyType,
  createPipeline,
  type DeserializationOutcome,
  defineMessage,
  type EncodedMessage,
  type MessageTypeResolver,
  type PipelineOptions,
} from "@waybill/core";
import { avro } from "@waybill/serializer-avro";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";
import { describe, expect, it } from "vitest";
import { cloudEvents } from "./cloud-events.js";
import { massTransit } from "./masstransit.js";
import { writing } from "./messages.test-support.js";

const orderPlaced = defineMessage("order-placed", {
  version: 1,
  schemas: { 1: { body: bodyType<unknown>() } },
});
const schema = { type: "object", required: ["id"], properties: { id: { type: "integer" } } } as const;
const withId = (body: unknown): void => {
  if (!Number.isInteger((body as { id?: unknown } | undefined)?.id)) throw new TypeError("It has no id.");
};

/** A bus of one's own, whose envelope any serializer can write. */
const ownBus: MessageTypeResolver = {
  identify: () => undefined,
  stamp: () => ({}),
  wrap: (content, { messageType }) => ({ type: messageType, content }),
  open(body) {
    const { type, content } = body as { type?: unknown; content?: unknown };
    return typeof type === "string" ? { messageType: type, version: 1, body: content } : undefined;
  },
};

const buses: readonly (readonly [name: string, resolver: MessageTypeResolver])[] = [
  ["a structured CloudEvent", cloudEvents({ mode: "structured" })],
  ["MassTransit", massTransit()],
  ["one's own", ownBus],
];

describe.each(buses)(
  "a schema of bodies in the options of a serializer, with the envelope of %s",
  (_, messageTypeResolver) => {
    it.each([
      ["schemas", { schemas: { "order-placed": schema } }],
      ["schema", { schema }],
      ["a function", { schemas: () => schema }],
    ])("is for the body, not for the envelope: %s", async (_, options) => {
      const pipeline = pipelineWith({ serializer: json(options), messageTypeResolver });
      const good = await pipeline.serialize({ subject: "order-placed", body: { id: 7 } });
      expect(await pipeline.deserialize(good)).toMatchObject({ status: "decoded", body: { id: 7 } });
      for (const body of [{ id: "7" }, "text", null])
        expect(() => pipeline.serialize({ subject: "order-placed", body })).toThrow(/serialization-failed/);
    });

    it("refuses the body of a sender who did not check it", async () => {
      const sender = pipelineWith({ serializer: json(), messageTypeResolver });
      const pipeline = pipelineWith({
        serializer: json({ schemas: { "order-placed": schema } }),
        messageTypeResolver,
      });
      for (const body of [{ id: "7" }, "text", null]) {
        const message = await sender.serialize({ subject: "order-placed", body });
        expect(await pipeline.deserialize(message)).toMatchObject({ reason: "ValidationFailed" });
      }
    });

    it("refuses the body in an envelope that came as an AMQP map", async () => {
      const sender = pipelineWith({ serializer: json(), messageTypeResolver });
      const pipeline = pipelineWith({
        serializer: json({ schemas: { "order-placed": schema } }),
        messageTypeResolver,
      });
      const read = async (id: unknown) => {
        const { body, ...message } = await sender.serialize({ subject: "order-placed", body: { id } });
        const value: unknown = JSON.parse(Buffer.from(body as Uint8Array).toString());
        return await pipeline.deserialize({ ...message, body: { section: "value", value } });
      };
      expect(await read(7)).toMatchObject({ status: "decoded", body: { id: 7 } });
      expect(await read("7")).toMatchObject({ reason: "ValidationFailed" });
    });

    it("refuses with the schema that the definition has for the serializer, which takes precedence", async () => {
      const defined = defineMessage("order-placed", { version: 1, schemas: { 1: { json: schema } } });
      const options = { serializer: json({ schema: { type: "string" } }), messageTypes: [defined] };
      const pipeline = createPipeline({ ...options, messageTypeResolver });
      const good = await pipeline.serialize({ subject: "order-placed", body: { id: 7 } });
      expect(await pipeline.deserialize(good)).toMatchObject({ status: "decoded", body: { id: 7 } });
      expect(() => pipeline.serialize({ subject: "order-placed", body: { id: "7" } })).toThrow(
        /serialization-failed/,
      );
    });

    it("is still for a body that is in no envelope", async () => {
      const pipeline = pipelineWith({ serializer: json({ schema }), messageTypeResolver });
      const contentType = "application/json";
      expect(await pipeline.deserialize(asJson({ id: 7 }, contentType))).toMatchObject({ body: { id: 7 } });
      expect(await pipeline.deserialize(asJson({ id: "7" }, contentType))).toMatchObject({
        reason: "ValidationFailed",
      });
    });
  },
);

it("a schema in options transforms the body in an envelope, as it does a body of its own", async () => {
  const dated = (body: unknown) => ({ at: new Date((body as { at: string }).at) });
  const pipeline = pipelineWith({ serializer: msgpack({ schema: dated }), messageTypeResolver: ownBus });
  const message = await pipeline.serialize({ subject: "order-placed", body: { at: "2026-11-28" } });
  expect(await pipeline.deserialize(message)).toMatchObject({ body: { at: new Date("2026-11-28") } });
});

it("bytes in an envelope are validated by the serializer of their format", async () => {
  const messageTypeResolver = cloudEvents({ mode: "structured" });
  const serializers = {
    serializer: json({ schema: schema }),
    additionalDeserializers: [msgpack({ schema: withId })],
  };
  const pipeline = pipelineWith({ ...serializers, messageTypeResolver });
  const read = async (body: unknown): Promise<DeserializationOutcome> => {
    const { bytes } = await msgpack().serialize(body, writing);
    const event = {
      specversion: "1.0",
      id: "A1",
      source: "/shop",
      type: "order-placed",
      datacontenttype: "application/vnd.msgpack",
    };
    const dataBase64 = Buffer.from(bytes).toString("base64");
    return await pipeline.deserialize(
      asJson({ ...event, data_base64: dataBase64 }, "application/cloudevents+json"),
    );
  };
  expect(await read({ id: 7 })).toMatchObject({ body: { id: 7 } });
  expect(await read({ id: "7" })).toMatchObject({ reason: "ValidationFailed" });
});

it("the schema of Avro in the definition is used for CloudEvents in binary mode, which have no envelope", async () => {
  const record = { type: "record", name: "Order", fields: [{ name: "id", type: "int" }] } as const;
  const defined = defineMessage("order-placed", { version: 1, schemas: { 1: { avro: record } } });
  const options = { serializer: avro(), messageTypes: [defined], messageTypeResolver: cloudEvents() };
  const pipeline = createPipeline(options);
  const message = await pipeline.serialize({ subject: "order-placed", body: { id: 7 } });
  expect(await pipeline.deserialize(message)).toMatchObject({ status: "decoded", body: { id: 7 } });
});

function pipelineWith(options: PipelineOptions) {
  return createPipeline({ ...options, messageTypes: [orderPlaced] });
}

function asJson(value: unknown, contentType: string): EncodedMessage {
  return { contentType, body: Buffer.from(JSON.stringify(value)) };
}
