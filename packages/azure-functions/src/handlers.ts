import type { InvocationContext } from "@azure/functions";
import type {
  HandlersByType,
  MessageContext,
  MessageHandlers,
  MessageType,
  ProcessErrorArgs,
  SessionReceiver,
  UndecodedMessage,
} from "@waybill/core";
import type { TypedHandler } from "@waybill/core/client";

/** The second argument of a function's handler. */
export interface FunctionMessageContext extends MessageContext {
  /** The host's context of the invocation, for its logs and its outputs. */
  readonly invocation: InvocationContext;
  /** The session of the messages, for its state and its lock; undefined without sessions. Do not close it. */
  readonly session: SessionReceiver<UndecodedMessage> | undefined;
}

/** What a function calls: as for `subscribe` of the client, with the invocation. */
export interface FunctionHandlers<Types extends MessageType = never> {
  /**
   * One handler, or an object of handlers by message type. A `DeadLetterError` dead-letters the message, a `DeferError` defers it, any other
   * error abandons it or, with `retry`, retries it after a delay.
   */
  readonly processMessage:
    | TypedHandler<unknown, FunctionMessageContext>
    | HandlersByType<Types, FunctionMessageContext>;
  /** Called with messages without a type or a handler. Default: they are dead-lettered with the reason `UnhandledMessageType`. */
  readonly processUnhandled?: TypedHandler<unknown, FunctionMessageContext> | undefined;
  /**
   * Called with messages that cannot be read, which have a `failure` instead of a body. Only for triggers on dead-letter queues, which need it:
   * elsewhere such messages are dead-lettered. Returning completes them.
   */
  readonly processUndecoded?:
    | ((message: UndecodedMessage, context: FunctionMessageContext) => Promise<void> | void)
    | undefined;
  /** Called with every error except a `DeferError`, including undeserializable messages. Default: it is logged by `invocation.error`. */
  readonly processError?:
    | ((args: ProcessErrorArgs, invocation: InvocationContext) => Promise<void> | void)
    | undefined;
}

/** Handlers of messages of any type, as the client subscribes them. */
export type AnyMessageHandlers = MessageHandlers<unknown, UndecodedMessage, FunctionMessageContext>;

/** The error in the host's logs: what it says of itself, which has no payload. */
export function logError({ error, errorSource }: ProcessErrorArgs, invocation: InvocationContext): void {
  invocation.error(`waybill: ${errorSource}:`, error);
}
