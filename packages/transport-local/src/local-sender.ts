import type { Broker, Sender } from "@waybill/broker";
import type { EncodedMessage } from "@waybill/core";
import type {
  CallOptions,
  CreateBatchOptions,
  TransportMessageBatch,
  TransportSender,
} from "@waybill/core/transport";
import { closedError, throwIfAborted, toLocalError } from "./local-error.js";
import { LocalMessageBatch } from "./local-message-batch.js";
import { toBrokerMessage } from "./to-broker-message.js";

/** Sends to one queue or topic of a broker in this process. */
export class LocalSender implements TransportSender {
  readonly entityPath: string;
  readonly #broker: Broker;
  readonly #onClosed: (sender: LocalSender) => void;
  #sender: Sender | undefined;
  #isClosed = false;

  constructor(broker: Broker, path: string, onClosed: (sender: LocalSender) => void) {
    this.entityPath = path;
    this.#broker = broker;
    this.#onClosed = onClosed;
  }

  async send(messages: readonly EncodedMessage[], options?: CallOptions): Promise<void> {
    try {
      const sender = this.#open(options);
      const [only, second] = messages;
      if (only !== undefined && second === undefined) await sender.send(toBrokerMessage(only));
      else await sender.sendBatch(messages.map((message) => toBrokerMessage(message)));
    } catch (error) {
      throw toLocalError(error, this.entityPath);
    }
  }

  async createBatch(options?: CreateBatchOptions): Promise<TransportMessageBatch> {
    try {
      return new LocalMessageBatch(this.#open(options), options?.maxSizeInBytes);
    } catch (error) {
      throw toLocalError(error, this.entityPath);
    }
  }

  async sendBatch(batch: TransportMessageBatch, options?: CallOptions): Promise<void> {
    try {
      const sender = this.#open(options);
      const messages = (batch as LocalMessageBatch).messagesOf(sender);
      if (messages.length > 0) await sender.sendBatch(messages);
    } catch (error) {
      throw toLocalError(error, this.entityPath);
    }
  }

  async schedule(messages: readonly EncodedMessage[], at: Date, options?: CallOptions): Promise<bigint[]> {
    try {
      return await this.#open(options).schedule(messages.map((message) => toBrokerMessage(message, at)));
    } catch (error) {
      throw toLocalError(error, this.entityPath);
    }
  }

  async cancelScheduled(sequenceNumbers: readonly bigint[], options?: CallOptions): Promise<void> {
    try {
      await this.#open(options).cancelScheduled(sequenceNumbers);
    } catch (error) {
      throw toLocalError(error, this.entityPath);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#onClosed(this);
  }

  /** The broker looks up the entity when a sender is opened, so this happens on the first call. */
  #open(options: CallOptions | undefined): Sender {
    if (this.#isClosed) throw closedError(this.entityPath);
    throwIfAborted(options?.abortSignal, this.entityPath);
    this.#sender ??= this.#broker.sender(this.entityPath);
    return this.#sender;
  }
}
