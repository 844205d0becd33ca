import { ByteReader } from "../codec/byte-reader.js";
import type { ByteWriter } from "../codec/byte-writer.js";
import { codeOf, defineComposite, isDescribed, readFields, writeComposite } from "../codec/composite.js";
import { writeValue } from "../codec/encode.js";
import type { AmqpMap, AmqpValue } from "../codec/value.js";

/** An error in close, end, detach and rejected (2.8.14). */
export interface AmqpError {
  /** Symbolic condition, for example "amqp:not-found". */
  readonly condition: string;
  readonly description?: string;
  readonly info?: AmqpMap;
}

const errorType = defineComposite("error", 0x1d, {
  condition: "symbol!",
  description: "string",
  info: "map",
});

/** Decodes an error field; `undefined` if it is absent. Throws `AmqpDecodeError`. */
export function toAmqpError(value: AmqpValue | undefined): AmqpError | undefined {
  if (value === undefined || value === null) return undefined;
  const reader = new ByteReader(new Uint8Array());
  if (!isDescribed(value) || codeOf(value) !== errorType.code) return reader.fail("an error was expected");
  const { condition, description, info } = readFields(reader, errorType, value.value);
  return { condition, ...(description !== undefined && { description }), ...(info && { info }) };
}

/** Appends an error, or null. */
export function writeAmqpError(writer: ByteWriter, error: AmqpError | undefined): void {
  if (error) writeComposite(writer, errorType, error);
  else writeValue(writer, null);
}
