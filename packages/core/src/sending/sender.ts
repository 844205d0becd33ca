import { isPromise, requireInteger } from "@waybill/foundation";
import type { Awaitable } from "../contracts/serializer.js";
import type { CallOptions, TransportMessageBatch, TransportSender } from "../contracts/transport.js";
import type { EncodedMessage, Message } from "../message/message.js";
import { sequenceNumberList } from "../message/sequence-number-list.js";
import type { Pipeline } from "../pipeline/pipeline.js";
import { type CreateMessageBatchOptions, MessageBatch } from "./message-batch.js";
import { checkOutgoing, encode } from "./outgoing.js";
import { sendInBatches, sendOne } from "./send-in-batches.js";

/** Dependencies of a sender. */
export interface SenderSettings {
  readonly sender: TransportSender;
  readonly pipeline: Pipeline;
  readonly onClosed: (sender: Sender) => void;
}

/**
 * Sends to one queue or topic. All messages of a call are checked and serialized before the first is sent, so that nothing is sent if one of
 * them is invalid; the error names it.
 */
export class Sender implements AsyncDisposable {
  readonly #settings: SenderSettings;
  readonly #sender: TransportSender;
  readonly #batches = new WeakMap<MessageBatch, TransportMessageBatch>();
  #closing: Promise<void> | undefined;

  constructor(settings: SenderSettings) {
    this.#settings = settings;
    this.#sender = settings.sender;
  }

  /** The queue or topic. */
  get entityPath(): string {
    return this.#sender.entityPath;
  }

  get isClosed(): boolean {
    return this.#closing !== undefined;
  }

  /**
   * Sends one message, several, or a batch. Messages that fit into one batch are sent all or none; a larger array is sent in several
   * batches, in order, and rejects with `partially-sent` if one of them fails after others were sent: `sendResults` says which. Rejects with
   * `operation-invalid` for a property beyond its limit, with `serialization-failed` for a body that cannot be written, with
   * `unavailable` for one that cannot be written now, with `message-too-large` for a message beyond the broker's limit; nothing was sent
   * then.
   */
  async sendMessages(
    messages: Message | readonly Message[] | MessageBatch,
    options?: CallOptions,
  ): Promise<void> {
    if (messages instanceof MessageBatch) {
      const batch = this.#batches.get(messages);
      if (batch === undefined) throw new TypeError("The batch was made by another sender.");
      await this.#sender.sendBatch(batch, options);
      return;
    }
    const encoded = this.#serialize(toArray(messages), options);
    await this.#send(isPromise(encoded) ? await encoded : encoded, options);
  }

  /**
   * Sends messages with encoded bodies unchanged: forwarded, resubmitted, or written by `pipeline.serialize`. Rejects like
   * {@link sendMessages}, but with `TypeError` for a body that is not encoded.
   */
  async sendEncodedMessages(
    messages: EncodedMessage | readonly EncodedMessage[],
    options?: CallOptions,
  ): Promise<void> {
    const checked = toArray(messages);
    checked.forEach((message, index) => {
      checkOutgoing(message, { entityPath: this.entityPath, index, count: checked.length });
      requireEncodedBody(message);
    });
    await this.#send(checked, options);
  }

  /**
   * Creates an empty batch, to be filled with `tryAddMessage` and sent with `sendMessages`. Rejects with `operation-invalid` when
   * `maxSizeInBytes` is more than the broker accepts.
   */
  async createMessageBatch(options: CreateMessageBatchOptions = {}): Promise<MessageBatch> {
    const { maxSizeInBytes } = options;
    if (maxSizeInBytes !== undefined) requireInteger("maxSizeInBytes", maxSizeInBytes, 1);
    const inner = await this.#sender.createBatch(options);
    const { pipeline } = this.#settings;
    const batch = new MessageBatch({ batch: inner, pipeline, entityPath: this.entityPath });
    this.#batches.set(batch, inner);
    return batch;
  }

  /**
   * Schedules one message or several to become active at an instant; resolves with their sequence numbers, with which they can be
   * cancelled until then. Rejects with `TypeError` for an invalid date, else like {@link sendMessages}, but never with `partially-sent`.
   */
  async scheduleMessages(
    messages: Message | readonly Message[],
    scheduledEnqueueTimeUtc: Date,
    options?: CallOptions,
  ): Promise<bigint[]> {
    if (!(scheduledEnqueueTimeUtc instanceof Date) || Number.isNaN(scheduledEnqueueTimeUtc.getTime())) {
      throw new TypeError("scheduleMessages needs a valid Date.");
    }
    const encoded = await this.#serialize(toArray(messages), options);
    return encoded.length === 0 ? [] : this.#sender.schedule(encoded, scheduledEnqueueTimeUtc, options);
  }

  /**
   * Cancels scheduled messages. Rejects with `message-not-found` if one is not scheduled any more, with `TypeError` for a number that is
   * not a bigint.
   */
  async cancelScheduledMessages(
    sequenceNumbers: bigint | readonly bigint[],
    options?: CallOptions,
  ): Promise<void> {
    const numbers = sequenceNumberList(sequenceNumbers);
    if (numbers.length > 0) await this.#sender.cancelScheduled(numbers, options);
  }

  /** Closes the sender; closing twice is harmless. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    this.#settings.onClosed(this);
    await this.#sender.close();
  }

  async #send(messages: readonly EncodedMessage[], options: CallOptions | undefined): Promise<void> {
    const [first, second] = messages;
    if (first === undefined) return;
    if (second === undefined) await sendOne(this.#sender, first, options);
    else await sendInBatches(this.#sender, messages, options);
  }

  #serialize(
    messages: readonly Message[],
    options: CallOptions | undefined,
  ): Awaitable<readonly EncodedMessage[]> {
    const { pipeline } = this.#settings;
    const written: Awaitable<EncodedMessage>[] = [];
    let isWaiting = false;
    let index = 0;
    for (const message of messages) {
      const place = { entityPath: this.entityPath, index, count: messages.length };
      index++;
      const one = encode(message, pipeline, place, options);
      if (isPromise(one)) {
        isWaiting = true;
        // It is not awaited if a later one throws synchronously.
        one.catch(() => {});
      }
      written.push(one);
    }
    return isWaiting ? Promise.all(written) : (written as EncodedMessage[]);
  }
}

function toArray<T extends object>(messages: T | readonly T[]): readonly T[] {
  return Array.isArray(messages) ? (messages as readonly T[]) : [messages as T];
}

function requireEncodedBody({ body }: EncodedMessage): void {
  if (body instanceof Uint8Array) return;
  const section = (body as { section?: unknown } | null | undefined)?.section;
  if (section === "value" || (section === "sequence" && Array.isArray(body.value))) return;
  throw new TypeError(
    "sendEncodedMessages needs bodies in wire form: a Uint8Array, a value or a sequence section.",
  );
}
