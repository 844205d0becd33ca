import type { DeserializationOutcome } from "@waybill/core";
import type { DeliveredMessage, MessageState } from "@waybill/core/transport";

/** A message as one row of a list: its properties and the serializer that reads it, without its body. */
export interface MessageRow {
  readonly sequenceNumber: string;
  readonly state: MessageState;
  readonly messageId: string | undefined;
  readonly subject: string | undefined;
  readonly contentType: string | undefined;
  readonly correlationId: string | undefined;
  readonly sessionId: string | undefined;
  readonly enqueuedAt: string | undefined;
  /** When a scheduled message becomes active. */
  readonly dueAt: string | undefined;
  readonly deliveryCount: number;
  readonly deadLetterReason: string | undefined;
  readonly messageType: string | undefined;
  readonly messageVersion: number | undefined;
  readonly status: DeserializationOutcome["status"];
  /** The serializer that read it; undefined if none did, or for an AMQP value, which needs none. */
  readonly serializer: string | undefined;
  /** Why it is undeserializable. */
  readonly reason: string | undefined;
  readonly bytes: number;
}

/** The row of a message. */
export function messageRow(message: DeliveredMessage, outcome: DeserializationOutcome): MessageRow {
  const { report } = outcome;
  return {
    sequenceNumber: String(message.sequenceNumber),
    state: message.state,
    messageId: idText(message.messageId),
    subject: shortened(message.subject),
    contentType: shortened(message.contentType),
    correlationId: idText(message.correlationId),
    sessionId: message.sessionId,
    enqueuedAt: instant(message.enqueuedTimeUtc),
    dueAt: message.state === "scheduled" ? instant(message.scheduledEnqueueTimeUtc) : undefined,
    deliveryCount: message.deliveryCount,
    deadLetterReason: shortened(message.deadLetterReason),
    messageType: report.messageType,
    messageVersion: report.messageVersion,
    status: outcome.status,
    serializer: report.serializer,
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
