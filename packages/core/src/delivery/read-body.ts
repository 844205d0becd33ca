import type { Awaitable } from "../contracts/serializer.js";
import type { DeliveredMessage } from "../contracts/transport.js";
import { WaybillError } from "../errors/error.js";
import { isPromise } from "../foundation/is-promise.js";
import { bodySection } from "../message/body.js";
import type { DeserializationOutcome } from "../message/outcome.js";
import type { DeserializeCallOptions, Pipeline } from "../pipeline/pipeline.js";

/**
 * Reads the body of a message. Never throws or rejects: if a custom pipeline throws, the outcome is `unavailable`, so that the message is
 * not lost.
 */
export function readBody(
  pipeline: Pipeline,
  delivered: DeliveredMessage,
  options?: DeserializeCallOptions,
): Awaitable<DeserializationOutcome> {
  try {
    const outcome = pipeline.deserialize(delivered, options);
    return isPromise(outcome) ? outcome.catch((error: unknown) => brokenPipeline(delivered, error)) : outcome;
  } catch (error) {
    return brokenPipeline(delivered, error);
  }
}

function brokenPipeline(delivered: DeliveredMessage, error: unknown): DeserializationOutcome {
  const { body, contentType } = delivered;
  return {
    status: "unavailable",
    error: WaybillError.from(error),
    report: {
      serializer: undefined,
      position: -1,
      declared: undefined,
      contentType,
      messageType: undefined,
      messageVersion: undefined,
      upcastPath: [],
      section: bodySection(body),
      attempts: [],
      contentEncodings: [],
      claimCheck: undefined,
      encryptionKeyId: undefined,
      encryptionBinding: undefined,
      bytes: body instanceof Uint8Array ? body.length : 0,
      durationInMs: 0,
    },
  };
}
