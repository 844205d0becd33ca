import { readdirSync } from "node:fs";
import { brotliCompressSync, constants, deflateSync, gzipSync } from "node:zlib";
import { fromJson, toBinary } from "@bufbuild/protobuf";
import { StructSchema } from "@bufbuild/protobuf/wkt";
import examples from "@octokit/webhooks-examples";
import avsc from "avsc";
import { BSON } from "bson";
import { encode as cbor } from "cbor-x";
import fc from "fast-check";
import { Packr, pack } from "msgpackr";
import {
  legacyBodies,
  readBytes,
  readExpected,
} from "../../packages/serializer-dotnet/src/fixtures.test-support.js";
import { foreignFormats } from "./foreign-formats.js";
import { legacyTexts } from "./legacy-text.js";

/** Bodies of one format. */
export interface Family {
  readonly format: string;
  /** Whether its bodies are also well-formed in a format of the chain, so that no reader could distinguish them. */
  readonly mayBeTaken?: true;
  readonly bodies: readonly Body[];
}

/** One body. */
export interface Body {
  readonly bytes: Uint8Array;
  /** Its value, if it is of one of the chain's formats; no deserializer may read another value. */
  readonly meaning?: { readonly format: ChainFormat; readonly value: unknown };
  /** Whether it is legal only when its content type names the format: a scalar, an empty container. */
  readonly needsLabel?: true;
}

/** The formats that the chain reads. */
export type ChainFormat = "json" | "avro" | "msgpack" | "cbor" | "protobuf" | "dotnet-binary" | "xml";

/** The schema that the chain's Avro serializer knows. */
export const orderSchema = {
  type: "record",
  name: "Order",
  namespace: "shop",
  fields: [
    { name: "id", type: "string" },
    { name: "quantity", type: "int" },
    { name: "note", type: ["null", "string"], default: null },
  ],
} as const;

const seed = 20_260_314;
/** The best quality, which is the default, takes fifty times as long. */
const quickly = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
const inferredTypes = new Map<unknown, avsc.Type>();
const plainPackr = new Packr({ useRecords: false, variableMapSize: true });

/**
 * Bodies of the three formats and of many others: real webhook payloads, generated values, files of other systems. The same at
 * every run.
 */
