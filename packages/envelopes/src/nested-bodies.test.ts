import { bodyType, createPipeline, type DeserializationOutcome, defineMessage } from "@waybill/core";
import { avro } from "@waybill/serializer-avro";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";
import { xml } from "@waybill/serializer-xml";
import { describe, expect, it } from "vitest";
import { cloudEvents, dapr } from "./cloud-events.js";
import { cloudEventsAvro } from "./cloud-events-avro.js";
import { writing } from "./messages.test-support.js";

const attributes = {
  specversion: "1.0",
  id: "A234",
  source: "/shop",
  type: "order-placed",
} as const;
const orderPlaced = defineMessage("order-placed", {
  version: 1,
  schemas: { 1: { body: bodyType<unknown>() } },
});
const eventsInAvro = cloudEventsAvro(avro);
const structured = cloudEvents({ mode: "structured" });
const options = {
  serializer: json(),
  additionalDeserializers: [eventsInAvro, msgpack(), xml()],
  messageTypes: [orderPlaced],
};

type Nested = (bytes: Uint8Array, contentType: string) => Promise<DeserializationOutcome>;

/** Every way in which bytes of another format are inside an event. */
const doors: readonly (readonly [name: string, read: Nested])[] = [
  [
    "data_base64 of CloudEvents",
    async (bytes, datacontenttype) =>
      await createPipeline({ ...options, messageTypeResolver: structured }).deserialize({
        contentType: "application/cloudevents+json",
        body: asJson({ ...attributes, datacontenttype, data_base64: Buffer.from(bytes).toString("base64") }),
      }),
  ],
  [
    "data_base64 of Dapr",
    async (bytes, datacontenttype) =>
      await createPipeline({ ...options, messageTypeResolver: dapr() }).deserialize({
        body: asJson({ ...attributes, datacontenttype, data_base64: Buffer.from(bytes).toString("base64") }),
      }),
  ],
  [
    "bytes of an event in Avro",
    async (data, datacontenttype) =>
      await createPipeline({ ...options, messageTypeResolver: structured }).deserialize({
        contentType: "application/cloudevents+avro",
        body: await inAvro({ attribute: { ...attributes, datacontenttype }, data }),
      }),
  ],
];

describe.each(doors)("%s", (_, read) => {
  const readJson = (text: string) => read(Buffer.from(text), "application/json");

  it("keeps integers above 2^53", async () => {
    expect(await readJson('{"n":9007199254740993}')).toMatchObject({ body: { n: 9007199254740993n } });
  });

  it.each([
    ["a number beyond a double", '{"n":1e400}'],
    ["a member __proto__", '{"__proto__":{"isAdmin":true}}'],
    ["5,000 levels", "[".repeat(5_000) + "]".repeat(5_000)],
    ["1.5 million items", `[${"0,".repeat(1_500_000)}0]`],
    ["what is not JSON", "{]"],
  ])("refuses JSON with %s, as in a body of its own", async (_, text) => {
    const alone = await createPipeline(options).deserialize({
      body: Buffer.from(text),
      contentType: "application/json",
    });
    const nested = await readJson(text);
    expect(nested.status).toBe("undeserializable");
    expect(reasonOf(nested)).toBe(reasonOf(alone));
  });

  it("is read by the serializer of its content type, with that serializer's options", async () => {
    const { bytes } = (await msgpack().serialize({ at: new Date(0) }, writing)) as { bytes: Uint8Array };
    expect(await read(bytes, "application/vnd.msgpack")).toMatchObject({ body: { at: new Date(0) } });
    expect(await read(Buffer.from("<a><b>1</b></a>"), "application/xml")).toMatchObject({
      status: "decoded",
      body: expect.not.stringContaining("<"),
    });
  });

  it("is bytes if no serializer reads its content type", async () => {
    const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47);
    expect(await read(png, "image/png")).toMatchObject({ status: "decoded", body: png });
  });
});

it("text of another format is read by its serializer, and a string of JSON is a string", async () => {
  const read = async (data: unknown, datacontenttype: string) =>
    await createPipeline({ ...options, messageTypeResolver: structured }).deserialize({
      contentType: "application/cloudevents+json",
      body: asJson({ ...attributes, datacontenttype, data }),
    });
  expect(await read("<a><b>1</b></a>", "application/xml")).not.toMatchObject({ body: expect.any(String) });
  expect(await read("7", "application/json")).toMatchObject({ body: "7" });
  expect(await read("plain", "text/plain")).toMatchObject({ body: "plain" });
});

it("JSON in an event of the Avro format is read by a pipeline without JSON", async () => {
  const pipeline = createPipeline({
    serializer: eventsInAvro,
    messageTypes: [orderPlaced],
    messageTypeResolver: structured,
  });
  const attribute = { ...attributes, datacontenttype: "application/json" };
  const body = await inAvro({ attribute, data: Buffer.from('{"n":9007199254740993}') });
  expect(await pipeline.deserialize({ contentType: "application/cloudevents+avro", body })).toMatchObject({
    body: { n: 9007199254740993n },
  });
});

it("objects in the data of an event of the Avro format are objects, not records with a field value", async () => {
  const data = {
    id: "A-1042",
    customer: {
      value: { name: "Ada", tags: [{ value: { tag: "new" } }], address: { city: { value: { zip: "1" } } } },
    },
  };
  const outcome = await createPipeline({ ...options, messageTypeResolver: structured }).deserialize({
    contentType: "application/cloudevents+avro",
    body: await inAvro({ attribute: attributes, data }),
  });
  expect(outcome).toMatchObject({
    body: {
      id: "A-1042",
      customer: { name: "Ada", tags: [{ tag: "new" }], address: { city: { zip: "1" } } },
    },
  });
});

async function inAvro(event: unknown): Promise<Uint8Array> {
  return (await eventsInAvro.serialize(event, writing)).bytes;
}

function asJson(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}

function reasonOf(outcome: DeserializationOutcome): unknown {
  return outcome.report.attempts.find(({ serializer }) => serializer === "json")?.reason ?? "none";
}
