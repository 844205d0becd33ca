import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { enclosingEnvelope } from "./enclosing-envelope.js";
import { originOf, originText } from "./origin-of.js";

const utf8 = (text: string) => new TextEncoder().encode(text);
const hex = (text: string) => new Uint8Array(Buffer.from(text.replaceAll(" ", ""), "hex"));
/** `new BrokeredMessage(object)` of a string or bytes: .NET binary XML. */
const legacy = (root: string, content: string) =>
  new Uint8Array(
    Buffer.from(
      `@${String.fromCharCode(root.length)}${root}\u00083http://schemas.microsoft.com/2003/10/Serialization/\u0099${String.fromCharCode(content.length)}${content}`,
      "latin1",
    ),
  );
const cloudEvent = { specversion: "1.0", id: "1", source: "/shop", type: "order.placed", data: { id: 7 } };
const massTransit = { messageId: "1", messageType: ["urn:message:Shop:OrderPlaced"], message: { id: 7 } };
const rebus = { Headers: { "rbs2-msg-type": "Shop.OrderPlaced, Shop" }, Body: "eyJ9" };
const nserviceBus = { Headers: { "NServiceBus.EnclosedMessageTypes": "Shop.OrderPlaced" }, Body: "eyJ9" };

describe("originOf", () => {
  it.each([
    ["a legacy .NET string holding JSON", { body: legacy("string", '{"id":7}') }],
    ["a legacy .NET string holding XML", { body: legacy("string", "<a/>") }],
    ["a legacy .NET string", { body: legacy("string", "hello") }],
    ["Avro with the id 7 in Confluent's framing", { body: hex("00 00000007 0c412d31303432") }],
    ["JSON with the id 7 in Confluent's framing", { body: hex("00 00000007 7b7d") }],
    ["Avro with the id 7 in Apicurio's framing", { body: hex("00 0000000000000007 0c41") }],
    ["a message of gRPC, with its frame", { body: hex("00 00000002 0801") }],
    ["Avro with AWS Glue's schema version", { body: hex("03 00 0123456789ab4def8123456789abcdef 0c") }],
    ["Avro with the schema fingerprint 0x0807060504030201", { body: hex("c301 0102030405060708 00") }],
    ["an Avro container file, which is not a message", { body: hex("4f626a01 0216") }],
    [
      "Avro of Azure Schema Registry",
      { body: hex("00"), contentType: "avro/binary+0123456789abcdef0123456789abcdef" },
    ],
    [
      "a message of NServiceBus in the legacy .NET form holding JSON",
      {
        body: hex("00"),
        contentType: "application/json",
        applicationProperties: { "NServiceBus.Transport.Encoding": "wcf/byte-array" },
      },
    ],
    [
      "a message of NServiceBus holding XML",
      {
        body: hex("00"),
        contentType: "text/xml",
        applicationProperties: { "NServiceBus.EnclosedMessageTypes": "A" },
      },
    ],
    [
      "a message of Rebus holding JSON",
      {
        body: utf8("{}"),
        applicationProperties: {
          "rbs2-msg-type": "Shop.OrderPlaced, Shop",
          "rbs2-content-type": "application/json;charset=utf-8",
        },
      },
    ],
    [
      "a message of Rebus, compressed",
      {
        body: hex("1f8b0800"),
        applicationProperties: { "rbs2-msg-type": "A", "rbs2-content-encoding": "gzip" },
      },
    ],
    ["Protocol Buffers", { body: hex("0801"), contentType: "application/vnd.google.protobuf" }],
    ["Protocol Buffers", { body: hex("0801"), contentType: "application/proto; charset=utf-8" }],
    [
      "raw JSON of MassTransit",
      { body: utf8("{}"), applicationProperties: { "MT-MessageType": "urn:message:A" } },
    ],
    ["an envelope of MassTransit", { body: hex("00"), contentType: "application/vnd.masstransit+json" }],
    [
      "a CloudEvent in binary mode",
      { body: hex("00"), applicationProperties: { cloudEvents_specversion: "1.0" } },
    ],
    ["a CloudEvent of Dapr", { body: utf8(JSON.stringify({ ...cloudEvent, pubsubname: "c" })) }],
    ["a CloudEvent whose content type was lost", { body: utf8(JSON.stringify(cloudEvent)) }],
    ["JSON", { body: utf8(" [1,2]") }],
    ["JSON", { body: utf8(`[${"1,".repeat(50_000)}1]`) }],
    ["JSON in a JSON string", { body: utf8(JSON.stringify('{"a":1}')) }],
    ["a JSON scalar without a label", { body: utf8("7") }],
    ["XML", { body: utf8("<order/>") }],
    ["plain text", { body: utf8("The order was shipped.") }],
    ["plain text", { body: utf8(`${"é".repeat(40_000)}.`) }],
    ["text in UTF-16", { body: hex("fffe 7b00") }],
    ["gzip data without its label", { body: hex("1f8b0800") }],
    ["data compressed with zstd, which waybill does not read", { body: hex("28b52ffd 24") }],
    ["data of .NET's BinaryFormatter, which is not safe to read", { body: hex("0001000000ffffffff01") }],
    ["a serialized Java object, which is not safe to read", { body: hex("aced0005 7372") }],
    ["MessagePack", { body: hex("82a26964f0") }],
    ["self-described CBOR", { body: hex("d9d9f7a0") }],
    ["CBOR without a label", { body: hex("a2616101") }],
  ])("names %s", (name, traces) => expect(originOf(traces)?.name).toBe(name));

  it("names nothing for no bytes and for unknown ones", () => {
    expect(originOf({ body: new Uint8Array() })).toBeUndefined();
    expect(originOf({ body: hex("f7f8f9") })).toBeUndefined();
  });

  it("names a legacy .NET object by its root, and only if that is a name", () => {
    const body = new Uint8Array(
      readFileSync(new URL("../../../serializer-dotnet/fixtures/legacy/poco-order.bin", import.meta.url)),
    );
    expect(originOf({ body })).toMatchObject({
      name: 'a legacy .NET object "Order"',
      add: "dotnetBinary()",
      package: "@waybill/serializer-dotnet",
      serializer: "dotnet-binary",
    });
    expect(originOf({ body: legacy("a secret", "") })?.name).toBe("a legacy .NET object");
  });

  it("never throws, for any first byte and any length", () => {
    for (let first = 0; first < 256; first++) {
      for (const rest of [[], [0], [1, 0, 0, 5, 1], new Array(20).fill(0xff)]) {
        expect(() => originOf({ body: Uint8Array.of(first, ...rest), contentType: "a/b" })).not.toThrow();
      }
    }
  });
});

