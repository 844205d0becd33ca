/** The formats of the built-in corpus. */
export type ForeignFormat =
  | "json"
  | "json-byte-order-mark"
  | "json-utf-16"
  | "json-sequence"
  | "msgpack"
  | "msgpack-records"
  | "avro-raw"
  | "avro-single-object"
  | "avro-confluent"
  | "cbor"
  | "compressed"
  | "dotnet-binary"
  | "xml"
  | "text"
  | "random";

/** A body as a program writes it. */
export interface ForeignBody {
  readonly format: ForeignFormat;
  /** Its content, and the program and version that wrote it unless it is plain text. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

const orderText =
  '{"id":"A-1042","customer":"Zoë","amount":129.95,"paid":true,"note":null,' +
  '"lines":[{"sku":"lamp","quantity":2},{"sku":"bulb","quantity":12}]}';

const orderMsgpack =
  "hqJpZKZBLTEwNDKoY3VzdG9tZXKkWm/Dq6ZhbW91bnTLQGA+ZmZmZmakcGFpZMOkbm90ZcClbGluZXOS" +
  "gqNza3WkbGFtcKhxdWFudGl0eQKCo3NrdaRidWxiqHF1YW50aXR5DA==";

/**
 * Bodies of many formats, most of them the same order. A serializer must not read undeclared bodies of another format.
 * The binary ones were written by the named programs; the .NET ones by Mono 6.8's `DataContractSerializer` as `BrokeredMessage` writes
 * them ([MC-NBFX], no dictionary); the random ones are SHA-256 of "waybill 16" and "waybill 32".
 */
export const foreignBodies: readonly ForeignBody[] = Object.freeze([
  text("json", "an order", orderText),
  text("json", "an order behind white space", ` \r\n\t${orderText}\n`),
  text("json", "an array", "[1,2,3]"),
  text("json", "an empty object", "{}"),
  text("json", "an empty array", "[]"),
  text("text", "a JSON number", "7"),
  text("text", "a JSON string", '"hello"'),
  text("text", "a JSON literal", "null"),
  text("text", "JSON in a JSON string", JSON.stringify(orderText)),
  text("json-sequence", "two JSON documents", `${orderText}\n${orderText}`),
  text("json-sequence", "a JSON text sequence, RFC 7464", `\u001e${orderText}\n`),
  text("json-byte-order-mark", "an order", `\uFEFF${orderText}`),
  utf16("an order, little-endian with byte order mark", `\uFEFF${orderText}`),
  utf16("an order, little-endian", orderText),
  base64("msgpack", "an order, msgpackr 2.1.3 and @msgpack/msgpack 3.1.3", orderMsgpack),
  base64("msgpack", "an array, @msgpack/msgpack 3.1.3", "kwECAw=="),
  base64("text", "the MessagePack number 7", "Bw=="),
  base64("text", "the MessagePack string hello", "pWhlbGxv"),
  base64("text", "the empty MessagePack map, the empty CBOR array", "gA=="),
  base64("text", "the empty MessagePack array", "kA=="),
  base64("msgpack-records", "two records, msgpackr 2.1.3 with its defaults", "ktRyQJKhYaFiAaF4QAKheQ=="),
  base64("avro-raw", "an order, avsc 5.7.9", "DEEtMTA0Mghab8OrZmZmZmY+YEABAAQIbGFtcAQIYnVsYhgA"),
  base64("avro-raw", "an array of longs, avsc 5.7.9", "BgIEBgA="),
  base64("avro-raw", "a map of ints, avsc 5.7.9", "AgJhAgA="),
  base64("avro-raw", "the string [[1,2,3,4,5]], avsc 5.7.9", "GltbMSwyLDMsNCw1XV0="),
  base64(
    "avro-single-object",
    "an order under an unknown schema, avsc 5.7.9",
    "wwHOcNbS0gHrugxBLTEwNDIIWm/Dq2ZmZmZmPmBAAQAECGxhbXAECGJ1bGIYAA==",
  ),
  base64(
    "avro-confluent",
    "an order under schema id 42, avsc 5.7.9",
    "AAAAACoMQS0xMDQyCFpvw6tmZmZmZj5gQAEABAhsYW1wBAhidWxiGAA=",
  ),
  base64(
    "cbor",
    "an order, cborg 6.1.5",
    "pmJpZGZBLTEwNDJkbm90ZfZkcGFpZPVlbGluZXOComNza3VkbGFtcGhxdWFudGl0eQKiY3NrdWRidWxiaHF1YW50aXR5DGZhbW91bnT7QGA+ZmZmZmZoY3VzdG9tZXJkWm/Dqw==",
  ),
  base64(
    "cbor",
    "an order, cbor-x 1.6.8",
    "pmJpZGZBLTEwNDJoY3VzdG9tZXJkWm/Dq2ZhbW91bnT7QGA+ZmZmZmZkcGFpZPVkbm90ZfZlbGluZXOComNza3VkbGFtcGhxdWFudGl0eQKiY3NrdWRidWxiaHF1YW50aXR5DA==",
  ),
  base64("cbor", "an array, cborg 6.1.5", "gwECAw=="),
  base64("text", "the empty CBOR map", "oA=="),
  base64("cbor", "an array behind the self-described tag, RFC 8949 3.4.6", "2dn3gwECAw=="),
  base64(
    "compressed",
    "an order, gzip of Node 20",
    "H4sIAAAAAAAAA1XLMQ7CMAwF0Lv82VQkokO9cQ0QQwoZIhKnNPaAqpyIY3AxxMDA/PQ2pBsYx53bHzwIV2taS1zBONX3C4RQqomCnZ+GaSQs4Tt0tUiQqhEsljMhJ4kNfN7Q7gZGDmUB4WFBNOkT7Dv9bLY8/5nz/dI/p0MA9YwAAAA=",
  ),
  base64(
    "compressed",
    "an order, deflate of Node 20",
    "eJxVyzEOwjAMBdC7/NlUJKJDvXENEEMKGSISpzT2gKqciGNwMcTAwPz0NqQbGMed2x88CFdrWktcwTjV9wuEUKqJgp2fhmkkLOE7dLVIkKoRLJYzISeJDXze0O4GRg5lAeFhQTTpE+w7/Wy2PP+Z8/3SPwGrLOY=",
  ),
  base64(
    "compressed",
    "an order, Brotli of Node 20",
    "G4sAQB2HsfMkrczTNOHwlQiwXeqXMf8jfFQqyU8xb2z26adWh1OHpUsnB8Q3+37r4oFAi8PAQ5aUKn3ubM4DSx/GKQrqgvVJBA+EmIY0d3YLXoQ4PMAAHmzNd1WU/X7FURP/Wsy1ZIbUPw==",
  ),
  base64(
    "dotnet-binary",
    "a string that holds JSON",
    "QAZzdHJpbmcIM2h0dHA6Ly9zY2hlbWFzLm1pY3Jvc29mdC5jb20vMjAwMy8xMC9TZXJpYWxpemF0aW9uL5kreyJvcmRlcklkIjoiQS0xMDAxIiwicXR5IjozLCJub3RlIjoiY2Fmw6kifQ==",
  ),
  base64(
    "dotnet-binary",
    "an enumeration value",
    "QAtPcmRlclN0YXR1cwg2aHR0cDovL3NjaGVtYXMuZGF0YWNvbnRyYWN0Lm9yZy8yMDA0LzA3L0NvbnRvc28uT3JkZXJzmQdTaGlwcGVk",
  ),
  base64(
    "dotnet-binary",
    "a dictionary",
    "QBpBcnJheU9mS2V5VmFsdWVPZnN0cmluZ2ludAg5aHR0cDovL3NjaGVtYXMubWljcm9zb2Z0LmNvbS8yMDAzLzEwL1NlcmlhbGl6YXRpb24vQXJyYXlzCQFpKWh0dHA6Ly93d3cudzMub3JnLzIwMDEvWE1MU2NoZW1hLWluc3RhbmNlQBNLZXlWYWx1ZU9mc3RyaW5naW50QANLZXmZBmFwcGxlc0AFVmFsdWWJAwFAE0tleVZhbHVlT2ZzdHJpbmdpbnRAA0tleYFABVZhbHVlgQFAE0tleVZhbHVlT2ZzdHJpbmdpbnRAA0tleZkFcGVhcnNABVZhbHVlifkBAQ==",
  ),
  text("xml", "an order", '<?xml version="1.0"?><order id="A-1042"><customer>Zoë</customer></order>'),
  text("text", "a sentence", "The order A-1042 was shipped to Zoë."),
  text("text", "one letter", "a"),
  text("text", "a brace", "{"),
  text("text", "a comma-separated line", "A-1042,Zoë,129.95,true"),
  text("text", "YAML", "id: A-1042\nlines:\n  - sku: lamp\n"),
  text("text", "base64 of JSON", "eyJpZCI6IkEtMTA0MiIsInBhaWQiOnRydWV9"),
  base64("text", "one zero byte", "AA=="),
  base64("text", "the byte that MessagePack never uses", "wQ=="),
  base64("text", "one byte of all ones", "/w=="),
  base64("random", "16 bytes", "BE5ssC+yrx0wYGZndQVW/Q=="),
  base64("random", "32 bytes", "/vu4bzB/DwWpYcD1rUxkZzpc3cGAiRJQzyicUCOTH4M="),
] satisfies ForeignBody[]);

function text(format: ForeignFormat, name: string, content: string): ForeignBody {
  return { format, name, bytes: new TextEncoder().encode(content) };
}

function utf16(name: string, content: string): ForeignBody {
  return { format: "json-utf-16", name, bytes: new Uint8Array(Buffer.from(content, "utf16le")) };
}

function base64(format: ForeignFormat, name: string, content: string): ForeignBody {
  return { format, name, bytes: new Uint8Array(Buffer.from(content, "base64")) };
}
