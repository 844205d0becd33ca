import { gzipSync } from "node:zlib";
import {
  bodyType,
  createPipeline,
  defineMessage,
  type EncodedMessage,
  type MessageTypeResolver,
  type Serializer,
  sdkBodies,
  text,
} from "@waybill/core";
import { cloudEvents, dapr, massTransit, nserviceBus, wolverine } from "@waybill/envelopes";
import { required } from "@waybill/foundation";
import { dotnetBinary } from "@waybill/serializer-dotnet";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";
import { xml } from "@waybill/serializer-xml";
import { dotnetBodies } from "./dotnet-bodies.js";
import { label } from "./growing-body.js";

/** A message that grows in one dimension, which a pipeline reads. */
export interface GrowingMessage {
  readonly serializers: readonly [Serializer, ...Serializer[]];
  readonly resolver?: MessageTypeResolver;
  /** A message of about as many bytes. */
  readonly make: (bytes: number) => EncodedMessage;
}

const chain = [json(), msgpack(), xml()] as const;
const sdkReader = sdkBodies().serializer;
const order = Buffer.from('{"id":7}');
const event = { specversion: "1.0", id: "1", source: "/shop", type: "order-placed" };
const orderPlaced = defineMessage("order-placed", {
  version: 1,
  schemas: { 1: { body: bodyType<unknown>() } },
});
const types = { OrderPlaced: "order-placed" };

/** Messages by what grows in them, other than a body in its format. */
export const growingMessages: ReadonlyMap<string, GrowingMessage> = new Map(
  Object.entries({
    "a text": reading([text()], (bytes) => ({
      contentType: "text/plain",
      body: Buffer.alloc(bytes, "é line\r\n"),
    })),
    "a text as the SDK reads it": reading([sdkReader], (bytes) => ({ body: Buffer.alloc(bytes, "[1,") })),
    "a form": reading(chain, (bytes) => ({
      contentType: "application/x-www-form-urlencoded",
      body: Buffer.alloc(bytes, "a=%7B&"),
    })),
    "a body of several parts": reading(chain, (bytes) => ({
      contentType: 'multipart/mixed; boundary="x"',
      body: Buffer.alloc(bytes, "--x\r\ncontent-type: application/json\r\n\r\n{}\r\n"),
    })),
    "an unreadable text": reading(chain, (bytes) => ({ body: Buffer.alloc(bytes, "<a ") })),
    "an unreadable body": reading(chain, (bytes) => ({ body: Buffer.alloc(bytes, 0x40) })),
    "declarations of .NET under the label of JSON": reading([json(), dotnetBinary()], (bytes) => ({
      contentType: "application/json",
      body: required(dotnetBodies.declarations).make(bytes),
    })),
    "white space before an unreadable body": reading(chain, (bytes) => ({
      body: Buffer.alloc(bytes, " \n"),
    })),
    "gzip in gzip in gzip": reading(chain, (bytes) => ({
      body: gzipSync(gzipSync(gzipSync(JSON.stringify("x".repeat(bytes)), stored), stored), stored),
      contentType: "application/json",
      applicationProperties: { "Content-Encoding": "gzip, gzip, gzip" },
    })),
    "codings that are named": reading(chain, (bytes) => ({
      body: order,
      applicationProperties: { "Content-Encoding": "gzip,".repeat(bytes / 5) },
    })),
    "parameters of a content type": reading(chain, (bytes) => ({
      body: order,
      contentType: `application/json${pieces(bytes, (index) => `; p${label(index)}=a`)}`,
    })),
    "a parameter without an end": reading(chain, (bytes) => ({
      body: order,
      contentType: `application/json; a="${"\\".repeat(bytes)}`,
    })),
    "application properties": reading(chain, (bytes) => ({
      body: order,
      applicationProperties: properties(bytes),
    })),
    "application properties of an encrypted message": reading(chain, (bytes) => ({
      body: order,
      applicationProperties: { ...properties(bytes), "waybill-encryption-bound": "[]" },
    })),
    "names of bound properties": reading(chain, (bytes) => ({
      body: order,
      applicationProperties: {
        "waybill-encryption": "AES-256-GCM",
        "waybill-encryption-bound": `[${pieces(bytes, (index) => `"${label(index)}",`)}""]`,
      },
    })),
    ...Object.fromEntries(
      Object.entries({ cloudEvents, dapr, massTransit, nserviceBus, wolverine }).map(([name, resolver]) => [
        `application properties for ${name}`,
        reading(
          chain,
          (bytes) => ({ body: order, subject: "order-placed", applicationProperties: properties(bytes) }),
          resolver({ types }),
        ),
      ]),
    ),
    "types of NServiceBus": enclosing((bytes) => "Shop.A, Shop;".repeat(bytes / 13)),
    "brackets in a type of NServiceBus": enclosing((bytes) => "A`1[[".repeat(bytes / 5)),
    "closed brackets in a type of NServiceBus": enclosing((bytes) => `A[${"[]".repeat(bytes / 2)}]`),
    "types of MassTransit": reading(
      chain,
      (bytes) => ({
        contentType: "application/vnd.masstransit+json",
        body: asJson({
          messageType: Array.from({ length: bytes / 20 }, (_, index) => `urn:message:${label(index)}`),
          message: {},
        }),
      }),
      massTransit({ types }),
    ),
    "data_base64 of a CloudEvent": reading(
      chain,
      (bytes) => ({
        contentType: "application/cloudevents+json",
        body: asJson({
          ...event,
          datacontenttype: "application/json",
          data_base64: Buffer.from(JSON.stringify("x".repeat((bytes / 4) * 3))).toString("base64"),
        }),
      }),
      cloudEvents({ mode: "structured" }),
    ),
    "attributes of a CloudEvent": reading(
      chain,
      (bytes) => ({
        contentType: "application/cloudevents+json",
        body: asJson({ ...properties(bytes), ...event, data: {} }),
      }),
      cloudEvents({ mode: "structured" }),
    ),
    "entries of an AMQP map": value((bytes) =>
      Object.fromEntries(Array.from({ length: bytes / 8 }, (_, index) => [label(index), index])),
    ),
    "keys of an AMQP map that are not texts": value(
      (bytes) => new Map(Array.from({ length: bytes / 8 }, (_, index) => [index, "a"])),
    ),
    "items of an AMQP list": value((bytes) => Array.from({ length: bytes / 4 }, (_, index) => index)),
    "described items of an AMQP list": value((bytes) =>
      Array.from({ length: bytes / 8 }, () => ({ type: "described", descriptor: "a", value: "b" })),
    ),
    "decimals of an AMQP list": value((bytes) =>
      Array.from({ length: bytes / 17 }, () => ({
        type: "decimal128",
        value: new Uint8Array(16).fill(0x29),
      })),
    ),
    "an AMQP string": value((bytes) => JSON.stringify("x\n".repeat(bytes / 3))),
  } satisfies Readonly<Record<string, GrowingMessage>>).map(([name, message]) => [
    `Message: ${name}`,
    message,
  ]),
);

