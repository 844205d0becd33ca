import { WaybillError } from "../errors/error.js";
import type { EncodedMessage } from "../message/message.js";
import type { TransportMessageBatch, TransportSender } from "./transport.js";

/** A batch for transports that know the size of each message. */
export class SizedBatch implements TransportMessageBatch {
  readonly maxSizeInBytes: number;
  readonly #sender: TransportSender;
  readonly #sizeOf: (message: EncodedMessage) => number;
  readonly #messages: EncodedMessage[] = [];
  #sizeInBytes = 0;

  /** An empty batch of `sender`, of at most `limit` bytes or `maxSizeInBytes`; throws `operation-invalid` if that is more. */
  constructor(
    sender: TransportSender,
    sizeOf: (message: EncodedMessage) => number,
    limit: number,
    maxSizeInBytes: number = limit,
  ) {
    if (maxSizeInBytes > limit) {
      const text = `A batch may have at most ${limit} bytes here, not ${maxSizeInBytes}.`;
      throw new WaybillError("operation-invalid", text, { entityPath: sender.entityPath });
    }
    this.#sender = sender;
    this.#sizeOf = sizeOf;
    this.maxSizeInBytes = maxSizeInBytes;
  }

  get count(): number {
    return this.#messages.length;
  }

  get sizeInBytes(): number {
    return this.#sizeInBytes;
  }

  tryAdd(message: EncodedMessage): boolean {
    const sizeInBytes = this.#sizeInBytes + this.#sizeOf(message);
    if (sizeInBytes > this.maxSizeInBytes) return false;
    this.#messages.push(message);
    this.#sizeInBytes = sizeInBytes;
    return true;
  }

  /** The messages that were added. Throws `operation-invalid` when another sender created the batch. */
  messagesFor(sender: TransportSender): readonly EncodedMessage[] {
    if (sender === this.#sender) return this.#messages;
    const text = "The batch was made by another sender.";
    throw new WaybillError("operation-invalid", text, { entityPath: sender.entityPath });
  }
}
