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

/** The body for people: a text as it is, also one that nothing could read, any other value as JSON, or its bytes. */
export function bodyText(message: DeliveredMessage, outcome: DeserializationOutcome): string {
  const { body, rawBody } = messageView(message, outcome, true) as { body?: unknown; rawBody?: Uint8Array };
  const text = rawBody === undefined ? body : textIn(rawBody);
  return typeof text === "string" ? printable(text) : toJson(body ?? { rawBody }, 2);
}

const utf8 = new TextDecoder("utf-8", { fatal: true });
/** What no text has besides tabs and ends of lines. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to find.
const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f]/;

/** The text that bytes are; undefined for others. */
function textIn(bytes: Uint8Array): string | undefined {
  try {
    const text = utf8.decode(bytes);
    return control.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}
