import { ByteReader } from "../codec/byte-reader.js";
import { readDescriptor } from "../codec/composite.js";
import { skipValue } from "../codec/decode.js";
import { AmqpDecodeError } from "../codec/decode-error.js";
import { type ByteRange, binaryIn, MessageSections, scanMessage } from "./sections.js";
import { encodeMessage } from "./splice.js";

/** The message-format of a transfer that carries a batch: several whole messages in one delivery. */
export const BATCH_MESSAGE_FORMAT = 0x80013700;

/** The code of a data section (3.2.6). */
const DATA = 0x75;

/**
 * The messages of a batch envelope, scanned where they lie: each data section of its body is one encoded message.
 * The envelope's own header, annotations and properties say nothing of its content. Throws `AmqpDecodeError` when
 * the envelope or a message in it is malformed, or its body is of another kind.
 */
export function scanBatch(envelope: Uint8Array): MessageSections[] {
  return rangesOf(envelope).map(({ start, end }) => new MessageSections(envelope, start, end));
}

/**
 * How many messages a batch envelope has, without looking into them; `limit` + 1 for all that are more, in the time of so many. What is malformed
 * ends the count, and is reported by {@link scanBatch}.
 */
export function countBatch(envelope: Uint8Array, limit: number): number {
  const reader = new ByteReader(envelope);
  let count = 0;
  try {
    while (reader.position < reader.end && count <= limit) {
      if (readDescriptor(reader) === DATA) count++;
      skipValue(reader);
    }
  } catch (error) {
    if (!(error instanceof AmqpDecodeError)) throw error;
  }
  return count;
}

/** The messages of a batch envelope as they are, each a view on it. Throws as {@link scanBatch} does for the envelope. */
export function splitBatch(envelope: Uint8Array): Uint8Array[] {
  return rangesOf(envelope).map(({ start, end }) => envelope.subarray(start, end));
}

/** A batch envelope around encoded messages, to be sent with {@link BATCH_MESSAGE_FORMAT}. */
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
