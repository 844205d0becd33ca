import type { Awaitable } from "../contracts/serializer.js";
import type { CallOptions } from "../contracts/transport.js";
import { WaybillError } from "../errors/error.js";
import { isPromise } from "../foundation/is-promise.js";
import { checkMessage } from "../message/check-message.js";
import type { EncodedMessage, Message } from "../message/message.js";
import type { Pipeline } from "../pipeline/pipeline.js";

/** Where an outgoing message stands in its call, to be named when it cannot be sent. */
export interface Place {
  readonly entityPath: string;
  readonly index: number;
  readonly count: number;
}

/** Checks a message and writes its body. Throws or rejects with an error that names the message and its place. */
export function encode(
  message: Message,
  pipeline: Pipeline,
  place: Place,
  options: CallOptions | undefined,
): Awaitable<EncodedMessage> {
  checkOutgoing(message, place);
  try {
    const written = pipeline.serialize(message, options);
    if (!isPromise(written)) return written;
    return (written as Promise<EncodedMessage>).catch((error: unknown) => {
      throw sendError(error, message, place);
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

/** Says which message of the call it was: ids are often given by the broker, so the place in the call counts. */
export function sendError(
  error: unknown,
  { messageId }: Message,
  { entityPath, index, count }: Place,
): WaybillError {
  const beneath = WaybillError.from(error, "serialization-failed");
  const which = count === 1 ? "The message" : `Message ${index + 1} of ${count}`;
  return new WaybillError(beneath.code, `${which} cannot be sent, so nothing was. ${beneath.message}`, {
    entityPath,
    messageId,
    cause: error,
    ...(beneath.format === undefined ? {} : { format: beneath.format }),
    ...(beneath.stage === undefined ? {} : { stage: beneath.stage }),
  });
}
