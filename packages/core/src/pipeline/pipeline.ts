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

/** What a call to a pipeline may bring along. */
export interface PipelineCallOptions {
  readonly abortSignal?: AbortSignal | undefined;
}

/** What to write instead of the main serializer's format and the current version: for write plans, comparisons, transcoding. */
export interface WriteTarget {
  /** The name of a serializer of the pipeline. Outranks the message's own `contentType`. */
  readonly serializer?: string | undefined;
  /** An older version of the message type, to which its downcasters lead. */
  readonly version?: number | undefined;
}

/** What a call that writes may bring along. */
export interface SerializeCallOptions extends PipelineCallOptions {
  readonly writeAs?: WriteTarget | undefined;
  /** Whether the body is encrypted and goes to the claim-check store, as configured. Default true; false for what is only compared. */
  readonly bodyTransforms?: boolean | undefined;
  /** Is handed the message before its body is encrypted or goes to the claim-check store, in the clear. What it throws fails the call. */
  readonly onBeforeTransforms?: ((message: EncodedMessage) => void) | undefined;
}

/** What to read a body as, whatever it says of itself: for comparisons and tools. Nothing else is tried. */
export interface ReadTarget {
  /** The name of a serializer of the pipeline. */
  readonly serializer?: string | undefined;
  /** Whether that serializer reads the body as one whose content type names it. Default true; otherwise the bytes must prove themselves. */
  readonly isDeclared?: boolean | undefined;
  /** A version of the message's type. */
  readonly version?: number | undefined;
}

/** What a call that reads may bring along. */
export interface DeserializeCallOptions extends PipelineCallOptions {
  readonly readAs?: ReadTarget | undefined;
  /** Whether the body is fetched and decrypted as its message says. Default true; false reads one that `bodyTransforms: false` wrote. */
  readonly bodyTransforms?: boolean | undefined;
  /**
   * `"tightened"`: under a tenth of `maxItems` and `maxBodyBytes`, but not below 32,768, for a message that may have ended the process that
   * read it before. Default `"normal"`.
   */
  readonly limits?: "normal" | "tightened" | undefined;
}

/** Writes and reads message bodies. Has no state that one message could leave behind for the next. */
export interface Pipeline<Types extends MessageType = MessageType> {
  /** The main serializer first, then the additional deserializers. */
  readonly serializers: readonly Serializer[];
  /** The message types that are sent and received; none when bodies are untyped. */
  readonly messageTypes: readonly Types[];
  /** How type and version travel. */
  readonly messageTypeResolver: MessageTypeResolver;
  /**
   * Writes the body with the main serializer, or with the one that claims the message's own `contentType`, and sets `contentType` and,
   * if it compresses, the application property `Content-Encoding`. A message whose `subject` is one of the message types is validated
   * and stamped with type and version. Throws or rejects with `serialization-failed` or `message-too-large`. Returns a value unless
   * the serializer or a downcaster is asynchronous.
   */
  serialize(message: Message, options?: SerializeCallOptions): Awaitable<EncodedMessage>;
  /**
   * Reads the body and brings it to the current version of its message type. Never throws or rejects because of what is in a body: the
   * outcome says what happened to it, and settles nothing. Returns a value unless a serializer or an upcaster is asynchronous. The body may be
   * any view of bytes; `TypeError` for one that is neither bytes nor an AMQP section.
   */
  deserialize(message: EncodedMessage, options?: DeserializeCallOptions): Awaitable<DeserializationOutcome>;
}

/**
 * Makes a pipeline from a main serializer and the additional deserializers that reading may need. Throws `configuration-invalid` when
 * the serializers cannot work together safely, for example when two claim one media type, or when two message types share a name.
 */
export function createPipeline<Types extends MessageType = never>(
  options: PipelineOptions<Types>,
): Pipeline<Types> {
  requireKnownOptions<PipelineOptions>("createPipeline", options, pipelineOptionNames);
  return makePipeline(options);
}

/** The same without a look at the names of the options, among which others may be. */
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
