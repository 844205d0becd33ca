import { afterwards, required } from "@waybill/foundation";
import type { ReceiveMode } from "../../contracts/transport.js";
import type { ReceivedMessage, UndecodedMessage } from "../../message/message.js";
import type { DeserializationOutcome } from "../../message/outcome.js";
import type { DeserializationAttempt, DeserializationReport } from "../../message/report.js";
import type { BodyOf, MessageType } from "../../message-types/message-type.js";
import type { Pipeline } from "../../pipeline/pipeline.js";
import { undeserializable } from "../../pipeline/undeserializable.js";
import type { MessageContext } from "./in-flight-message.js";
import type { MessageHandlers, SubscribeMessagesOptions } from "./processor-options.js";

/** Called with messages of one type in its current version. Errors settle the message as for `processMessage` of a receiver. */
export type TypedHandler<Body = unknown, Context = MessageContext> = (
  message: ReceivedMessage<Body>,
  context: Context,
) => Promise<void> | void;

/** Handlers by the name of their message type; none if the client has no message types. */
export type HandlersByType<Types extends MessageType, Context = MessageContext> = [Types] extends [never]
  ? { readonly [messageType: string]: never }
  : {
      readonly [Name in Types["name"]]?: TypedHandler<
        BodyOf<Extract<Types, { readonly name: Name }>>,
        Context
      >;
    };

/** The functions that a subscription by message type calls. */
export interface TypedMessageHandlers<Types extends MessageType, Context = MessageContext> {
  /** The handlers by message type. */
  readonly processMessage: HandlersByType<Types, Context>;
  /** Called with messages without a type or a handler. Default: they are dead-lettered with the reason `UnhandledMessageType`. */
  readonly processUnhandled?: TypedHandler<unknown, Context> | undefined;
  /**
   * Called with every error except a `DeferError` of a handler, including undeserializable and unhandled messages. Its own errors are
   * ignored.
   */
  readonly processError: MessageHandlers["processError"];
}

/** Options of `client.subscribe`. */
export interface TypedSubscribeOptions<Mode extends ReceiveMode = ReceiveMode>
  extends SubscribeMessagesOptions {
  /** Default: `"peekLock"`. */
  readonly receiveMode?: Mode | undefined;
}

/** A subscription by message type, converted to one without types. */
export interface UntypedHandlers<Context> {
  /** Treats messages without a handler as undeserializable, so that they are settled like these. */
  readonly pipeline: Pipeline;
  readonly handlers: MessageHandlers<unknown, UndecodedMessage, Context>;
}

/**
 * Replaces handlers by message type with one handler for all messages; a single handler stays as it is. Throws `TypeError` when a handler by type is not a function, or its
 * type is not one of the pipeline's.
 */
export function untypedHandlers<Context>(
  pipeline: Pipeline,
  given: MessageHandlers<unknown, UndecodedMessage, Context> | TypedMessageHandlers<MessageType, Context>,
): UntypedHandlers<Context> {
  if (!isTyped(given)) return { pipeline, handlers: given };
  const { processMessage, processUnhandled, processError } = given;
  if (typeof processError !== "function")
    throw new TypeError("subscribe needs processError, a function, beside the handlers by message type.");
  const byName = collectHandlers<Context>(pipeline, processMessage);
  const handlerOf = ({ messageType }: DeserializationReport) =>
    (messageType === undefined ? undefined : byName.get(messageType)) ?? processUnhandled;
  return {
    pipeline: processUnhandled === undefined ? handledOnly(pipeline, byName) : pipeline,
    handlers: {
      ...given,
      // The pipeline has refused messages without a handler.
      processMessage: (message, context) =>
        required(handlerOf(message.deserialization), "The handler of a message type")(
          message as ReceivedMessage,
          context,
        ),
      processError,
    },
  };
}

function isTyped<Context>(
  given: MessageHandlers<unknown, UndecodedMessage, Context> | TypedMessageHandlers<MessageType, Context>,
): given is TypedMessageHandlers<MessageType, Context> {
  return typeof given?.processMessage === "object" && given.processMessage !== null;
}

function collectHandlers<Context>(
  pipeline: Pipeline,
  handlers: object,
): ReadonlyMap<string, TypedHandler<unknown, Context>> {
  const byName = new Map<string, TypedHandler<unknown, Context>>();
  const known = pipeline.messageTypes.map(({ name }) => name);
  for (const [name, handler] of Object.entries(
    handlers as Record<string, TypedHandler<unknown, Context> | undefined>,
  )) {
    if (handler === undefined) continue;
    if (typeof handler !== "function") throw new TypeError(`The handler of "${name}" must be a function.`);
    if (!known.includes(name)) {
      throw new TypeError(
        `There is a handler of "${name}", which is none of the client's message types (${known.join(", ") || "it has none"}).`,
      );
    }
    byName.set(name, handler);
  }
  if (byName.size === 0) throw new TypeError("subscribe needs a handler of at least one message type.");
  return byName;
}

function handledOnly(pipeline: Pipeline, handled: ReadonlyMap<string, unknown>): Pipeline {
  const policy = (outcome: DeserializationOutcome): DeserializationOutcome => {
    if (outcome.status !== "decoded") return outcome;
    const { messageType } = outcome.report;
    if (messageType !== undefined && handled.has(messageType)) return outcome;
    return undeserializable({
      ...outcome.report,
      attempts: [...outcome.report.attempts, unhandled(outcome.report)],
    });
  };
  return {
    serializers: pipeline.serializers,
    messageTypes: pipeline.messageTypes,
    messageTypeResolver: pipeline.messageTypeResolver,
    serialize: (message, options) => pipeline.serialize(message, options),
    deserialize: (message, options) => afterwards(pipeline.deserialize(message, options), policy),
  };
}

function unhandled({ serializer, position, messageType }: DeserializationReport): DeserializationAttempt {
  return {
    serializer,
    position,
    stage: "select",
    reason: "message-type-unhandled",
    detail:
      messageType === undefined
        ? "The message does not say its type, and the subscription has no processUnhandled."
        : `The subscription has no handler of "${messageType}".`,
  };
}
