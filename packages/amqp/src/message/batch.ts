import { ByteReader } from "../codec/byte-reader.js";
import { readDescriptor } from "../codec/composite.js";
import { skipValue } from "../codec/decode.js";
import { AmqpDecodeError } from "../codec/decode-error.js";
import { type ByteRange, binaryIn, MessageSections, scanMessage } from "./sections.js";
import { encodeMessage } from "./splice.js";

/** The message-format of a transfer with a batch: several messages in one delivery. */
export const batchMessageFormat = 0x80013700;

/** The code of a data section (3.2.6). */
const dataCode = 0x75;

/**
 * Scans the messages of a batch envelope in place: each data section of its body is one encoded message. The envelope's own header,
 * annotations and properties are irrelevant. Throws `AmqpDecodeError` if the envelope or a message is malformed, or its body is of another
 * kind.
 */
export function scanBatch(envelope: Uint8Array): MessageSections[] {
  return rangesOf(envelope).map(({ start, end }) => new MessageSections(envelope, start, end));
}

/**
 * Counts the messages of a batch envelope without scanning them; stops at `limit` + 1. Malformed bytes end the count; {@link scanBatch}
 * reports them.
 */
export function countBatch(envelope: Uint8Array, limit: number): number {
  const reader = new ByteReader(envelope);
  let count = 0;
  try {
    while (reader.position < reader.end && count <= limit) {
      if (readDescriptor(reader) === dataCode) count++;
      skipValue(reader);
    }
  } catch (error) {
    if (!(error instanceof AmqpDecodeError)) throw error;
  }
  return count;
}

/** The encoded messages of a batch envelope, each a view on it. Throws like {@link scanBatch} for the envelope. */
export function splitBatch(envelope: Uint8Array): Uint8Array[] {
  return rangesOf(envelope).map(({ start, end }) => envelope.subarray(start, end));
}

/** Creates a batch envelope of encoded messages, to send with {@link batchMessageFormat}. */
export function joinBatch(messages: readonly Uint8Array[]): Uint8Array {
  return encodeMessage({ body: { kind: "data", sections: messages } });
}

function rangesOf(envelope: Uint8Array): ByteRange[] {
  const { body, bodyKind } = scanMessage(envelope);
  if (bodyKind !== "data") throw new AmqpDecodeError("a batch envelope has no data sections");
  return body.map((section) => {
    const range = binaryIn(envelope, section);
    if (range === undefined) throw new AmqpDecodeError("a data section does not hold binary");
    return range;
  });
}
