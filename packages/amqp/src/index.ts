// For servers and clients: connections and their messages.
export type {
  Connection,
  ConnectionHandler,
  IncomingDelivery,
  Link,
  OpenLinkOptions,
  OutgoingDelivery,
  ReceiverHandler,
  ReceiverLink,
  SenderHandler,
  SenderLink,
  SendOptions,
  Session,
} from "./api.js";
// For reading and writing messages: values and sections.
export { isDescribed } from "./codec/composite.js";
export { decodeValue } from "./codec/decode.js";
export { AmqpDecodeError } from "./codec/decode-error.js";
export { encodeValue } from "./codec/encode.js";
export {
  type AmqpArray,
  type AmqpDescribed,
  AmqpMap,
  type AmqpOctets,
  type AmqpSmallNumber,
  type AmqpSymbol,
  type AmqpTyped,
  type AmqpTypeName,
  type AmqpValue,
  type AmqpWideNumber,
  array,
  byte,
  char,
  described,
  float,
  int,
  isTyped,
  long,
  short,
  stringMap,
  symbol,
  symbolMap,
  timestamp,
  typeName,
  ubyte,
  uint,
  ulong,
  ushort,
  uuid,
} from "./codec/value.js";
export { createConnection } from "./connection/connection.js";
export type { ConnectionOptions } from "./connection/connection-options.js";
export { type SaslCredentials, saslAnonymous, saslPlain } from "./connection/sasl.js";
export type { AmqpError } from "./frames/amqp-error.js";
export {
  acceptedState,
  type DeliveryState,
  type Outcome,
  rejected,
  rejectedState,
  releasedState,
} from "./frames/delivery-state.js";
export { addressOf, type Source, type Target } from "./frames/terminus.js";
export type { MessageHeader, MessageProperties } from "./message/header.js";
export { type MessageSections, scanMessage } from "./message/sections.js";
export { encodeMessage, type MessageParts, spliceMessage } from "./message/splice.js";
