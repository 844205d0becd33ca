import { AmqpDecodeError } from "../codec/decode-error.js";
import { scanMessage } from "./sections.js";
import { encodeMessage } from "./splice.js";

/** The message-format of a transfer that carries a batch: several whole messages in one delivery. */
export const BATCH_MESSAGE_FORMAT = 0x80013700;

/**
 * The messages of a batch envelope: each data section of its body is one encoded message. The envelope's own
 * header, annotations and properties say nothing of its content. Throws `AmqpDecodeError` when the envelope is
 * malformed or its body is of another kind.
 */
export function splitBatch(envelope: Uint8Array): Uint8Array[] {
  const sections = scanMessage(envelope);
  if (sections.bodyKind !== "data") throw new AmqpDecodeError("a batch envelope has no data sections");
  return sections.decodeBody().map((message) => {
    if (message instanceof Uint8Array) return message;
    throw new AmqpDecodeError("a data section does not hold binary");
  });
}

/** A batch envelope around encoded messages, to be sent with {@link BATCH_MESSAGE_FORMAT}. */
export function joinBatch(messages: readonly Uint8Array[]): Uint8Array {
  return encodeMessage({ body: { kind: "data", sections: messages } });
}
