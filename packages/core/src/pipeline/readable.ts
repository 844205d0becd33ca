import { isObject, kindOf } from "@waybill/foundation";
import type { EncodedBody } from "../message/body.js";
import type { EncodedMessage } from "../message/message.js";

/**
 * Returns the message if its body is a `Uint8Array` on unshared memory, both of this realm, or an AMQP section. Other views are copied to
 * one: shared memory could change while it is read. Throws `TypeError` for anything else, which no transport delivers.
 */
export function readable(message: EncodedMessage): EncodedMessage {
  const body: unknown = message?.body;
  return body instanceof Uint8Array && body.buffer instanceof ArrayBuffer
    ? message
    : converted(message, body);
}

function converted(message: EncodedMessage, body: unknown): EncodedMessage {
  if (isSection(body)) return message;
  if (!ArrayBuffer.isView(body)) throw new TypeError(notReadable(message));
  return { ...message, body: new Uint8Array(body.buffer, body.byteOffset, body.byteLength).slice() };
}

function isSection(body: unknown): body is Exclude<EncodedBody, Uint8Array> {
  return (
    isObject(body) &&
    "section" in body &&
    "value" in body &&
    (body.section === "value" || (body.section === "sequence" && Array.isArray(body.value)))
  );
}

function notReadable(message: EncodedMessage): string {
  if (!isObject(message)) return "deserialize needs a message, with its body.";
  const body: unknown = message.body;
  const type = Object.prototype.toString.call(body).slice(8, -1);
  const isBuffer = type.endsWith("ArrayBuffer");
  const hint = isBuffer
    ? " Make a view of it: new Uint8Array(buffer)."
    : typeof body === "string"
      ? " Encode a text first: new TextEncoder().encode(text)."
      : "";
  const kind = isBuffer ? type : kindOf(body);
  return `The body to deserialize must be bytes (a Uint8Array or another view), or an AMQP value or sequence section, not ${kind}.${hint}`;
}
