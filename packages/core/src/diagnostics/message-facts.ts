import type { DeliveredMessage } from "../contracts/transport.js";
import type { ApplicationProperties, EncodedMessage } from "../message/message.js";
import type { MessageFacts } from "./diagnostics.js";

/** The reported properties of a message. */
export function messageFacts(message: EncodedMessage | DeliveredMessage): MessageFacts {
  const { body, applicationProperties } = message;
  const delivered = message as Partial<DeliveredMessage>;
  return {
    messageId: message.messageId,
    correlationId: message.correlationId,
    messageType: message.subject,
    contentType: message.contentType,
    sessionId: message.sessionId,
    bodyBytes: body instanceof Uint8Array ? body.length : 0,
    traceparent: traceparentOf(applicationProperties),
    tracestate: textOf(applicationProperties?.tracestate),
    sequenceNumber: delivered.sequenceNumber,
    deliveryCount: delivered.deliveryCount,
    enqueuedTimeUtc: delivered.enqueuedTimeUtc,
  };
}

/** Azure's SDKs write `Diagnostic-Id`, newer ones also `traceparent`, which takes precedence. */
function traceparentOf(properties: ApplicationProperties | undefined): string | undefined {
  return textOf(properties?.traceparent) ?? textOf(properties?.["Diagnostic-Id"]);
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" && value.length <= 512 ? value : undefined;
}
