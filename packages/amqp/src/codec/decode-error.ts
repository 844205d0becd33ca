/**
 * Thrown for bytes that are not a well-formed AMQP value, message or frame body. The text contains what was read and the offset, never the
 * bytes. On the wire it is `amqp:decode-error` (2.8.15).
 */
export class AmqpDecodeError extends Error {
  override readonly name = "AmqpDecodeError";
  readonly condition = "amqp:decode-error";
}
