/** For authors of transports and tools: the contract, encoded messages, entities, rules, schedulers. */

export { type Scheduler, systemScheduler, type Timer } from "@waybill/foundation";
export { checkRule } from "./contracts/check-rule.js";
export type { CatalogEntity, EntityCatalog, EntityCounts, EntityName } from "./contracts/entity-catalog.js";
export { entityPathOf, parseEntityPath, subQueuePathOf } from "./contracts/entity-path.js";
export type { CircuitChange, LiveReader, ReaderDirectory } from "./contracts/reader-directory.js";
export { SizedBatch } from "./contracts/sized-batch.js";
export {
  type ReceivingHandlers,
  type ReceivingOptions,
  subscribeByReceiving,
} from "./contracts/subscribe-by-receiving.js";
export type {
  CallOptions,
  DeliveredMessage,
  EntityAddress,
  ReceiveMode,
  SettlementHandle,
  SubQueue,
  TransportAcceptSessionOptions,
  TransportCapability,
  TransportCreateBatchOptions,
  TransportDeadLetterOptions,
  TransportListSessionsOptions,
  TransportMessageBatch,
  TransportPeekOptions,
  TransportReceiveOptions,
  TransportReceiver,
  TransportReceiverEvents,
  TransportReceivingLink,
  TransportRuleManager,
  TransportSender,
  TransportSessionReceiver,
  TransportSettleOptions,
  TransportSubscribeHandlers,
  TransportSubscribeOptions,
  TransportSubscription,
} from "./contracts/transport.js";
export { TransportPart, TransportParts } from "./contracts/transport-part.js";
export type { ErrorDetails } from "./errors/error.js";
export type { FromHttpMessage, HttpMessage } from "./http/http-message.js";
export type { AmqpSequenceBody, AmqpValueBody, BodySection, EncodedBody } from "./message/body.js";
export { checkMessage } from "./message/check-message.js";
export type {
  BrokerAssignedProperties,
  DeliveredProperties,
  EveryProperty,
  MessageId,
  MessageState,
  WritableProperties,
} from "./message/message.js";
export type { ErrorSource } from "./receive/processing/processor-options.js";
export type { SequenceNumberStore } from "./receive/receiver/deferred-messages.js";
