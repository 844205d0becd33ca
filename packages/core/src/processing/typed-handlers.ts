import type { ReceiveMode } from "../contracts/transport.js";
import { isPromise } from "../foundation/is-promise.js";
import type { ReceivedMessage, UndecodedMessage } from "../message/message.js";
import type { DeserializationOutcome } from "../message/outcome.js";
import type { DeserializationAttempt, DeserializationReport } from "../message/report.js";
import type { BodyOf, MessageType } from "../message-types/message-type.js";
import type { Pipeline } from "../pipeline/pipeline.js";
import { undeserializable } from "../pipeline/undeserializable.js";
import type { MessageContext } from "./flight.js";
import type { MessageHandlers, SubscribeMessagesOptions } from "./processor-options.js";

/** Gets the messages of one type, in its current version. What it throws decides, as with `processMessage`. */
export type TypedHandler<Body = unknown> = (
  message: ReceivedMessage<Body>,
  context: MessageContext,
) => Promise<void> | void;

/** Handlers by the name of their message type; none without message types. */
export type HandlersByType<Types extends MessageType> = [Types] extends [never]
  ? { readonly [messageType: string]: never }
  : { readonly [Name in Types["name"]]?: TypedHandler<BodyOf<Extract<Types, { readonly name: Name }>>> };

/** How a typed subscription works, and who gets what is not for the handlers. */
export interface TypedSubscribeOptions extends SubscribeMessagesOptions {
  /** Gets everything that goes wrong, undeserializable and unhandled messages included. What it throws is ignored. */
  readonly processError: MessageHandlers["processError"];
  /** Gets the messages whose type has no handler, and those without a type. Default: they are dead-lettered as `UnhandledMessageType`. */
  readonly processUnhandled?: TypedHandler | undefined;
  /** Default: `"peekLock"`. */
  readonly receiveMode?: ReceiveMode | undefined;
}

/** A subscription by message type, in the terms of one that knows no types. */
export interface TypedHandlers {
  /** Refuses the messages that nobody handles, so that they are settled as every message that cannot be read. */
  readonly pipeline: Pipeline;
  readonly handlers: MessageHandlers<unknown, UndecodedMessage>;
}

/** Throws `TypeError` when a handler is no function, or is for a type that the pipeline does not know. */
export function typedHandlers(
  pipeline: Pipeline,
  handlers: object,
  { processError, processUnhandled }: TypedSubscribeOptions,
): TypedHandlers {
  const byName = collectHandlers(pipeline, handlers);
  const handlerOf = ({ messageType }: DeserializationReport) =>
    (messageType === undefined ? undefined : byName.get(messageType)) ?? processUnhandled;
  return {
    pipeline: processUnhandled === undefined ? handledOnly(pipeline, byName) : pipeline,
    handlers: {
      // The pipeline has refused what has no handler.
      processMessage: (message, context) =>
        handlerOf(message.deserialization)!(message as ReceivedMessage, context),
      processError,
    },
  };
}

function collectHandlers(pipeline: Pipeline, handlers: object): ReadonlyMap<string, TypedHandler> {
  const byName = new Map<string, TypedHandler>();
  const known = pipeline.messageTypes.map(({ name }) => name);
  for (const [name, handler] of Object.entries(handlers as Record<string, TypedHandler | undefined>)) {
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

function handledOnly(pipeline: Pipeline, handled: ReadonlyMap<string, TypedHandler>): Pipeline {
  const judge = (outcome: DeserializationOutcome): DeserializationOutcome => {
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
    deserialize(message, options) {
      const outcome = pipeline.deserialize(message, options);
      return isPromise(outcome) ? (outcome as Promise<DeserializationOutcome>).then(judge) : judge(outcome);
    },
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
