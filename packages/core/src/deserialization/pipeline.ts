import type { EncodedMessage, Message } from "../message.js";
import { write } from "../serialization/write.js";
import type { Awaitable, Serializer } from "../serializer.js";
import { createChain } from "./chain.js";
import { type PipelineOptions, resolvePipelineOptions } from "./options.js";
import type { DeserializationOutcome } from "./outcome.js";
import { Reading } from "./reading.js";

/** What a call to a pipeline may bring along. */
export interface PipelineCallOptions {
  readonly abortSignal?: AbortSignal | undefined;
}

/** Writes and reads message bodies. Has no state that one message could leave behind for the next. */
export interface Pipeline {
  /** The main serializer first, then the additional deserializers. */
  readonly serializers: readonly Serializer[];
  /**
   * Writes the body with the main serializer, or with the one that claims the message's own `contentType`, and sets `contentType` and,
   * if it compresses, the application property `Content-Encoding`. Throws or rejects with `serialization-failed` or
   * `message-too-large`. Returns a value unless the serializer is asynchronous.
   */
  serialize(message: Message, options?: PipelineCallOptions): Awaitable<EncodedMessage>;
  /**
   * Reads the body. Never throws or rejects because of a body: the outcome says what became of it. Returns a value unless a serializer
   * is asynchronous.
   */
  deserialize(message: EncodedMessage, options?: PipelineCallOptions): Awaitable<DeserializationOutcome>;
}

/**
 * Makes a pipeline from a main serializer and the additional deserializers that reading may need. Throws `configuration-invalid` when
 * the serializers cannot work together safely, for example when two claim one media type.
 */
export function createPipeline(options: PipelineOptions): Pipeline {
  const resolved = resolvePipelineOptions(options);
  const chain = createChain(resolved.serializers);
  return Object.freeze({
    serializers: resolved.serializers,
    serialize: (message, call) => write(chain, resolved, message, call?.abortSignal),
    deserialize: (message, call) => new Reading(chain, resolved, message, call?.abortSignal).run(),
  } satisfies Pipeline);
}
