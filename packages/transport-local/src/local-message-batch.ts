import type { BrokerMessage, BrokerSender } from "@waybill/broker";
import { type EncodedMessage, WaybillError } from "@waybill/core";
import type { TransportMessageBatch } from "@waybill/core/transport";
import { toBrokerMessage } from "./to-broker-message.js";

/** A batch for one sender of the broker; sizes are those of the broker. */
export class LocalMessageBatch implements TransportMessageBatch {
  readonly maxSizeInBytes: number;
  readonly #sender: BrokerSender;
  readonly #messages: BrokerMessage[] = [];
  #sizeInBytes = 0;

  constructor(sender: BrokerSender, maxSizeInBytes: number = sender.maxBatchSizeInBytes) {
    if (maxSizeInBytes > sender.maxBatchSizeInBytes) {
      throw new WaybillError(
        "operation-invalid",
        `A batch may have at most ${sender.maxBatchSizeInBytes} bytes here, not ${maxSizeInBytes}.`,
        { entityPath: sender.path },
      );
    }
    this.#sender = sender;
    this.maxSizeInBytes = maxSizeInBytes;
  }

  get count(): number {
    return this.#messages.length;
  }

  get sizeInBytes(): number {
    return this.#sizeInBytes;
  }

  tryAdd(message: EncodedMessage): boolean {
    const outgoing = toBrokerMessage(message);
    const sizeInBytes = this.#sizeInBytes + this.#sender.sizeOf(outgoing);
    if (sizeInBytes > this.maxSizeInBytes) return false;
    this.#messages.push(outgoing);
    this.#sizeInBytes = sizeInBytes;
    return true;
  }

  /** The added messages. Throws `operation-invalid` when another sender created the batch. */
  messagesOf(sender: BrokerSender): readonly BrokerMessage[] {
    if (sender === this.#sender) return this.#messages;
    throw new WaybillError("operation-invalid", "The batch was made by another sender.", {
      entityPath: sender.path,
    });
  }
}
