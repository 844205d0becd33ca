import type { DeserializationOutcome, EncodedMessage, Pipeline } from "@waybill/core";
import { undeserializable, unreadReport } from "@waybill/core/internal";

/** What was lost of the bodies that the host has changed, by their message. */
const losses = new WeakMap<object, string>();

/** Remembers that the body of this message is not what was sent. */
export function rememberLoss(message: object, what: string): void {
  losses.set(message, what);
}

/**
 * The pipeline of a function's client. A body that the host has changed is not read: its outcome says what was lost, and which setting keeps it.
 * `handled` reads messages and refuses those without a handler; session states have none, so `pipeline` reads them.
 */
export function hostPipeline(pipeline: Pipeline, handled: Pipeline): Pipeline {
  return {
    serializers: pipeline.serializers,
    messageTypes: pipeline.messageTypes,
    messageTypeResolver: pipeline.messageTypeResolver,
    serialize: (message, options) => pipeline.serialize(message, options),
    deserialize: (message, options) => {
      const what = losses.get(message);
      if (what !== undefined) return lostBody(message, what);
      return ("deliveryCount" in message ? handled : pipeline).deserialize(message, options);
    },
  };
}

function lostBody(message: EncodedMessage, detail: string): DeserializationOutcome {
  const attempt = {
    serializer: undefined,
    position: -1,
    stage: "decode",
    reason: "utf8-invalid",
    detail,
  } as const;
  return undeserializable({ ...unreadReport(message), attempts: [attempt] });
}
