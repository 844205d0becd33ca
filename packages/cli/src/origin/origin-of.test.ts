import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { originOf } from "./origin-of.js";

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

describe("originOf", () => {
  it.each([
    ["legacy .NET string holding JSON", { body: legacy("string", '{"id":7}') }],
    ["legacy .NET string holding XML", { body: legacy("string", "<a/>") }],
    ["legacy .NET string", { body: legacy("string", "hello") }],
    ["Confluent-framed Avro, id 7, no registry given", { body: hex("00 00000007 0c412d31303432") }],
    ["Confluent-framed JSON, id 7, no registry given", { body: hex("00 00000007 7b7d") }],
    [
      "Confluent id 48 (Apicurio's bytes are the same) or Azure's beta preamble",
      { body: utf8(`\0\0\0\0${"0123456789abcdef".repeat(2)}x`) },
    ],
    ["Avro single-object, schema fingerprint 0x0807060504030201", { body: hex("c301 0102030405060708 00") }],
    [
      "Avro under Azure Schema Registry's id 0123456789abcdef0123456789abcdef",
      { body: hex("00"), contentType: "avro/binary+0123456789abcdef0123456789abcdef" },
    ],
    [
      "NServiceBus in the legacy .NET form holding JSON",
      {
        body: hex("00"),
        contentType: "application/json",
        applicationProperties: { "NServiceBus.Transport.Encoding": "wcf/byte-array" },
      },
    ],
    [
      "NServiceBus holding XML",
      {
        body: hex("00"),
        contentType: "text/xml",
        applicationProperties: { "NServiceBus.EnclosedMessageTypes": "A" },
      },
    ],
    ["MassTransit's envelope", { body: hex("00"), contentType: "application/vnd.masstransit+json" }],
    [
      "CloudEvent in binary mode",
      { body: hex("00"), applicationProperties: { cloudEvents_specversion: "1.0" } },
    ],
    ["Dapr's CloudEvent", { body: utf8('{"specversion":"1.0","source":"a","type":"b","pubsubname":"c"}') }],
    ["JSON", { body: utf8(" [1,2]") }],
    ["JSON in a JSON string", { body: utf8(JSON.stringify('{"a":1}')) }],
    ["a JSON scalar without a label", { body: utf8("7") }],
    ["XML", { body: utf8("<order/>") }],
    ["plain text", { body: utf8("The order was shipped.") }],
    ["text in UTF-16", { body: hex("fffe 7b00") }],
    ["gzip without a Content-Encoding", { body: hex("1f8b0800") }],
    ["MessagePack", { body: hex("82a26964f0") }],
    ["self-described CBOR", { body: hex("d9d9f7a0") }],
  ])("names %s", (name, traces) => expect(originOf(traces)?.name).toBe(name));

  it("returns undefined for unknown bytes", () => {
    expect(originOf({ body: hex("fffefdfc") })?.name).not.toBe("JSON");
    expect(originOf({ body: hex("f7f8f9") })).toBeUndefined();
  });

  it("names a legacy .NET object by its root", () => {
    const body = new Uint8Array(
      readFileSync(new URL("../../../serializer-dotnet/fixtures/legacy/poco-order.bin", import.meta.url)),
    );
    expect(originOf({ body })).toEqual({ name: 'legacy .NET object "Order"', add: "dotnetBinary()" });
  });
});