export function corpus(): Family[] {
  const values = containers();
  const scalars = fc.sample(
    fc.oneof(fc.integer(), fc.double({ noNaN: true }), fc.string(), fc.boolean(), fc.constant(null)),
    {
      numRuns: 150,
      seed,
    },
  );
  const text = (value: unknown) => Buffer.from(JSON.stringify(value));
  const jsonBodies = values.map((value) => text(value));
  const orders = fc.sample(
    fc.record(
      { id: fc.string(), quantity: fc.integer(), note: fc.option(fc.string({ maxLength: 300 })) },
      { noNullPrototype: true },
    ),
    { numRuns: 200, seed },
  );
  const orderType = avsc.Type.forSchema(orderSchema as never);
  const packed = values.filter(notEmpty).map((value) => [value, copied(plainPackr.pack(value))] as const);
  // A document takes longer to read than bodies of other formats.
  const documents = values.filter((_, index) => index % 4 === 0);
  const families: Family[] = [
    {
      format: "JSON object or array",
      bodies: values.map((value, i) => meaning("json", jsonBodies[i]!, value)),
    },
    { format: "JSON scalar", bodies: scalars.map((value) => labelled("json", text(value), value)) },
    {
      format: "JSON, UTF-8 with BOM",
      bodies: values.map((value, i) =>
        meaning("json", Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), jsonBodies[i]!]), value),
      ),
    },
    {
      format: "JSON, UTF-16LE",
      bodies: plain(jsonBodies.map((bytes) => Buffer.from(bytes.toString(), "utf16le"))),
    },
    {
      format: "JSON, UTF-16LE with BOM",
      bodies: plain(jsonBodies.map((bytes) => Buffer.from(`\ufeff${bytes}`, "utf16le"))),
    },
    {
      format: "JSON, UTF-16BE",
      bodies: plain(jsonBodies.map((bytes) => Buffer.from(bytes.toString(), "utf16le").swap16())),
    },
    {
      format: "JSON in a JSON string",
      bodies: jsonBodies.map((bytes) => labelled("json", text(bytes.toString()), bytes.toString())),
    },
    {
      format: "two JSON documents",
      bodies: plain(jsonBodies.map((bytes) => Buffer.concat([bytes, Buffer.from("\n"), bytes]))),
    },
    {
      format: "JSON in base64",
      bodies: plain(jsonBodies.map((bytes) => Buffer.from(bytes.toString("base64")))),
    },
    {
      format: "JSON with comments",
      bodies: plain(jsonBodies.map((bytes) => Buffer.from(`${bytes} // end`))),
    },
    { format: "JSON, truncated", bodies: plain(truncated(jsonBodies)) },
    { format: "gzip'd JSON", bodies: plain(jsonBodies.map((bytes) => gzipSync(bytes))) },
    { format: "deflated JSON", bodies: plain(jsonBodies.map((bytes) => deflateSync(bytes))) },
    { format: "brotli'd JSON", bodies: plain(jsonBodies.map((bytes) => brotliCompressSync(bytes, quickly))) },
    {
      format: "MessagePack map or array",
      bodies: packed
        .filter(([value]) => isEvident(value))
        .map(([value, bytes]) => meaning("msgpack", bytes, value)),
    },
    {
      format: "MessagePack without two named keys in a map",
      bodies: packed
        .filter(([value]) => !isEvident(value))
        .map(([value, bytes]) => labelled("msgpack", bytes, value)),
    },
    {
      format: "MessagePack empty map or array",
      bodies: [
        labelled("msgpack", Uint8Array.of(0x80), {}),
        labelled("msgpack", Uint8Array.of(0x90), []),
        labelled("msgpack", Uint8Array.of(0xdc, 0, 0), []),
        labelled("msgpack", Uint8Array.of(0xde, 0, 0), {}),
      ],
    },
    {
      format: "MessagePack scalar",
      bodies: scalars.map((value) => labelled("msgpack", copied(plainPackr.pack(value)), value)),
    },
    {
      format: "MessagePack with record extensions",
      bodies: plain(values.filter(isRecord).map((value) => copied(new Packr().pack(value)))),
    },
    {
      format: "MessagePack, truncated",
      bodies: plain(truncated(values.filter(notEmpty).map((value) => copied(pack(value))))),
    },
    {
      format: "Avro single-object, known schema",
      bodies: orders.map((value) => meaning("avro", singleObject(orderType, value), value)),
    },
    {
      format: "Avro single-object, unknown schema",
      bodies: plain(values.flatMap((value) => inferredAvro(value, (type) => singleObject(type, value)))),
    },
    {
      format: "Avro single-object, truncated",
      bodies: plain(truncated(orders.map((value) => singleObject(orderType, value)))),
    },
    {
      format: "Avro raw, known schema",
      bodies: plain(orders.map((value) => copied(orderType.toBuffer(value)))),
    },
    {
      format: "Avro raw, other schemas",
      bodies: plain(
        [...values, ...scalars].flatMap((value) => inferredAvro(value, (type) => type.toBuffer(value))),
      ),
    },
    {
      format: "Avro raw string that holds JSON",
      bodies: plain(
        jsonBodies.map((bytes) => copied(avsc.Type.forSchema("string").toBuffer(bytes.toString()))),
      ),
    },
    {
      format: "Avro with Confluent header",
      bodies: plain(
        orders.map((value) => Buffer.concat([Buffer.from([0, 0, 0, 0, 7]), orderType.toBuffer(value)])),
      ),
    },
    {
      format: "CBOR, self-described",
      bodies: values.map((value) => meaning("cbor", selfDescribed(cbor(value)), value)),
    },
    {
      format: "CBOR map or array",
      bodies: values.map((value) => labelled("cbor", copied(cbor(value)), value)),
    },
    { format: "CBOR scalar", bodies: scalars.map((value) => labelled("cbor", copied(cbor(value)), value)) },
    { format: "CBOR, truncated", bodies: plain(truncated(values.map((value) => copied(cbor(value))))) },
    {
      format: "BSON",
      bodies: plain(values.filter(isRecord).map((value) => BSON.serialize(value as object))),
    },
    { format: "Protocol Buffers", bodies: plain(orders.map(protobuf)) },
    {
      format: "Protocol Buffers of a known type",
      bodies: orders.map((order) => {
        const message = fromJson(StructSchema, order);
        return labelled("protobuf", toBinary(StructSchema, message), message);
      }),
    },
    {
      format: "XML",
      bodies: documents.map((value) => {
        const text = `<?xml version="1.0"?><order>${escaped(JSON.stringify(value))}</order>`;
        return meaning("xml", Buffer.from(text), { text, parsed: { order: JSON.stringify(value) } });
      }),
    },
    {
      format: "XML without declaration",
      bodies: documents.map((value) => {
        const text = `<order><data>${escaped(JSON.stringify(value))}</data></order>`;
        return meaning("xml", Buffer.from(text), {
          text,
          parsed: { order: { data: JSON.stringify(value) } },
        });
      }),
    },
    { format: "plain text", bodies: plain(sentences()) },
    {
      format: "text in brackets",
      bodies: plain(sentences().flatMap((line) => [Buffer.from(`[${line}]`), Buffer.from(`{${line}}`)])),
    },
    {
      format: "CSV",
      bodies: plain(
        orders.map((o) => Buffer.from(`id,quantity,note\n"${o.id}",${o.quantity},"${o.note ?? ""}"\n`)),
      ),
    },
    {
      format: "URL-encoded form",
      bodies: plain(orders.map((o) => Buffer.from(`id=${encodeURIComponent(o.id)}&quantity=${o.quantity}`))),
    },
    {
      format: "YAML",
      bodies: plain(orders.map((o) => Buffer.from(`id: ${o.quantity}\nlines:\n  - ${o.quantity}\n`))),
    },
    { format: "legacy .NET binary XML", bodies: dotnet() },
    {
      format: "legacy .NET binary XML, malformed",
      bodies: plain(malformedFiles().map((name) => readBytes(`malformed/${name}`))),
    },
    { format: "random, 1–32 bytes", bodies: plain(random(1, 32, 2000)) },
    { format: "random, 33–2000 bytes", bodies: plain(random(33, 2000, 400)) },
    ...foreignFormats(),
    ...legacyTexts(),
  ];
  return families.map((family) => ({
    ...family,
    bodies: family.bodies.filter(({ bytes }) => bytes.length > 0),
  }));
}

