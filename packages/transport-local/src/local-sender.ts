import type { Broker, BrokerSender } from "@waybill/broker";
import type { EncodedMessage } from "@waybill/core";
import {
  type CallOptions,
  SizedBatch,
  type TransportCreateBatchOptions,
  type TransportMessageBatch,
  type TransportPart,
  type TransportSender,
} from "@waybill/core/transport";
import { LocalPart } from "./local-part.js";
import { toBrokerMessage } from "./to-broker-message.js";

/** Sends to one queue or topic of a broker in this process. */
export class LocalSender extends LocalPart implements TransportSender {
  readonly #broker: Broker;
  #sender: BrokerSender | undefined;

  constructor(broker: Broker, path: string, onClosed: (part: TransportPart) => void) {
    super(path, onClosed);
    this.#broker = broker;
  }

  send(messages: readonly EncodedMessage[], options?: CallOptions): Promise<void> {
    return this.#with(options, (sender) => {
      const [only, second] = messages;
      return only !== undefined && second === undefined
        ? sender.send(toBrokerMessage(only))
        : sender.sendBatch(messages.map((message) => toBrokerMessage(message)));
    });
  }

  createBatch(options?: TransportCreateBatchOptions): Promise<TransportMessageBatch> {
    return this.#with(
      options,
      (sender) =>
        new SizedBatch(
          this,
          (message) => sender.sizeOf(toBrokerMessage(message)),
          sender.maxBatchSizeInBytes,
          options?.maxSizeInBytes,
        ),
    );
  }

  sendBatch(batch: TransportMessageBatch, options?: CallOptions): Promise<void> {
    return this.#with(options, async (sender) => {
      const messages = (batch as SizedBatch).messagesFor(this);
      if (messages.length > 0) await sender.sendBatch(messages.map((message) => toBrokerMessage(message)));
    });
  }

  schedule(messages: readonly EncodedMessage[], at: Date, options?: CallOptions): Promise<bigint[]> {
    return this.#with(options, (sender) =>
      sender.schedule(messages.map((message) => toBrokerMessage(message, at))),
    );
  }

  cancelScheduled(sequenceNumbers: readonly bigint[], options?: CallOptions): Promise<void> {
    return this.#with(options, (sender) => sender.cancelScheduled(sequenceNumbers));
  }

  /** The broker looks up the entity when a sender is opened, so this happens on the first call. */
  #with<Answer>(
    options: CallOptions | undefined,
    work: (sender: BrokerSender) => Answer | Promise<Answer>,
  ): Promise<Answer> {
    return this.call(options?.abortSignal, () => {
      this.#sender ??= this.#broker.sender(this.entityPath);
      return work(this.#sender);
    });
  }
}
