import { defineComposite, type FieldsOf } from "../codec/composite.js";

/** Transport header of a message (3.2.1). `ttl` is in milliseconds. */
export const headerType = defineComposite("header", 0x70, {
  durable: "boolean",
  priority: "ubyte",
  ttl: "uint",
  firstAcquirer: "boolean",
  deliveryCount: "uint",
});

/** The fields of a message's header (3.2.1); those that the sender omitted are undefined. `ttl` is in milliseconds. */
export type MessageHeader = FieldsOf<typeof headerType.fields>;

/** Immutable properties of a message (3.2.4). Message id and correlation id keep their AMQP type: ulong, uuid, binary or string. */
export const propertiesType = defineComposite("properties", 0x73, {
  messageId: "value",
  userId: "binary",
  to: "value",
  subject: "string",
  replyTo: "value",
  correlationId: "value",
  contentType: "symbol",
  contentEncoding: "symbol",
  absoluteExpiryTime: "timestamp",
  creationTime: "timestamp",
  groupId: "string",
  groupSequence: "uint",
  replyToGroupId: "string",
});

/** The fields of a message's properties (3.2.4); those that the sender omitted are undefined. */
export type MessageProperties = FieldsOf<typeof propertiesType.fields>;