/** Compressed by nothing, so that it has as many bytes. */
const stored = { level: 0 };

/** Reads with a chain, and with the message types of an envelope. */
export function pipelineOf({
  serializers: [serializer, ...additionalDeserializers],
  resolver,
}: GrowingMessage) {
  const limits = { maxItems: Number.MAX_SAFE_INTEGER };
  return resolver === undefined
    ? createPipeline({ serializer, additionalDeserializers, ...limits })
    : createPipeline({
        serializer,
        additionalDeserializers,
        ...limits,
        messageTypes: [orderPlaced],
        messageTypeResolver: resolver,
        messageTypePolicies: { unknown: "pass" },
      });
}

function reading(
  serializers: GrowingMessage["serializers"],
  make: GrowingMessage["make"],
  resolver?: MessageTypeResolver,
): GrowingMessage {
  return { serializers, make, ...(resolver && { resolver }) };
}

function enclosing(typesOf: (bytes: number) => string): GrowingMessage {
  return reading(
    chain,
    (bytes) => ({
      body: order,
      applicationProperties: { "NServiceBus.EnclosedMessageTypes": typesOf(bytes) },
    }),
    nserviceBus({ types }),
  );
}

function value(of: (bytes: number) => unknown): GrowingMessage {
  return reading(chain, (bytes) => ({ body: { section: "value", value: of(bytes) } }));
}

function properties(bytes: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: bytes / 8 }, (_, index) => [label(index), "ab"]));
}

function pieces(bytes: number, piece: (index: number) => string): string {
  return Array.from({ length: bytes / piece(0).length }, (_, index) => piece(index)).join("");
}

function asJson(of: unknown): Buffer {
  return Buffer.from(JSON.stringify(of));
}
