import type { DeserializationOutcome } from "@waybill/core";
import type { DeliveredMessage } from "@waybill/core/transport";
import { toPortableValue } from "@waybill/migration/tools";

/** What a command reports about a body: the serializer that read it, or why none could. */
export function outcomeView(outcome: DeserializationOutcome) {
  const { report } = outcome;
  return {
    status: outcome.status,
    serializer: report.serializer,
    position: report.position,
    declared: report.declared,
    assumed: report.assumed,
    isEmpty: report.isEmpty,
    contentType: report.contentType,
    messageType: report.messageType,
    messageVersion: report.messageVersion,
    upcastPath: report.upcastPath,
    contentEncodings: report.contentEncodings,
    bytes: report.bytes,
    reason: outcome.status === "undeserializable" ? outcome.reason : undefined,
    attempts: report.attempts,
  };
}

/** What a command reports about a message: all properties, and the body only on request. */
export function messageView(message: DeliveredMessage, outcome: DeserializationOutcome, withBody: boolean) {
  const { body, settlement: _, lockToken: __, ...properties } = message;
  return {
    ...properties,
    deserialization: outcomeView(outcome),
    ...(withBody ? bodyView(body, outcome) : {}),
  };
}

/** The value, or the bytes if it cannot be deserialized. */
function bodyView(body: DeliveredMessage["body"], outcome: DeserializationOutcome) {
  if (outcome.status === "decoded") return { body: toPortableValue(outcome.body) };
  return body instanceof Uint8Array ? { rawBody: body } : { body: toPortableValue(body.value) };
}
