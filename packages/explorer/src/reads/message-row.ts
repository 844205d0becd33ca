import type { DeserializationOutcome } from "@waybill/core";
import type { DeliveredMessage } from "@waybill/core/transport";
import { mediaTypeOf } from "@waybill/migration/tools";

/** A message as one row of a list: its properties and the serializer that reads it, without its body. */
export type MessageRow = ReturnType<typeof messageRow>;

/** The row of a message. */
export function messageRow(message: DeliveredMessage, outcome: DeserializationOutcome) {
  const { report } = outcome;
  return {
    sequenceNumber: String(message.sequenceNumber),
    state: message.state,
    messageId: idText(message.messageId),
    subject: shortened(message.subject),
    contentType: shortened(message.contentType),
    /** Without parameters; in parentheses if there is none. */
    mediaType: mediaTypeOf(message.contentType),
    correlationId: idText(message.correlationId),
    sessionId: message.sessionId,
    enqueuedAt: instant(message.enqueuedTimeUtc),
    /** When a scheduled message becomes active. */
    dueAt: message.state === "scheduled" ? instant(message.scheduledEnqueueTimeUtc) : undefined,
    deliveryCount: message.deliveryCount,
    deadLetterReason: shortened(message.deadLetterReason),
    messageType: report.messageType,
    messageVersion: report.messageVersion,
    status: outcome.status,
    /** Undefined if none read it, or for an AMQP value, which needs none. */
    serializer: report.serializer,
    /** Why it is undeserializable. */
    reason: outcome.status === "undeserializable" ? outcome.reason : undefined,
    bytes: report.bytes,
  };
}

/** An id as text; one of bytes in hexadecimal. */
export function idText(id: DeliveredMessage["messageId"]): string | undefined {
  if (id === undefined) return undefined;
  return id instanceof Uint8Array ? Buffer.from(id).toString("hex") : String(id);
}

/** An instant as text; undefined for an invalid date. */
export function instant(date: Date | undefined): string | undefined {
  return date === undefined || Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

function shortened(text: string | undefined): string | undefined {
  return text?.slice(0, 256);
}
