// For servers and clients: the connection and what moves on it.
export type {
  AcceptOptions,
  Connection,
  ConnectionHandler,
  IncomingDelivery,
  Link,
  OpenLinkOptions,
  OutgoingDelivery,
  OversizedMessage,
  ReceiverAcceptOptions,
  ReceiverHandler,
  ReceiverLink,
  SenderHandler,
  SenderLink,
  SendOptions,
  Session,
  SettleModes,
} from "./api.js";
// For those who read and write messages: values and sections.
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
  uuidText,
} from "./codec/value.js";
export { createConnection } from "./connection/connection.js";
export {
  type ConnectionOptions,
  defaultConnectionOptions,
  type PeerLimits,
} from "./connection/connection-options.js";
export {
  type SaslCredentials,
  type SaslMechanism,
  type SaslStep,
  saslAnonymous,
  saslCbs,
  saslExternal,
  saslPlain,
} from "./connection/sasl.js";
export type { AmqpError } from "./frames/amqp-error.js";
export {
  ACCEPTED,
  type DeliveryState,
  type Outcome,
  REJECTED,
  RELEASED,
  rejected,
} from "./frames/delivery-state.js";
export type { Attach, Begin, Open } from "./frames/performatives.js";
export { addressOf, type Coordinator, type Source, type Target } from "./frames/terminus.js";
export type { MemoryBudget } from "./memory/memory-budget.js";
export { BATCH_MESSAGE_FORMAT, countBatch, joinBatch, scanBatch, splitBatch } from "./message/batch.js";
export type { MessageHeader, MessageProperties } from "./message/header.js";
export type { PropertyFault, PropertyLimits } from "./message/property-fault.js";
export {
  type BodyKind,
  type ByteRange,
  type MessageSections,
  type SectionRange,
  scanMessage,
} from "./message/sections.js";
export { encodeMessage, type MessageFront, type MessageParts, spliceMessage } from "./message/splice.js";
export { type PropertyStamps, stampProperties } from "./message/stamp-properties.js";
