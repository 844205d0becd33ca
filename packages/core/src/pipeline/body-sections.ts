import { plainAmqpValue, withoutDescriptor } from "../amqp-values/plain-amqp-value.js";
import type { MediaType } from "../message/media-type.js";
import type { Reading } from "./reading.js";
import { assumedFor } from "./select.js";

const encoder = new TextEncoder();

/**
 * The bytes of a body: those of a data section, and of a string or binary in a value section, described or not, in which JMS, Qpid and others send
 * texts and bytes.
 * Undefined for other AMQP values, which are already decoded, and for a string if the assumed serializer reads any bytes, as it reads no texts.
 */
export function encodedBody(reading: Reading): Uint8Array | undefined {
  const { body } = reading.message;
  if (body instanceof Uint8Array) return body;
  const value = withoutDescriptor(body.value);
  if (value instanceof Uint8Array) return value;
  if (typeof value !== "string") return undefined;
  return assumedFor(reading)?.serializer.readsAnyBytes === true ? undefined : encoder.encode(value);
}

/** Whether the body is an AMQP string. It is neither compressed nor in another character set, whatever the message says. */
export function isText({ report, message: { body } }: Reading): boolean {
  if (report.section !== "value" || body instanceof Uint8Array) return false;
  return typeof withoutDescriptor(body.value) === "string";
}

/** The media type of the body's bytes. */
export function mediaTypeOf(reading: Reading): MediaType | undefined {
  const { mediaType } = reading.selection;
  if (mediaType === undefined || !isText(reading)) return mediaType;
  return { ...mediaType, parameters: new Map(mediaType.parameters).set("charset", "utf-8") };
}

/** The plain value of an AMQP value or sequence section. Throws the failure of a value that exceeds the limits. */
export function amqpGraph({ message: { body }, options: { maxDepth, maxItemsIn } }: Reading): unknown {
  const limits = { maxDepth, maxItems: maxItemsIn(Number.MAX_SAFE_INTEGER) };
  return body instanceof Uint8Array ? body : plainAmqpValue(body.value, limits);
}
