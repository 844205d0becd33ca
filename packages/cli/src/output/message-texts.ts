import type { DeserializationOutcome } from "@waybill/core";
import type { DeliveredMessage } from "@waybill/core/transport";
import { messageView } from "./message-view.js";
import { printable } from "./printable.js";
import { toJson } from "./to-json.js";

/** The serializer that read a body, or why none could. */
export function readBy(outcome: DeserializationOutcome): string {
  if (outcome.status === "decoded") {
    return outcome.report.serializer ?? (outcome.report.isEmpty === true ? "(no body)" : "(AMQP value)");
  }
  return outcome.status === "undeserializable" ? `nobody: ${outcome.reason}` : "(unavailable)";
}

/** A message id as text; bytes in hexadecimal. */
export function idText(id: DeliveredMessage["messageId"]): string | undefined {
  if (id === undefined) return undefined;
  return id instanceof Uint8Array ? Buffer.from(id).toString("hex") : String(id);
}

/** The decoded body for people: a text as it is, any other value as JSON, or its bytes. */
export function bodyText(message: DeliveredMessage, outcome: DeserializationOutcome): string {
  const { body, rawBody } = messageView(message, outcome, true) as { body?: unknown; rawBody?: unknown };
  return typeof body === "string" ? printable(body) : toJson(body ?? { rawBody }, 2);
}
