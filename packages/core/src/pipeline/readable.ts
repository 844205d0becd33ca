import { isObject, kindOf } from "@waybill/foundation";
import type { EncodedBody } from "../message/body.js";
import type { EncodedMessage } from "../message/message.js";

/**
 * Returns the message if its body is a `Uint8Array` of this realm on unshared memory, or an AMQP section. Other views are converted to a
 * `Uint8Array`; shared memory is copied, because it could change while it is read. Throws `TypeError` for anything else, which no
 * transport delivers.
 */
export function readable(message: EncodedMessage): EncodedMessage {
  const body: unknown = message?.body;
  if (body instanceof Uint8Array && (body.buffer instanceof ArrayBuffer || !isShared(body.buffer))) {
    return message;
  }
  if (isSection(body)) return message;
  if (!ArrayBuffer.isView(body)) throw new TypeError(notReadable(message));
  const bytes = new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  return { ...message, body: isShared(body.buffer) ? bytes.slice() : bytes };
}

/** Compares the name, because the buffer may be of another realm. */
function isShared(buffer: ArrayBufferLike): boolean {
  return Object.prototype.toString.call(buffer) === "[object SharedArrayBuffer]";
}

function isSection(body: unknown): body is Exclude<EncodedBody, Uint8Array> {
  if (!isObject(body) || !("section" in body) || !("value" in body)) return false;
  return body.section === "value" || (body.section === "sequence" && Array.isArray(body.value));
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
