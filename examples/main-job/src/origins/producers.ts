import { AvroSerializer } from "@azure/schema-registry-avro";
import { fromJson, toBinary } from "@bufbuild/protobuf";
import { StructSchema } from "@bufbuild/protobuf/wkt";
import { createPipeline, type EncodedMessage } from "@waybill/core";
import { dotnetBinary } from "@waybill/serializer-dotnet";
import avsc from "avsc";
import { Encoder } from "cbor-x";
import { CloudEvent, HTTP } from "cloudevents";
import { type Order, orderSchema } from "./order.js";
import { azureRegistry, schemaIds } from "./registries.js";

/** A kind of producer: its library, and the message that it sends for an order. */
export interface Origin {
  readonly title: string;
  /** The library that writes the body, or whose documentation defines it. */
  readonly writtenBy: string;
  /** The serializer of the consumer's chain that reads it; undefined for an AMQP value, which needs none. */
  readonly readBy: string | undefined;
  /** Whether the messages name a type, so that one of an unknown type can be sent. */
  readonly isTyped: boolean;
  write(order: Order, isOfAnotherType: boolean): EncodedMessage | Promise<EncodedMessage>;
}

const utf8 = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

const legacyDotnet = createPipeline({ serializer: dotnetBinary({ json: true }) });
const avroType = avsc.Type.forSchema(JSON.parse(orderSchema));
const azureAvro = new AvroSerializer(azureRegistry(), { groupName: "shop" });
const plainCbor = new Encoder({ useRecords: false });

/** All producers of the second part. */
export const origins: readonly Origin[] = [
  {
    title: "legacy .NET, a string of JSON",
    writtenBy: "as new BrokeredMessage(json)",
    readBy: "dotnet-binary",
    isTyped: false,
    // .NET sends no content type with it.
    write: async (order) => ({ body: (await legacyDotnet.serialize({ body: order })).body }),
  },
  {
    title: "Confluent-framed Avro",
    writtenBy: "avsc, 00 and the schema's id in front",
    readBy: "avro",
    isTyped: false,
    write: (order) => ({
      body: Uint8Array.of(0, 0, 0, 0, schemaIds.confluent, ...avroType.toBuffer(order)),
    }),
  },
  {
    title: "Azure Schema Registry, Avro",
    writtenBy: "@azure/schema-registry-avro",
    readBy: "avro",
    isTyped: false,
    async write(order) {
      const { data, contentType } = await azureAvro.serialize(order, orderSchema);
      return { body: Uint8Array.from(data), contentType };
    },
  },
  {
    title: "CloudEvents, structured",
    writtenBy: "cloudevents",
    readBy: "json",
    isTyped: true,
    write(order, isOfAnotherType) {
      const type = isOfAnotherType ? "com.shop.order.shipped" : "com.shop.order.placed";
      const { body, headers } = HTTP.structured(new CloudEvent({ source: "/shop", type, data: order }));
      return {
        body: new TextEncoder().encode(String(body)),
        contentType: String(headers["content-type"]),
      };
    },
  },
  {
    title: "NServiceBus",
    writtenBy: "after its documentation",
    readBy: "json",
    isTyped: true,
    write: (order, isOfAnotherType) => ({
      body: utf8(order),
      contentType: "application/json",
      applicationProperties: {
        "NServiceBus.MessageId": `nsb-${order.id}`,
        "NServiceBus.EnclosedMessageTypes": `Shop.Contracts.${isOfAnotherType ? "OrderShipped" : "OrderPlaced"}, Shop.Contracts, Version=1.0.0.0`,
      },
    }),
  },
  {
    title: "MassTransit, its envelope",
    writtenBy: "after its documentation",
    readBy: "json",
    isTyped: true,
    write: (order, isOfAnotherType) => ({
      body: utf8({
        messageId: `mt-${order.id}`,
        messageType: [`urn:message:Shop.Contracts:${isOfAnotherType ? "OrderShipped" : "OrderPlaced"}`],
        message: order,
        headers: {},
      }),
      contentType: "application/vnd.masstransit+json",
    }),
  },
  {
    title: "Dapr",
    writtenBy: "after its tests",
    readBy: "json",
    isTyped: true,
    // Dapr sends no content type.
    write: (order, isOfAnotherType) => ({
      body: utf8({
        specversion: "1.0",
        id: `dapr-${order.id}`,
        source: "checkout",
        type: "com.dapr.event.sent",
        topic: isOfAnotherType ? "shipments" : "orders",
        pubsubname: "pubsub",
        datacontenttype: "application/json",
        data: order,
      }),
    }),
  },
  {
    title: "CBOR",
    writtenBy: "cbor-x",
    readBy: "cbor",
    isTyped: false,
    write: (order) => ({ body: Uint8Array.from(plainCbor.encode(order)), contentType: "application/cbor" }),
  },
  {
    title: "Protobuf",
    writtenBy: "@bufbuild/protobuf",
    readBy: "protobuf",
    isTyped: false,
    write: (order) => ({
      body: toBinary(StructSchema, fromJson(StructSchema, JSON.parse(JSON.stringify(order)))),
      contentType: "application/protobuf; proto=google.protobuf.Struct",
    }),
  },
  {
    title: "an AMQP value, a map",
    writtenBy: "as Qpid and JMS clients send it",
    readBy: undefined,
    isTyped: false,
    write: (order) => ({ body: { section: "value", value: order } }),
  },
];
