import { requireKnownOptions } from "@waybill/foundation";
import type { Awaitable, Serializer } from "../contracts/serializer.js";
import type { EncodedMessage, Message } from "../message/message.js";
import type { DeserializationOutcome } from "../message/outcome.js";
import type { MessageType } from "../message-types/message-type.js";
import { type MessageTypeResolver, propertyResolver } from "../message-types/message-type-resolver.js";
import type { DeserializeCallOptions, SerializeCallOptions } from "./call-options.js";
import { createChain } from "./chain.js";
import { tightened } from "./limits.js";
import { type PipelineOptions, pipelineOptionNames, resolvePipelineOptions } from "./options.js";
import { read } from "./read.js";
import { readable } from "./readable.js";
import { newReading } from "./reading.js";
import { write } from "./write.js";

/** Writes and reads message bodies. Messages do not affect each other. */
export interface Pipeline<Types extends MessageType = MessageType> {
  /** The main serializer first, then the additional deserializers. */
  readonly serializers: readonly Serializer[];
  /** The message types to send and receive; empty when bodies are untyped. */
  readonly messageTypes: readonly Types[];
  /** Reads and writes the type and version of messages. */
  readonly messageTypeResolver: MessageTypeResolver;
  /**
   * Writes the body with the main serializer, or with the one for the message's own `contentType`, and sets `contentType` and, if it
   * compresses, the application property `Content-Encoding`. A message whose `subject` is one of the message types is validated and gets
   * type and version as properties. Throws or rejects with `serialization-failed`, also if the body is read back and a reader could not read
   * it, `message-too-large` or `unavailable`. Returns a promise only if the serializer or a downcaster is asynchronous, or an upcaster when
   * the body is read back, or the body is encrypted or stored.
   */
  serialize(message: Message, options?: SerializeCallOptions): Awaitable<EncodedMessage>;
  /**
   * Reads the body and converts it to the current version of its message type. Never throws or rejects because of the content of a body: the
   * outcome says whether it could be read; nothing is settled. Returns a promise only if a serializer or an upcaster is asynchronous, or the
   * body is encrypted or stored. The body may be any view of bytes; throws `TypeError` if it is neither bytes nor an AMQP section.
   */
  deserialize(message: EncodedMessage, options?: DeserializeCallOptions): Awaitable<DeserializationOutcome>;
}

/**
 * Creates a pipeline from a main serializer and additional deserializers. Throws `configuration-invalid` when serializers conflict, for
 * example when two read the same media type, or when two message types have the same name.
 */
export function createPipeline<Types extends MessageType = never>(
  options: PipelineOptions<Types>,
): Pipeline<Types> {
  requireKnownOptions<PipelineOptions>("createPipeline", options, pipelineOptionNames);
  return makePipeline(options);
}

/** The same without refusing unknown options, because `options` may have others. */
export function makePipeline<Types extends MessageType = never>(
  options: PipelineOptions<Types>,
): Pipeline<Types> {
  const resolved = resolvePipelineOptions(options);
  const tight = tightened(resolved);
  const chain = createChain(resolved.serializers);
  return Object.freeze({
    serializers: resolved.serializers,
    messageTypes: Object.freeze([...(options.messageTypes ?? [])]),
    messageTypeResolver: options.messageTypeResolver ?? propertyResolver(),
    serialize: (message, call) => write(chain, resolved, message, call),
    deserialize: (message, call) =>
      read(newReading(chain, call?.limits === "tightened" ? tight : resolved, readable(message), call)),
  } satisfies Pipeline<Types>);
}
