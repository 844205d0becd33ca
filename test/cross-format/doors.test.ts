import { readFileSync, writeFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { createRegistry } from "@bufbuild/protobuf";
import { StructSchema } from "@bufbuild/protobuf/wkt";
import {
  bodyType,
  createPipeline,
  type DeserializationOutcome,
  defineMessage,
  type EncodedMessage,
  type MessageTypeResolver,
  type Serializer,
} from "@waybill/core";
import { cloudEvents, cloudEventsAvro, dapr, massTransit, nserviceBus } from "@waybill/envelopes";
import { avro } from "@waybill/serializer-avro";
import { cbor } from "@waybill/serializer-cbor";
import { dotnetBinary } from "@waybill/serializer-dotnet";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";
import { protobuf } from "@waybill/serializer-protobuf";
import { xml } from "@waybill/serializer-xml";
import { afterAll, beforeAll, expect, it } from "vitest";
import { orderSchema } from "./avro-bodies.js";
import { corpus } from "./corpus.js";
import type { Body, ChainFormat } from "./family.js";

/** All bodies with `pnpm reliability full-samples`, and for the table of the docs; otherwise a few of each kind. */
const takesAll = process.env.WAYBILL_SAMPLES === "all" || process.env.UPDATE_DOCS === "1";

/** At most this many bodies of a kind: every other door leads to the serializers that read all of them as data sections. */
const bodiesOfAKind = takesAll ? 12 : 4;

const bodies = corpus()
  .filter(({ mayBeTaken }) => mayBeTaken !== true)
  .flatMap(({ bodies: kind }) => {
    const step = Math.ceil(kind.length / bodiesOfAKind);
    return kind.filter((_, index) => index % step === 0);
  });

const serializers = [
  avro({ schema: orderSchema }),
  json(),
  msgpack(),
  dotnetBinary(),
  xml(),
  cbor(),
  protobuf({ registry: createRegistry(StructSchema) }),
] as const;

const eventsInAvro = cloudEventsAvro(avro);
const orderPlaced = defineMessage("order-placed", {
  version: 1,
  schemas: { 1: { body: bodyType<unknown>() } },
});
const attributes = { specversion: "1.0", id: "A234", source: "/shop", type: "order-placed" };
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** A way on which a body reaches the serializers. */
interface Door {
  readonly name: string;
  /** How its pipeline finds message types; undefined for one without. */
  readonly resolver?: MessageTypeResolver;
  /** Whether the body has to be text. */
  readonly isText?: true;
  /** Whether it is for JSON only, whatever the content type. */
  readonly isJson?: true;
  readonly wrap: (
    bytes: Uint8Array,
    contentType: string | undefined,
  ) => EncodedMessage | Promise<EncodedMessage>;
}

const doors: readonly Door[] = [
  { name: "data section", wrap: (body, contentType) => ({ body, contentType }) },
  {
    name: "AMQP value: binary",
    wrap: (value, contentType) => ({ body: { section: "value", value }, contentType }),
  },
  {
    name: "AMQP value: string",
    isText: true,
    wrap: (bytes, contentType) => ({ body: { section: "value", value: utf8.decode(bytes) }, contentType }),
  },
  {
    name: "AMQP sequence of one binary",
    wrap: (bytes, contentType) => ({ body: { section: "sequence", value: [bytes] }, contentType }),
  },
  {
    name: "NServiceBus, whose envelope is properties",
    resolver: nserviceBus({ types: { OrderPlaced: "order-placed" } }),
    wrap: (body, contentType) => ({
      body,
      contentType,
      applicationProperties: { "NServiceBus.EnclosedMessageTypes": "OrderPlaced" },
    }),
  },
  {
    name: "CloudEvent: `data_base64`",
    resolver: cloudEvents({ mode: "structured" }),
    wrap: (bytes, contentType) => ({
      contentType: "application/cloudevents+json",
      body: eventInJson(bytes, contentType),
    }),
  },
  {
    name: "CloudEvent: `data` as text",
    isText: true,
    resolver: cloudEvents({ mode: "structured" }),
    wrap: (bytes, datacontenttype) => ({
      contentType: "application/cloudevents+json",
      body: asJson({ ...attributes, datacontenttype, data: utf8.decode(bytes) }),
    }),
  },
  {
    name: "CloudEvent in Avro: bytes",
    resolver: cloudEvents({ mode: "structured" }),
    wrap: async (data, datacontenttype) => ({
      contentType: "application/cloudevents+avro",
      body: await inAvro({ attribute: { ...attributes, datacontenttype: datacontenttype ?? null }, data }),
    }),
  },
  {
    name: "Dapr: `data_base64`",
    resolver: dapr(),
    wrap: (bytes, contentType) => ({ body: eventInJson(bytes, contentType) }),
  },
  {
    name: "MassTransit: `message`",
    isJson: true,
    resolver: massTransit(),
    wrap: (bytes) => ({
      contentType: "application/vnd.masstransit+json",
      body: Buffer.concat([
        Buffer.from('{"messageType":["urn:message:order-placed"],"message":'),
        bytes,
        Buffer.from("}"),
      ]),
    }),
  },
];

/** Which content type a body has. */
const labels = [
  { name: "none, or unknown", of: () => [undefined, "application/x-order"] },
  { name: "its own", of: ({ meaning }: Body) => (meaning === undefined ? [] : [labelOf(meaning.format)]) },
  {
    name: "of another format of the chain",
    of: ({ meaning }: Body) =>
      serializers.filter(({ name }) => name !== meaning?.format).map(({ name }) => labelOf(name)),
  },
] as const satisfies readonly Label[];

interface Label {
  readonly name: string;
  readonly of: (body: Body) => readonly (string | undefined)[];
}

const jsonLabel: Label = { name: "JSON, as the envelope says", of: () => ["application/json"] };

interface Tally {
  readings: number;
  read: number;
  asIs: number;
  refused: number;
  misread: number;
}

const { stackTraceLimit } = Error;
beforeAll(() => {
  Error.stackTraceLimit = 0;
});
afterAll(() => {
  Error.stackTraceLimit = stackTraceLimit;
});

const page = new URL("../../docs/deserialization.md", import.meta.url);

it.runIf(takesAll)("generates the table of the doors in docs/deserialization.md", async () => {
  const rows: string[] = [];
  for (const door of doors)
    for (const label of labelsOf(door)) rows.push(toRow(door, label, await tallyOf(door, label)));
  const text = readFileSync(page, "utf8");
  const [start, end] = ["<!-- doors: generated, `UPDATE_DOCS=1 pnpm test` -->\n", "<!-- doors: end -->"];
  const table = [
    "| the body is in | its content type | readings | read | left as bytes or text | refused | misread |",
    `|${" --- |".repeat(7)}`,
    ...rows,
    "",
  ].join("\n");
  const from = text.indexOf(start) + start.length;
  const updated = `${text.slice(0, from)}${table}${text.slice(text.indexOf(end))}`;
  if (process.env.UPDATE_DOCS === "1") writeFileSync(page, updated);
  expect(readFileSync(page, "utf8")).toBe(updated);
});

it.each(doors.map((door) => [door.name, door] as const))(
  "%s has no outcome of which the table in docs/deserialization.md counts none",
  async (name, door) => {
    const lines = readFileSync(page, "utf8").split("\n");
    for (const label of labelsOf(door)) {
      const start = `| ${name} | ${label.name} | `;
      const line = lines.find((each) => each.startsWith(start));
      const counted = line?.slice(start.length).split(" | ");
      const tally = Object.entries(await tallyOf(door, label));
      const unexpected = tally.filter(
        ([, figure], column) => figure > 0 && /^0\b/.test(counted?.[column] ?? "0"),
      );
      expect(Object.fromEntries(unexpected), label.name).toEqual({});
    }
  },
);

it.each(["AMQP value: binary", "AMQP value: string", "NServiceBus, whose envelope is properties"])(
  "%s has the outcome of a data section",
  async (name) => {
    const [reference] = doors as [Door];
    const door = doors.find((each) => each.name === name)!;
    const readers = [reader(reference), reader(door)] as const;
    const different: string[] = [];
    for (const body of offered(door)) {
      for (const contentType of labels.flatMap(({ of }) => of(body))) {
        const [expected, actual] = await Promise.all(readers.map((read) => read(body, contentType)));
        if (isDeepStrictEqual(readingOf(expected!), readingOf(actual!))) continue;
        different.push(`${contentType}: ${Buffer.from(body.bytes.subarray(0, 40)).toString("hex")}`);
      }
    }
    expect(different).toEqual([]);
  },
);

function labelsOf({ isJson }: Door): readonly Label[] {
  return isJson === true ? [jsonLabel] : labels;
}

async function tallyOf(door: Door, { name, of }: Label): Promise<Tally> {
  const read = reader(door);
  const tally: Tally = { readings: 0, read: 0, asIs: 0, refused: 0, misread: 0 };
  for (const body of offered(door)) {
    for (const contentType of of(body)) {
      tally.readings++;
      tally[verdict(await read(body, contentType), body)]++;
    }
  }
  // No label, no misreading, whatever the door.
  if (name === labels[0].name) expect(tally.misread, door.name).toBe(0);
  return tally;
}

function toRow(door: Door, { name }: Label, tally: Tally): string {
  const figures = Object.values(tally).map((figure) => figure.toLocaleString("en-US"));
  return `| ${door.name} | ${name} | ${figures.join(" | ")} |`;
}

function offered({ isText }: Door): readonly Body[] {
  return isText === true ? bodies.filter(({ bytes }) => isUtf8(bytes)) : bodies;
}

function verdict(outcome: DeserializationOutcome, { bytes, meaning }: Body): keyof Omit<Tally, "readings"> {
  if (outcome.status !== "decoded") return "refused";
  const { body } = outcome;
  if (meaning !== undefined && isDeepStrictEqual(body, meaning.value)) return "read";
  return isAsIs(body, bytes) || (Array.isArray(body) && isAsIs(body[0], bytes)) ? "asIs" : "misread";
}

function isAsIs(value: unknown, bytes: Uint8Array): boolean {
  if (value instanceof Uint8Array) return Buffer.compare(value, bytes) === 0;
  return typeof value === "string" && Buffer.from(value).equals(bytes);
}

function readingOf(outcome: DeserializationOutcome): unknown {
  return outcome.status === "decoded" ? [outcome.body, outcome.report.serializer] : outcome.status;
}

function reader({ resolver, wrap }: Door) {
  const [serializer, ...others] = serializers;
  const additionalDeserializers: Serializer[] = [...others];
  const pipeline =
    resolver === undefined
      ? createPipeline({ serializer, additionalDeserializers })
      : createPipeline({
          serializer,
          additionalDeserializers: resolver.open === undefined ? others : [...others, eventsInAvro],
          messageTypes: [orderPlaced],
          messageTypeResolver: resolver,
        });
  return async ({ bytes }: Body, contentType: string | undefined) =>
    await pipeline.deserialize(await wrap(bytes, contentType));
}

function labelOf(format: ChainFormat | string): string {
  const { name, mediaTypes } = serializers.find(({ name }) => name === format)!;
  return name === "protobuf" ? `${mediaTypes[0]}; proto=google.protobuf.Struct` : mediaTypes[0]!;
}

function eventInJson(bytes: Uint8Array, datacontenttype: string | undefined): Uint8Array {
  return asJson({ ...attributes, datacontenttype, data_base64: Buffer.from(bytes).toString("base64") });
}

async function inAvro(event: unknown): Promise<Uint8Array> {
  const { bytes } = await eventsInAvro.serialize(event, {
    messageType: undefined,
    contentType: undefined,
    mediaType: undefined,
    applicationProperties: {},
    abortSignal: undefined,
    maxDepth: 128,
  });
  return bytes;
}

function asJson(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    utf8.decode(bytes);
    return true;
  } catch {
    return false;
  }
}
