import { isPromise } from "@waybill/foundation";
import type { Awaitable } from "../contracts/serializer.js";
import { WaybillError } from "../errors/error.js";
import { checkMessage } from "../message/check-message.js";
import type { EncodedMessage, Message } from "../message/message.js";
import type { SerializeCallOptions } from "../pipeline/call-options.js";
import type { Pipeline } from "../pipeline/pipeline.js";

/** The position of an outgoing message in its call, for errors. */
export interface Place {
  readonly entityPath: string;
  readonly index: number;
  readonly count: number;
}

/** Checks a message and writes its body. Throws or rejects with an error that names the message and its position. */
export function encode(
  message: Message,
  pipeline: Pipeline,
  place: Place,
  options: SerializeCallOptions | undefined,
): Awaitable<EncodedMessage> {
  checkOutgoing(message, place);
  try {
    const written = pipeline.serialize(message, options);
    if (!isPromise(written)) return written;
    return written.catch((error: unknown) => {
      throw sendError(error, message, place, options);
    });
  } catch (error) {
    throw sendError(error, message, place);
  }
}

/** Checks a message's properties against their limits. */
export function checkOutgoing(message: Message, place: Place): void {
  try {
    checkMessage(message, place.entityPath);
  } catch (error) {
    if (!(error instanceof WaybillError) || place.count === 1) throw error;
    throw sendError(error, message, place);
  }
}

/** Adds the position of the message in the call, because it often has no `messageId` yet. */
export function sendError(
  error: unknown,
  { messageId }: Message,
  { entityPath, index, count }: Place,
  options?: SerializeCallOptions,
): WaybillError {
  const wrapped = WaybillError.from(error, "serialization-failed");
  // A serializer or store whose signal aborts is unavailable; for the caller, the call is aborted.
  const isAborted = wrapped.code === "unavailable" && options?.abortSignal?.aborted;
  const which = count === 1 ? "The message" : `Message ${index + 1} of ${count}`;
  const { format, stage } = wrapped;
  const code = isAborted ? "aborted" : wrapped.code;
  const text = `${which} cannot be sent, so nothing was. ${wrapped.text}`;
  return new WaybillError(code, text, { entityPath, messageId, cause: error, format, stage });
}
