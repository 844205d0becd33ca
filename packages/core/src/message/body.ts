/**
 * An encoded message body. Bytes are the AMQP *data* section, the only one that serializers read and write. The *value* and *sequence*
 * sections, which other stacks send, contain AMQP values that are already decoded.
 * Source: AMQP 1.0, 3.2.6–3.2.8.
 */
export type EncodedBody = Uint8Array | AmqpValueBody | AmqpSequenceBody;

/**
 * An AMQP value section: one decoded AMQP value. Values of types without a counterpart in JavaScript are objects with their `type`, such as
 * `{ type: "uuid", value }`, `{ type: "char", value }`, `{ type: "decimal128", value }` and `{ type: "described", descriptor, value }`. Maps are objects,
 * or a `Map` if a key is not a string or `type` is a text, so that no map of a sender is one of these.
 */
export interface AmqpValueBody {
  readonly section: "value";
  readonly value: unknown;
}

/** An AMQP sequence section: a list of decoded AMQP values. */
export interface AmqpSequenceBody {
  readonly section: "sequence";
  readonly value: readonly unknown[];
}

/** The AMQP section of a body. */
export type BodySection = "data" | "value" | "sequence";

/** Names the AMQP section of a body. Anything that is not a value or sequence section counts as bytes. */
export function bodySection(body: EncodedBody): BodySection {
  // Bytes of another realm are no `Uint8Array` here, and a faulty transport may deliver no body at all.
  return body instanceof Uint8Array
    ? "data"
    : ((body as Partial<AmqpValueBody> | undefined)?.section ?? "data");
}
