import { readdirSync } from "node:fs";
import { brotliCompressSync, constants, deflateSync, gzipSync } from "node:zlib";
import { fromJson, toBinary } from "@bufbuild/protobuf";
import { StructSchema } from "@bufbuild/protobuf/wkt";
import { BSON } from "bson";
import { encode as cbor } from "cbor-x";
import { Packr, pack } from "msgpackr";
import {
  legacyBodies,
  readBytes,
  readExpected,
} from "../../packages/serializer-dotnet/src/fixtures.test-support.js";
import { avroFamilies } from "./avro-bodies.js";
import { type Body, copied, type Family, labelled, meaning, plain, truncated } from "./family.js";
import { foreignFormats } from "./foreign-formats.js";
import { legacyTexts } from "./legacy-text.js";
import { containers, random, sampleOrders, sampleScalars, sentences } from "./sample-values.js";

/** The default, the best quality, takes fifty times as long. */
const quickly = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
const plainPackr = new Packr({ useRecords: false, variableMapSize: true });

let made: readonly Family[] | undefined;

/**
 * Bodies of the chain's formats and of many others: real webhook payloads, generated values, files of other systems. The same in
 * every run, and made once in a process.
 */
export function corpus(): readonly Family[] {
  made ??= makeCorpus();
  return made;
}

function makeCorpus(): Family[] {
  const values = containers();
  const scalars = sampleScalars();
  const text = (value: unknown) => Buffer.from(JSON.stringify(value));
  const jsonBodies = values.map((value) => text(value));
  const orders = sampleOrders();
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
    ...avroFamilies({ values, scalars, orders, jsonBodies }),
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

function notEmpty(value: unknown): boolean {
  return Object.keys(value as object).length > 0;
}

/** The rule for MessagePack without a content type, implemented again: some map has two printable keys, of six bytes with their headers. */
function isEvident(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const keys = Array.isArray(value) ? [] : Object.keys(value).filter((key) => /^\P{Control}+$/u.test(key));
  const isNamed = keys.length >= 2 && keys.join("").length + keys.length >= 6;
  return isNamed || Object.values(value).some(isEvident);
}

function isRecord(value: unknown): boolean {
  return !Array.isArray(value) && notEmpty(value);
}

function protobuf(order: { id: string; quantity: number }): Uint8Array {
  const id = Buffer.from(order.id).subarray(0, 127);
  const quantity = Math.abs(order.quantity) & 0x7f;
  return Buffer.concat([Buffer.from([0x0a, id.length]), id, Buffer.from([0x10, quantity])]);
}

/** Bodies that .NET's serializer wrote, and hand-made ones that are not recognised by their root. */
function dotnet(): Body[] {
  return legacyBodies.map(({ name }) => {
    const bytes = readBytes(`legacy/${name}.bin`);
    const value = readExpected(`legacy/${name}.expected.json`);
    return name.startsWith("hand-")
      ? labelled("dotnet-binary", bytes, value)
      : meaning("dotnet-binary", bytes, value);
  });
}

/** Files that must be refused as .NET binary XML, without those of other formats. */
function malformedFiles(): string[] {
  const folder = new URL("../../packages/serializer-dotnet/fixtures/malformed/", import.meta.url);
  return readdirSync(folder).filter((name) => name.endsWith(".bin") && !name.startsWith("plain-"));
}

function selfDescribed(item: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from([0xd9, 0xd9, 0xf7]), item]);
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
