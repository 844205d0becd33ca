import { deflateRawSync } from "node:zlib";
import { createPipeline } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";
import { xml } from "@waybill/serializer-xml";
import { expect, it } from "vitest";

const pipeline = createPipeline({
  serializer: msgpack(),
  additionalDeserializers: [json(), xml({ value: "parsed" })],
});
const order = { id: "A-1042" };
const text = JSON.stringify(order);
const document = "<order><id>A-1042</id></order>";

it.each([
  ["a StreamWriter of .NET, with a byte order mark", { body: `\uFEFF${text}` }, order],
  [
    "an XmlWriter of .NET, with a byte order mark",
    { body: `\uFEFF<?xml version="1.0"?>${document}` },
    { order },
  ],
  ["a template, with white space around it", { body: `\r\n  ${text}\n` }, order],
  ["a template of XML, with white space around it", { body: `\n${document}\n` }, { order }],
  ["Azure Functions, which label every string", { body: text, contentType: "text/plain" }, order],
  [
    "curl, which labels data as a form",
    { body: text, contentType: "application/x-www-form-urlencoded" },
    order,
  ],
  ["a string of XML under that label", { body: document, contentType: "text/plain" }, { order }],
  [
    "a DeflateStream of .NET",
    { body: deflateRawSync(text), applicationProperties: { "Content-Encoding": "deflate" } },
    order,
  ],
])("reads a body of %s", async (_, { body, ...message }, expected) => {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  expect(await pipeline.deserialize({ ...message, body: bytes })).toMatchObject({
    status: "decoded",
    body: expected,
  });
});
