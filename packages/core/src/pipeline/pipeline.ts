import type { Awaitable, Serializer } from "../contracts/serializer.js";
import { requireKnownOptions } from "../foundation/known-options.js";
import type { EncodedMessage, Message } from "../message/message.js";
import type { DeserializationOutcome } from "../message/outcome.js";
import type { MessageType } from "../message-types/message-type.js";
import { type MessageTypeResolver, propertyResolver } from "../message-types/message-type-resolver.js";
import { createChain } from "./chain.js";
import { tightened } from "./limits.js";
import { type PipelineOptions, pipelineOptionNames, resolvePipelineOptions } from "./options.js";
import { read } from "./read.js";
import { readable } from "./readable.js";
import { write } from "./write.js";

/** Options of every call of a pipeline. */
export interface PipelineCallOptions {
  /** Passed to plug-ins; ends waiting for a serializer that reads, an upcaster, a downcaster or a claim-check store. Default: none. */
  readonly abortSignal?: AbortSignal | undefined;
}

/** What to write instead of the main serializer's format and the current version: for write plans, comparisons, transcoding. */
export interface WriteTarget {
  /** The name of a serializer of the pipeline. Takes precedence over the message's own `contentType`. */
  readonly serializer?: string | undefined;
  /** An older version of the message type that its downcasters lead to. */
  readonly version?: number | undefined;
}

/** Options of `serialize`. */
export interface SerializeCallOptions extends PipelineCallOptions {
  /** Default: the serializer for the message's `contentType`, else the main one, and the current version. */
  readonly writeAs?: WriteTarget | undefined;
  /** Whether the body is encrypted and stored as a claim check, if configured. Default true; false for bodies that are only compared. */
  readonly bodyTransforms?: boolean | undefined;
  /** Called with the message before its body is encrypted or stored as a claim check. If it throws, the call fails. Default: none. */
  readonly onBeforeTransforms?: ((message: EncodedMessage) => void) | undefined;
}

/** How to read a body regardless of its properties, for comparisons and tools. Nothing else is tried. */
export interface ReadTarget {
  /** The name of a serializer of the pipeline. */
  readonly serializer?: string | undefined;
  /** Whether the body is read as if the content type named the serializer. Default true; if false, the serializer must recognise the bytes. */
  readonly isDeclared?: boolean | undefined;
  /** A version of the message's type. */
  readonly version?: number | undefined;
}

/** Options of `deserialize`. */
export interface DeserializeCallOptions extends PipelineCallOptions {
  /** Default: as the message's properties and the pipeline's policies say. */
  readonly readAs?: ReadTarget | undefined;
  /** Whether claim checks are fetched and bodies decrypted. Default true; false for bodies written with `bodyTransforms: false`. */
  readonly bodyTransforms?: boolean | undefined;
  /**
   * `"tightened"`: a tenth of `maxItems` and `maxBodyBytes`, but at least 32,768, for a message that may have crashed the process which read
   * it before. Default `"normal"`.
   */
  readonly limits?: "normal" | "tightened" | undefined;
}

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
   * type and version as properties. Throws or rejects with `serialization-failed`, `message-too-large` or `unavailable`. Returns a promise
   * only if the serializer or a downcaster is asynchronous, or the body is encrypted or stored.
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
      read(chain, call?.limits === "tightened" ? tight : resolved, readable(message), call),
  } satisfies Pipeline<Types>);
}
