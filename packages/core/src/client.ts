/** Less used types of the client's options and results. */

export type { CircuitBreakerOptions, WhenFull } from "./circuit-breaker/circuit-breaker-options.js";
export type { ClientOptions, WaybillClientOptions } from "./client/client-options.js";
export type { CorrelationFilter, SqlFilter, SubscriptionRule } from "./contracts/transport.js";
export type { MessageFormat } from "./diagnostics/circuit-breaker-event.js";
export type { SendResult } from "./errors/send-result.js";
export type { UnavailableBackoff } from "./holding/unavailable-backoff.js";
export type { HandlerErrorOptions } from "./processing/handler-errors.js";
export type {
  CloseSubscriptionOptions,
  ProcessorOptions,
  SubscribeMessagesOptions,
} from "./processing/processor-options.js";
export type { TypedHandler, TypedSubscribeOptions } from "./processing/typed-handlers.js";
export { DeferredMessages } from "./receiving/deferred-messages.js";
export type { MessageIteratorOptions } from "./receiving/message-iterator.js";
export type { PeekAllOptions, Peekable } from "./receiving/peek-all.js";
export type {
  DeadLetterMessageOptions,
  PeekMessagesOptions,
  ReceiveMessagesOptions,
} from "./receiving/receiver.js";
export type {
  AcceptSessionReceiverOptions,
  ReceiverOptions,
  UndecodedIn,
  UndeserializableAction,
} from "./receiving/receiver-options.js";
export type { RuleManager, SqlRuleAction } from "./rules/rule-manager.js";
export type { CreateMessageBatchOptions } from "./sending/message-batch.js";
export type { ListSessionsOptions } from "./sessions/list-sessions.js";
export type {
  SubscribeSessionsOptions,
  TypedSessionMessageHandlers,
} from "./sessions/session-processor-options.js";
export type { GetSessionStateOptions, SetSessionStateOptions } from "./sessions/session-receiver.js";
