/** Less used types of the client's options and results. */

export type { ClientOptions } from "./client/client-options.js";
export type { CorrelationFilter, SqlFilter, SubscriptionRule } from "./contracts/transport.js";
export type { MessageFormat } from "./diagnostics/circuit-breaker-event.js";
export type { SendResult } from "./errors/send-result.js";
export type { WhenFull } from "./receive/circuit-breaker/circuit-breaker-options.js";
export type { UnavailableBackoff } from "./receive/delivery/unavailable-backoff.js";
export type { HandlerErrorOptions } from "./receive/processing/handler-errors.js";
export type { CloseSubscriptionOptions, ProcessorOptions } from "./receive/processing/processor-options.js";
export type { TypedHandler, TypedSubscribeOptions } from "./receive/processing/typed-handlers.js";
export type { MessageIteratorOptions } from "./receive/receiver/message-iterator.js";
export type { PeekAllOptions, Peekable } from "./receive/receiver/peek-all.js";
export type {
  DeadLetterMessageOptions,
  PeekMessagesOptions,
  ReceiveMessagesOptions,
  UndecodedIn,
  UndeserializableAction,
} from "./receive/receiver/receiver-options.js";
export type { RuleManager, SqlRuleAction } from "./rules/rule-manager.js";
export type { CreateMessageBatchOptions } from "./sending/message-batch.js";
export type { ListSessionsOptions } from "./sessions/list-sessions.js";
export type { TypedSessionMessageHandlers } from "./sessions/session-processor-options.js";
export type { GetSessionStateOptions, SetSessionStateOptions } from "./sessions/session-receiver.js";