describe("originText", () => {
  it("says what to add to the client, and what to change at the sender", () => {
    const text = (bytes: string) => originText(originOf({ body: hex(bytes) }) ?? expect.fail());
    expect(text("82a26964f0")).toBe(
      "It looks like MessagePack: add msgpack() (@waybill/serializer-msgpack).",
    );
    expect(text("1f8b0800")).toBe(
      "It looks like gzip data without its label. Let the sender set the application property Content-Encoding: gzip.",
    );
    expect(text("a2616101")).toBe(
      "It looks like CBOR without a label: add cbor() (@waybill/serializer-cbor). Let the sender set the content type application/cbor.",
    );
    expect(text("504b0304")).toBe("It looks like a ZIP archive.");
  });
});

describe("enclosingEnvelope", () => {
  it.each([
    ["a CloudEvent whose content type was lost", cloudEvent],
    ["a CloudEvent of Dapr", { ...cloudEvent, pubsubname: "pubsub" }],
    ["an envelope of MassTransit whose content type was lost", massTransit],
    ["an envelope that NServiceBus wrote for another transport", nserviceBus],
    ["an envelope that Rebus wrote for another transport", rebus],
  ])("notices %s", (name, value) => {
    expect(enclosingEnvelope(value)?.name).toBe(name);
    expect(enclosingEnvelope(new Map(Object.entries(value)))?.name).toBe(name);
  });

  it.each([
    undefined,
    null,
    "specversion",
    [],
    { id: 7 },
    { messageType: "order", message: "hello" },
    { Headers: { a: 1 }, Body: "" },
    { Headers: null, Body: "" },
    { Headers: rebus.Headers },
    { specversion: 1, source: "a", type: "b" },
    Object.create(cloudEvent),
  ])("notices nothing in %j", (value) => expect(enclosingEnvelope(value)).toBeUndefined());
});
