import { ByteWriter } from "../codec/byte-writer.js";
import { writeDescriptor } from "../codec/composite.js";
import { writeBinaryOf } from "../codec/encode.js";
import { type MessageParts, writeMessage } from "./splice.js";

/** The code of a data section (3.2.6). */
const dataCode = 0x75;

/** Room beyond the usual size of a batch, for differences between batches. */
const spareBytes = 16_384;

/**
 * Writes a batch envelope message by message, in one pass and with one copy of each body: the front of the envelope, and then a data section
 * for each encoded message. A message that does not fit leaves no trace.
 */
export class BatchWriter {
  readonly #writer: ByteWriter;

  /** `front` has the sections of the envelope itself; `usualBytes` is the typical size of such batches, beyond which the buffer grows. */
  constructor(front: Omit<MessageParts, "body">, usualBytes: number) {
    this.#writer = new ByteWriter(usualBytes + spareBytes);
    writeMessage(this.#writer, front);
  }

  /** The size of the envelope so far, in bytes. */
  get length(): number {
    return this.#writer.length;
  }

  /** Appends a message unless the envelope would exceed `maxBytes`. Returns whether it was appended. */
  tryAppend(message: MessageParts, maxBytes: number): boolean {
    const writer = this.#writer;
    // A body of a gigabyte must not be copied to see that it does not fit.
    if (writer.length + bodyLength(message) > maxBytes) return false;
    const { position } = writer;
    writeDescriptor(writer, dataCode);
    writeBinaryOf(writer, () => writeMessage(writer, message));
    if (writer.length <= maxBytes) return true;
    writer.position = position;
    return false;
  }

  /** The envelope so far, to send with {@link batchMessageFormat}. It may be asked for again. */
  bytes(): Buffer {
    return this.#writer.buffer.subarray(0, this.#writer.position);
  }
}

function bodyLength({ body }: MessageParts): number {
  return body.kind === "data" ? body.sections.reduce((sum, { length }) => sum + length, 0) : 0;
}
