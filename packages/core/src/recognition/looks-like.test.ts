import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { EncodedMessage } from "../message/message.js";
import type { DeserializationOutcome } from "../message/outcome.js";
import { bodyType, defineMessage } from "../message-types/define-message.js";
import type { PipelineOptions } from "../pipeline/options.js";
import { createPipeline } from "../pipeline/pipeline.js";
import { plainJson } from "../plain-json.test-support.js";
import { looksLike } from "./looks-like.js";

const utf8 = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const json = { ...plainJson, name: "json" };
const messagePack = Uint8Array.of(0x82, 0xa2, 0x69, 0x64, 1, 0xa2, 0x6e, 0x6f, 2);
const event = { specversion: "1.0", id: "1", source: "/shop", type: "order.placed", data: { id: 7 } };

function read(message: EncodedMessage, options: Partial<PipelineOptions> = {}): DeserializationOutcome {
  return createPipeline({ serializer: json, ...options }).deserialize(message) as DeserializationOutcome;
}

describe("an unreadable body", () => {
  it("is named in the outcome and its description, with what reads it", () => {
    const outcome = read({ body: messagePack });
    expect(looksLike(outcome)).toMatchObject({ name: "MessagePack", add: "msgpack()" });
    expect(outcome).toMatchObject({
      description: expect.stringContaining(
        "\nIt looks like MessagePack: add msgpack() (@waybill/serializer-msgpack).\n",
      ),
    });
  });

  it("is looked at after decompression", () => {
    const body = new Uint8Array(gzipSync(messagePack));
    const message = { body, applicationProperties: { "Content-Encoding": "gzip" } };
    expect(looksLike(read(message))).toMatchObject({ name: "MessagePack" });
    expect(looksLike(read({ body }))).toMatchObject({ name: "gzip data without its label" });
  });

  it("is not named if the serializer for it is in the chain and refused it, nor if another reason decides", () => {
    const damaged = { body: new TextEncoder().encode('<order id="1">') };
    expect(looksLike(read(damaged))).toMatchObject({ name: "XML" });
    const xml = { ...json, name: "xml", mediaTypes: ["application/xml"], leadingBytes: [0x3c] };
    expect(looksLike(read(damaged, { additionalDeserializers: [xml] }))).toBeUndefined();
    const order = defineMessage("order", { version: 1, schemas: { 1: bodyType<object>() } });
    const untyped = { messageTypes: [order], messageTypePolicies: { missing: "reject" } } as const;
    expect(looksLike(read({ body: messagePack }, untyped))).toBeUndefined();
  });
});

describe("an unreadable message of Rebus", () => {
  const rebus = (contentType: string) =>
    looksLike(
      read({
        body: messagePack,
        applicationProperties: { "rbs2-msg-type": "Shop.OrderPlaced", "rbs2-content-type": contentType },
      }),
    );

  it("is named also to a chain that has the serializer, with what reads its format", () => {
    expect(rebus("application/json;charset=utf-8")).toMatchObject({
      name: "a message of Rebus holding JSON",
      add: "json(), and a messageTypeResolver that reads rbs2-msg-type",
    });
    expect(rebus("application/x-msgpack")).toMatchObject({ package: "@waybill/serializer-msgpack" });
    expect(rebus("application/protobuf")).toMatchObject({ package: "@waybill/serializer-protobuf" });
    expect(rebus("text/xml; charset=utf-8")).toMatchObject({ package: "@waybill/serializer-xml" });
  });
});

describe("a decoded body", () => {
  it("is noticed if it is an envelope whose label was lost", () => {
    expect(looksLike(read({ body: utf8(event) }))).toMatchObject({
      name: "a CloudEvent whose content type was lost",
      package: "@waybill/envelopes",
    });
    expect(looksLike(read({ body: utf8({ id: 7 }) }))).toBeUndefined();
  });

  it("is not noticed if it has a message type, which says that it is expected", () => {
    const order = defineMessage("order", { version: 1, schemas: { 1: bodyType<object>() } });
    const outcome = read({ body: utf8(event), subject: "order" }, { messageTypes: [order] });
    expect(outcome.status).toBe("decoded");
    expect(looksLike(outcome)).toBeUndefined();
  });
});
