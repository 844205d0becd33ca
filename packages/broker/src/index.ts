// For applications.
export {
  type Broker,
  createBroker,
  type OpenBrokerOptions,
  openBroker,
} from "./client/broker.js";
export type { Consumer, ConsumerHandlers } from "./client/consumer.js";
export type { Faults } from "./client/faults.js";
export type { PullOptions } from "./client/pull-waiter.js";
export type { BrokerReceiver, BrokerReceiverOptions } from "./client/receiver.js";
export type { BrokerSender, BrokerSenderOptions } from "./client/sender.js";
export type { AcceptSessionOptions, BrokerSessionReceiver } from "./client/session-receiver.js";
export type { Transaction } from "./client/transaction.js";
export type { BrokerOptions } from "./engine/broker-options.js";
export type { AuthorizationRule, EntityRight } from "./entities/authorization-rule.js";
export {
  defaultQueueOptions,
  defaultSubscriptionOptions,
  defaultTopicOptions,
  type EntityStatus,
  type QueueOptions,
  type SubscriptionOptions,
  type TopicOptions,
} from "./entities/entity-options.js";
export type { Tier } from "./entities/tier.js";
export type { ReceiveMode } from "./entities/waiter.js";
export { BrokerError, type BrokerErrorCode, type RefusedProperty } from "./errors/broker-error.js";
// For authors of front ends, clocks and storages.
export type {
  EntityDescription,
  MessageCounts,
  QueueDescription,
  SubscriptionDescription,
  TopicDescription,
} from "./management/describe-entity.js";
export type { InFlight } from "./management/in-flight.js";
export type {
  BrokerSnapshot,
  MessageSnapshot,
  SessionSnapshot,
  StoreSnapshot,
} from "./management/snapshot.js";
export type { ListRulesOptions, RuleDescription } from "./management/subscription-rules.js";
export type { BrokerEvent, BrokerEventListener, BrokerEventType } from "./messages/broker-event.js";
export type {
  ApplicationProperties,
  ApplicationPropertyValue,
  BrokerMessage,
  MessageBody,
  MessageId,
  MessageState,
} from "./messages/message.js";
export type { BrokerReceivedMessage } from "./messages/received-message.js";
export type { DeadLetterOptions } from "./operations/dead-letter.js";
export type { DeleteBatchOptions } from "./operations/delete-batch.js";
export type { LockedMessage } from "./operations/find-lock.js";
export type { BrokerListSessionsOptions } from "./operations/list-sessions.js";
export type { PeekOptions } from "./operations/peek.js";
export type { BrokerCorrelationFilter } from "./rules/correlation-filter.js";
export type { RuleConstant, RuleInstant, RuleValue, TypedRuleValue } from "./rules/evaluation/rule-value.js";
export type { RuleDefinition, RuleFilter } from "./rules/rule.js";
export { type Clock, createManualClock, type ManualClock } from "./timing/clock.js";