function meaning(format: ChainFormat, bytes: Uint8Array, value: unknown): Body {
  return { bytes, meaning: { format, value } };
}

function labelled(format: ChainFormat, bytes: Uint8Array, value: unknown): Body {
  return { bytes, meaning: { format, value }, needsLabel: true };
}

function plain(bodies: readonly Uint8Array[]): Body[] {
  return bodies.map((bytes) => ({ bytes }));
}

function containers(): unknown[] {
  const webhooks = (examples as unknown as { examples: unknown[] }[])
    .slice(0, 60)
    .map((event) => event.examples[0]);
  const key = fc
    .oneof(fc.constantFrom("id", "name", "items", "total", "ok"), fc.string({ maxLength: 12 }))
    .filter((k) => k !== "__proto__");
  const leaf = fc.oneof(
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => n + 0),
    fc.string(),
    fc.boolean(),
    fc.constant(null),
  );
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      fc.array(fc.oneof({ maxDepth: 4 }, leaf, tie("tree")), { maxLength: 20 }),
      fc.dictionary(key, fc.oneof({ maxDepth: 4 }, leaf, tie("tree")), {
        maxKeys: 20,
        noNullPrototype: true,
      }),
    ),
  }));
  // A round trip through JSON, because it has no negative zero and the expected value must be the same for every format.
  return [...webhooks, ...fc.sample(tree, { numRuns: 240, seed })].map((value) =>
    JSON.parse(JSON.stringify(value)),
  );
}

