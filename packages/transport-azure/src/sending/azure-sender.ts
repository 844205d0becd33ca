import { type EncodedMessage, WaybillError } from "@waybill/core";
import type {
  CallOptions,
  TransportCreateBatchOptions,
  TransportMessageBatch,
  TransportSender,
} from "@waybill/core/transport";
import { fromLong } from "../messages/from-service-bus-message.js";
import { toLong } from "../messages/to-long.js";
import { toServiceBusMessage } from "../messages/to-service-bus-message.js";
import { abortedError, closedError, toAzureError } from "../sdk/azure-error.js";
import type { ServiceBusCallOptions, ServiceBusSenderLike } from "../sdk/service-bus-client.js";
import { AzureMessageBatch } from "./azure-message-batch.js";
import { PendingSends } from "./pending-sends.js";

/** Sends to one queue or topic through a sender of the SDK. */
export class AzureSender implements TransportSender {
  readonly entityPath: string;
  readonly #create: () => ServiceBusSenderLike;
  readonly #onClosed: (sender: AzureSender) => void;
  #opened: { readonly sender: ServiceBusSenderLike; readonly pending: PendingSends } | undefined;
  /** The size of the last batch; the next is expected to be as large. */
  #usualBytes = 0;
  #isClosed = false;

  constructor(path: string, create: () => ServiceBusSenderLike, onClosed: (sender: AzureSender) => void) {
    this.entityPath = path;
    this.#create = create;
    this.#onClosed = onClosed;
  }

  send(messages: readonly EncodedMessage[], options?: CallOptions): Promise<void> {
    return this.#send(options, (sender, callOptions) => {
      const [only, second] = messages;
      if (only !== undefined && second === undefined)
        return sender.sendMessages(toServiceBusMessage(only), callOptions);
      return this.#sendAsBatch(sender, messages, callOptions);
    });
  }

  createBatch(options: TransportCreateBatchOptions = {}): Promise<TransportMessageBatch> {
    const { maxSizeInBytes } = options;
    return this.#call(options, async (sender, callOptions) => {
      const limit = maxSizeInBytes === undefined ? {} : { maxSizeInBytes };
      return this.#createBatch(sender, { ...callOptions, ...limit });
    });
  }

  sendBatch(batch: TransportMessageBatch, options?: CallOptions): Promise<void> {
    return this.#send(options, (sender, callOptions) =>
      this.#sendBatch(sender, batch as AzureMessageBatch, callOptions),
    );
  }

  async schedule(messages: readonly EncodedMessage[], at: Date, options?: CallOptions): Promise<bigint[]> {
    const sequenceNumbers = await this.#call(options, (sender, callOptions) => {
      const scheduled = messages.map((message) => toServiceBusMessage(message, at));
      return sender.scheduleMessages(scheduled, at, callOptions);
    });
    return sequenceNumbers.map(fromLong);
  }

  cancelScheduled(sequenceNumbers: readonly bigint[], options?: CallOptions): Promise<void> {
    return this.#call(options, (sender, callOptions) =>
      sender.cancelScheduledMessages(sequenceNumbers.map(toLong), callOptions),
    );
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#onClosed(this);
    await this.#opened?.sender.close();
    this.#opened?.pending.close();
  }

  async #sendAsBatch(
    sender: ServiceBusSenderLike,
    messages: readonly EncodedMessage[],
    options: ServiceBusCallOptions,
  ): Promise<void> {
    const batch = await this.#createBatch(sender, options);
    for (const message of messages) {
      if (batch.tryAdd(message)) continue;
      const text = `The ${messages.length} messages do not fit into a batch of ${batch.maxSizeInBytes} bytes.`;
      throw new WaybillError("message-too-large", text);
    }
    await this.#sendBatch(sender, batch, options);
  }

  async #createBatch(
    sender: ServiceBusSenderLike,
    options: ServiceBusCallOptions & { readonly maxSizeInBytes?: number },
  ): Promise<AzureMessageBatch> {
    return new AzureMessageBatch(await sender.createMessageBatch(options), sender, this.#usualBytes);
  }

  async #sendBatch(
    sender: ServiceBusSenderLike,
    batch: AzureMessageBatch,
    options: ServiceBusCallOptions,
  ): Promise<void> {
    const inner = batch.innerFor(sender, this.entityPath);
    // The SDK would send an empty envelope.
    if (batch.count === 0) return;
    this.#usualBytes = batch.sizeInBytes;
    await sender.sendMessages(inner, options);
  }

  /** Makes a call, and repeats it when its link was lost. */
  #send(options: CallOptions | undefined, send: Call<void>): Promise<void> {
    return this.#call(options, (sender, { abortSignal }, pending) =>
      pending.run(abortSignal, (signal) => send(sender, { abortSignal: signal }, pending)),
    );
  }

  /** The SDK's sender is created on the first call. */
  async #call<Answer>({ abortSignal }: CallOptions = {}, call: Call<Answer>): Promise<Answer> {
    if (this.#isClosed) throw closedError(this.entityPath);
    if (abortSignal?.aborted) throw abortedError(this.entityPath);
    try {
      this.#opened ??= this.#open();
      const { sender, pending } = this.#opened;
      return await call(sender, abortSignal === undefined ? {} : { abortSignal }, pending);
    } catch (error) {
      throw this.#isClosed ? closedError(this.entityPath) : toAzureError(error, this.entityPath);
    }
  }

  #open() {
    const sender = this.#create();
    return { sender, pending: new PendingSends(sender, this.entityPath) };
  }
}

type Call<Answer> = (
  sender: ServiceBusSenderLike,
  options: ServiceBusCallOptions,
  pending: PendingSends,
) => Promise<Answer>;
