import type { DeserializationOutcome, EncodedMessage, Pipeline } from "@waybill/core";
import { undeserializable } from "@waybill/core/internal";
import { bodySection } from "@waybill/core/transport";

/** What was lost of the bodies that the host has changed, by their message. */
const losses = new WeakMap<object, string>();

/** Remembers that the body of this message is not what was sent. */
export function rememberLoss(message: object, what: string): void {
  losses.set(message, what);
}

/** The pipeline, but a body that the host has changed is not read: its outcome says what was lost, and which setting keeps it. */
export function refusingLostBodies(pipeline: Pipeline): Pipeline {
  return {
    serializers: pipeline.serializers,
    messageTypes: pipeline.messageTypes,
    messageTypeResolver: pipeline.messageTypeResolver,
    serialize: (message, options) => pipeline.serialize(message, options),
    deserialize: (message, options) => {
      const what = losses.get(message);
      return what === undefined ? pipeline.deserialize(message, options) : lostBody(message, what);
    },
  };
}

function lostBody({ body, contentType }: EncodedMessage, detail: string): DeserializationOutcome {
  return undeserializable({
    serializer: undefined,
    position: -1,
    declared: undefined,
    contentType,
    messageType: undefined,
    messageVersion: undefined,
    upcastPath: [],
    section: bodySection(body),
    attempts: [{ serializer: undefined, position: -1, stage: "decode", reason: "utf8-invalid", detail }],
    contentEncodings: [],
    claimCheck: undefined,
    encryptionKeyId: undefined,
    bytes: 0,
    durationInMs: 0,
  });
}
