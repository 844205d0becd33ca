// For applications.
export { type Broker, type BrokerOptions, createBroker } from "./broker.js";
export { BrokerError, type BrokerErrorCode } from "./broker-error.js";
// For authors of front ends and storages.
export type { ClockAttachment, ClockDriven } from "./clock.js";
export { type Clock, createManualClock, createSystemClock, type ManualClock } from "./clock.js";
export type { Consumer, ConsumerHandlers } from "./consumer.js";
export {
  DEFAULT_QUEUE_OPTIONS,
  DEFAULT_SUBSCRIPTION_OPTIONS,
  DEFAULT_TOPIC_OPTIONS,
  type EntityStatus,
  type QueueOptions,
  type SubscriptionOptions,
  type TopicOptions,
} from "./entities/entity-options.js";
export type { ReceiveMode } from "./entities/waiter.js";
export type { BrokerEvent, BrokerEventListener, BrokerEventType } from "./messages/broker-event.js";
export type {
  ApplicationProperties,
  ApplicationPropertyValue,
  BrokerMessage,
  MessageBody,
  MessageId,
  MessageState,
  SendableProperties,
  WireDecoder,
} from "./messages/message.js";
export type { MessageContent } from "./messages/message-content.js";
export type { ReceivedMessage } from "./messages/received-message.js";
export type { DeadLetterOptions } from "./operations/dead-letter.js";
export type { LockedMessage } from "./operations/find-lock.js";
export type { PeekOptions } from "./operations/peek.js";
export type { PullOptions } from "./pull-waiter.js";
export type { Receiver, ReceiverOptions } from "./receiver.js";
export type { Sender } from "./sender.js";
export { createMemoryStorage } from "./storage/memory-storage.js";
export type {
  EntityRecord,
  MessageRecord,
  RecordVisitor,
  SessionRecord,
  Storage,
} from "./storage/storage.js";