function notEmpty(value: unknown): boolean {
  return Object.keys(value as object).length > 0;
}

/** The rule of MessagePack without a label, written down a second time: some map has two keys that print, of six bytes with their headers. */
function isEvident(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const keys = Array.isArray(value) ? [] : Object.keys(value).filter((key) => /^\P{Control}+$/u.test(key));
  const isNamed = keys.length >= 2 && keys.join("").length + keys.length >= 6;
  return isNamed || Object.values(value).some(isEvident);
}

function isRecord(value: unknown): boolean {
  return !Array.isArray(value) && notEmpty(value);
}

/** The value's bytes under a schema inferred from it; nothing for values whose keys are no Avro names. */
function inferredAvro(value: unknown, encode: (type: avsc.Type) => Uint8Array): Uint8Array[] {
  try {
    const type = inferredTypes.get(value) ?? avsc.Type.forValue(value as object);
    inferredTypes.set(value, type);
    return [copied(encode(type))];
  } catch {
    return [];
  }
}

function singleObject(type: avsc.Type, value: unknown): Uint8Array {
  return Buffer.concat([Buffer.from([0xc3, 0x01]), fingerprint(type), type.toBuffer(value)]);
}

/** CRC-64-AVRO of the canonical form, little-endian, implemented independently of the serializer. Source: Avro 1.12, Schema Fingerprints. */
function fingerprint(type: avsc.Type): Uint8Array {
  const empty = 0xc15d213aa4d7a795n;
  let hash = empty;
  for (const byte of Buffer.from(JSON.stringify(type.schema()))) {
    hash ^= BigInt(byte);
    for (let bit = 0; bit < 8; bit++) hash = (hash >> 1n) ^ (hash & 1n ? empty : 0n);
  }
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(hash);
  return bytes;
}

function truncated(bodies: readonly Uint8Array[]): Uint8Array[] {
  return bodies
    .filter(({ length }) => length > 1)
    .flatMap((bytes) => {
      const cuts = new Set([1, bytes.length >> 2, bytes.length >> 1, bytes.length - 1]);
      return [...cuts].filter((cut) => cut > 0).map((cut) => bytes.subarray(0, cut));
    });
}

function protobuf(order: { id: string; quantity: number }): Uint8Array {
  const id = Buffer.from(order.id).subarray(0, 127);
  const quantity = Math.abs(order.quantity) & 0x7f;
  return Buffer.concat([Buffer.from([0x0a, id.length]), id, Buffer.from([0x10, quantity])]);
}

function sentences(): Uint8Array[] {
  const word = fc.constantFrom(
    "order",
    "shipped",
    "2026-03-14",
    "ERROR",
    "null",
    "true",
    "42",
    "3.14",
    "customer",
    "naïve",
    "注文",
  );
  return fc
    .sample(fc.array(word, { minLength: 2, maxLength: 30 }), { numRuns: 200, seed })
    .map((words) => Buffer.from(words.join(" ")));
}

/** What .NET's own serializer wrote; by hand are some that its root does not show. */
function dotnet(): Body[] {
  return legacyBodies.map(({ name }) => {
    const bytes = readBytes(`legacy/${name}.bin`);
    const value = readExpected(`legacy/${name}.expected.json`);
    return name.startsWith("hand-")
      ? labelled("dotnet-binary", bytes, value)
      : meaning("dotnet-binary", bytes, value);
  });
}

/** What must be refused as .NET binary XML, without files of other formats. */
function malformedFiles(): string[] {
  const folder = new URL("../../packages/serializer-dotnet/fixtures/malformed/", import.meta.url);
  return readdirSync(folder).filter((name) => name.endsWith(".bin") && !name.startsWith("plain-"));
}

function selfDescribed(item: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from([0xd9, 0xd9, 0xf7]), item]);
}

function random(minLength: number, maxLength: number, numRuns: number): Uint8Array[] {
  return fc.sample(fc.uint8Array({ minLength, maxLength, size: "max" }), { numRuns, seed });
}

function copied(bytes: Uint8Array): Uint8Array {
  return Uint8Array.from(bytes);
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
