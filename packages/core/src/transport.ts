/** For authors of transports and tools: the contract, encoded messages, entities, rules, schedulers. */

export { checkRule } from "./contracts/check-rule.js";
export type { CatalogEntity, EntityCatalog, EntityCounts, EntityName } from "./contracts/entity-catalog.js";
export { entityPathOf, parseEntityPath, subQueuePathOf } from "./contracts/entity-path.js";
export type {
  CallOptions,
  CorrelationFilter,
  DeliveredMessage,
  EntityAddress,
  LinkStall,
  ReceiveMode,
  SettlementHandle,
  SqlFilter,
  SubQueue,
  SubscriptionRule,
  Transport,
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
export type { LinkHealth } from "./diagnostics/client-health.js";
export type { OperationTrace, TracedOperation } from "./diagnostics/diagnostics.js";
export type { ErrorDetails } from "./errors/error.js";
export { onAbort, untilAborted } from "./foundation/abort-signals.js";
export { pause } from "./foundation/pause.js";
export type { Scheduler, Timer } from "./foundation/scheduler.js";
export { systemScheduler } from "./foundation/scheduler.js";
export { underEither } from "./foundation/under-either.js";
export type { FromHttpMessage, HttpMessage } from "./http/http-message.js";
export type { AmqpSequenceBody, AmqpValueBody, BodySection, EncodedBody } from "./message/body.js";
export { bodySection } from "./message/body.js";
export type {
  AmqpSection,
  BrokerProperty,
  BrokerPropertyName,
  BrokerPropertyType,
} from "./message/broker-properties.js";
export { applicationPropertyLimits, brokerProperties } from "./message/broker-properties.js";
export { checkMessage } from "./message/check-message.js";
export type {
  ApplicationProperties,
  ApplicationPropertyValue,
  BrokerAssignedProperties,
  DeliveredProperties,
  EncodedMessage,
  MessageId,
  MessageState,
  WritableProperties,
} from "./message/message.js";
export { bodyType } from "./message-types/define-message.js";
export type { ErrorSource } from "./processing/processor-options.js";
export type { SequenceNumberStore } from "./receiving/deferred-messages.js";
