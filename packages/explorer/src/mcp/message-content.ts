import type { DeserializationOutcome } from "@waybill/core";
import type { DeliveredMessage } from "@waybill/core/transport";
import { toPortableValue } from "@waybill/migration/tools";
import { idText } from "../reads/message-row.js";

/** How much of a body is returned at once: characters of JSON, or bytes of a body that cannot be read. */
const maxBodyCharacters = 4_000;
const maxBodyBytes = 512;

/** How much of a property is returned. */
const maxPropertyCharacters = 500;

/**
 * What the sender of a message wrote, all in one field whose name says that it is data: an assistant must not follow what stands in it. `from` is
 * where to begin in the body.
 */
export function untrustedContent(message: DeliveredMessage, outcome: DeserializationOutcome, from: number) {
  const { messageId, correlationId, subject, sessionId, replyTo, to, applicationProperties } = message;
  const { contentType, deadLetterReason, deadLetterErrorDescription } = message;
  const named = {
    messageId: idText(messageId),
    correlationId: idText(correlationId),
    subject,
    contentType,
    sessionId,
    to,
    replyTo,
    deadLetterReason,
    deadLetterErrorDescription,
  };
  const properties = Object.entries(applicationProperties).map(([name, value]) => [
    shortened(name),
    typeof value === "string" ? shortened(value) : value,
  ]);
  return {
    ...Object.fromEntries(Object.entries(named).map(([name, text]) => [name, text && shortened(text)])),
    ...(properties.length > 0 && { applicationProperties: Object.fromEntries(properties) }),
    ...bodyPart(message, outcome, from),
  };
}

function bodyPart({ body }: DeliveredMessage, outcome: DeserializationOutcome, from: number): object {
  if (outcome.status === "decoded")
    return outcome.report.isEmpty === true ? {} : valuePart(outcome.body, from);
  if (!(body instanceof Uint8Array)) return valuePart(body.value, from);
  const piece = body.subarray(from, from + maxBodyBytes);
  const next = from + piece.length;
  return {
    bodyHex: Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength).toString("hex"),
    ...(next < body.length && { next }),
  };
}

/** The value as it is, or a piece of its JSON text if it is long. */
function valuePart(value: unknown, from: number): object {
  const portable = toPortableValue(value);
  const text = JSON.stringify(portable);
  if (from === 0 && text.length <= maxBodyCharacters) return { body: portable };
  const next = from + maxBodyCharacters;
  return {
    bodyJsonPart: text.slice(from, next),
    bodyJsonCharacters: text.length,
    ...(next < text.length && { next }),
  };
}

function shortened(text: string): string {
  return text.length <= maxPropertyCharacters ? text : `${text.slice(0, maxPropertyCharacters)}…`;
}
