import { readFileSync, writeFileSync } from "node:fs";
import { createPipeline, type DeserializationOutcome } from "@waybill/core";
import { registryAvro, type SchemaSource } from "@waybill/schema-registry";
import { avro } from "@waybill/serializer-avro";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";
import { afterAll, beforeAll, expect, it } from "vitest";
import { corpus } from "../cross-format/corpus.js";

/** Schemas of ordinary events. Short values with few rules are the easiest to mistake other bytes for. */
const schemas = [
  record({ id: "string", cents: "long" }),
  record({ count: "int" }),
  record({ at: { type: "long", logicalType: "timestamp-millis" }, ok: "boolean" }),
  record({ name: "string" }),
  record({ name: ["null", "string"] }),
  record({ lines: { type: "array", items: "string" } }),
  record({ labels: { type: "map", values: "string" } }),
  record({ state: { type: "enum", name: "State", symbols: ["NEW", "PAID", "SHIPPED"] }, total: "double" }),
  record({ latitude: "float", longitude: "float" }),
  record({ data: "bytes" }),
  record({}),
  record({ id: "string", lines: { type: "array", items: record({ sku: "string", quantity: "int" }) } }),
];

/** A registry with a thousand schemas: every id from 1 to 1000 is known. */
const source: SchemaSource = {
  name: "the test registry",
  framings: ["confluent", "confluent-guid", "confluent-header"],
  schemaById(id) {
    const number = Number(id);
    return number > 1000
      ? undefined
      : { definition: JSON.stringify(schemas[number % schemas.length]), format: "avro" };
  },
};
const pipeline = createPipeline({
  serializer: registryAvro(avro, { source }),
  additionalDeserializers: [json(), msgpack()],
});

const random = seeded(20_261_123);

/** Bodies of other origins without a content type, and how many of them may be read as Avro at most. */
const kinds: readonly {
  readonly name: string;
  readonly bodies: readonly Uint8Array[];
  readonly atMost: number;
}[] = [
  { name: "gRPC, one message", bodies: times(32_000, () => grpcFrame(protobufMessage())), atMost: 0 },
  {
    name: "gRPC, several messages",
    bodies: times(4_000, () => Buffer.concat(times(2 + below(4), () => grpcFrame(protobufMessage())))),
    atMost: 0,
  },
  {
    name: "frames with a length of four bytes",
    bodies: times(8_000, () => lengthPrefixed(bytesOf(below(300)))),
    atMost: 60,
  },
  {
    name: "a zero byte, a known id, and random bytes",
    bodies: times(8_000, () => Buffer.concat([idOf(1 + below(1000)), bytesOf(1 + below(60))])),
    atMost: 1_000,
  },
  {
    name: "the bodies of the table above",
    bodies: corpus().flatMap(({ bodies }) => bodies.map(({ bytes }) => bytes)),
    atMost: 20,
  },
];

const { stackTraceLimit } = Error;
beforeAll(() => {
  Error.stackTraceLimit = 0;
});
afterAll(() => {
  Error.stackTraceLimit = stackTraceLimit;
});

it("generates the rates of docs/deserialization.md with a registry in the chain", async () => {
  const rows: string[] = [];
  for (const { name, bodies, atMost } of kinds) {
    const read = (await readAsAvro(bodies)).length;
    expect(read, name).toBeLessThanOrEqual(atMost);
    rows.push(`| ${name} | ${number(bodies.length)} | ${number(read)} |`);
  }
  expectGenerated(
    `| bodies without a content type | bodies | read as Avro |\n| --- | --- | --- |\n${rows.join("\n")}\n`,
  );
});

it("reads what Confluent's serializers write without a content type, also where the id is the length of the payload", async () => {
  const payload = Uint8Array.of(12, ...Buffer.from("A-1042"), 0x86, 0xcb, 0x01);
  const body = Buffer.concat([idOf(12), payload]);
  expect(await pipeline.deserialize({ body })).toMatchObject({ body: { id: "A-1042", cents: 12_995 } });
  const ofItsLength = Buffer.concat([
    idOf(60),
    Uint8Array.of(0x58, ...Buffer.from("a".repeat(44))),
    Uint8Array.of(2),
    bytesOf(14).fill(0),
  ]);
  expect(ofItsLength.length - 5).toBe(60);
  expect(await pipeline.deserialize({ body: ofItsLength })).toMatchObject({ status: "undeserializable" });
});

async function readAsAvro(bodies: readonly Uint8Array[]): Promise<Uint8Array[]> {
  const read: Uint8Array[] = [];
  for (const body of bodies) {
    const outcome: DeserializationOutcome = await pipeline.deserialize({ body });
    if (outcome.status === "decoded" && outcome.report.serializer === "avro") read.push(body);
  }
  return read;
}

function expectGenerated(table: string): void {
  const page = new URL("../../docs/deserialization.md", import.meta.url);
  const text = readFileSync(page, "utf8");
  const [start, end] = [
    "<!-- registry: generated, `UPDATE_DOCS=1 pnpm test` -->\n",
    "<!-- registry: end -->",
  ];
  const updated = text.slice(0, text.indexOf(start) + start.length) + table + text.slice(text.indexOf(end));
  if (process.env.UPDATE_DOCS === "1") writeFileSync(page, updated);
  expect(readFileSync(page, "utf8")).toBe(updated);
}

function record(fields: Readonly<Record<string, unknown>>): object {
  return {
    type: "record",
    name: `Event${Object.keys(fields).join("")}`,
    fields: Object.entries(fields).map(([name, type]) => ({ name, type })),
  };
}

/** A message as services send it: numbers, texts, nested messages. */
function protobufMessage(depth = 0): Buffer {
  return Buffer.concat(
    times(below(6), (at) => {
      const tag = (wireType: number) => Uint8Array.of(((at + 1) << 3) | wireType);
      const kind = below(depth < 2 ? 4 : 3);
      if (kind === 0) return Buffer.concat([tag(0), varint(below(1 << 20))]);
      const content = kind === 3 ? protobufMessage(depth + 1) : Buffer.from("x".repeat(below(40)));
      return Buffer.concat([tag(2), varint(content.length), content]);
    }),
  );
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 0x80) return Uint8Array.from([...bytes, rest]);
    bytes.push((rest & 0x7f) | 0x80);
  }
}

function grpcFrame(message: Uint8Array): Buffer {
  return Buffer.concat([Uint8Array.of(0), lengthPrefixed(message)]);
}

function lengthPrefixed(bytes: Uint8Array): Buffer {
  const header = Buffer.alloc(4);
  header.writeUInt32BE(bytes.length);
  return Buffer.concat([header, bytes]);
}

function idOf(id: number): Buffer {
  const header = Buffer.alloc(5);
  header.writeInt32BE(id, 1);
  return header;
}

function bytesOf(length: number): Buffer {
  return Buffer.from(times(length, () => below(256)));
}

function below(limit: number): number {
  return Math.floor(random() * limit);
}

function times<Value>(count: number, make: (index: number) => Value): Value[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

function number(value: number): string {
  return value.toLocaleString("en-US");
}

/** Mulberry32: the same bodies on every run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
