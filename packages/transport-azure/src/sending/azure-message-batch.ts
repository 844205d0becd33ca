import { type EncodedMessage, WaybillError } from "@waybill/core";
import type { TransportMessageBatch } from "@waybill/core/transport";
import { BatchWriter, isPlain } from "../messages/batch-writer.js";
import { toServiceBusMessage } from "../messages/to-service-bus-message.js";
import type { ServiceBusMessageBatchLike, ServiceBusSenderLike } from "../sdk/service-bus-client.js";

/** What is used of a batch of the SDK beside its types: the bytes it is asked for when it is sent, and the spans of its messages. */
interface InnerBatch extends ServiceBusMessageBatchLike {
  readonly _generateMessage?: () => Uint8Array;
  readonly _messageSpanContexts?: readonly unknown[];
}

/**
 * A batch of the SDK, whose usual messages are encoded here, because the SDK spends more time on that than on all the rest. The SDK gets the
 * first message, and all of them when it traces them, when one is not usual, or if its batches are made otherwise one day.
 */
export class AzureMessageBatch implements TransportMessageBatch {
  readonly #inner: InnerBatch;
  readonly #sender: ServiceBusSenderLike;
  readonly #usualBytes: number;
  readonly #messages: EncodedMessage[] = [];
  /** Undefined when the SDK has encoded them all. */
  #writer: BatchWriter | undefined;

  /** `usualBytes` is what the batches of this sender take. */
  constructor(inner: ServiceBusMessageBatchLike, sender: ServiceBusSenderLike, usualBytes: number) {
    this.#inner = inner;
    this.#sender = sender;
    this.#usualBytes = usualBytes;
  }

  get count(): number {
    return this.#writer === undefined ? this.#inner.count : this.#messages.length;
  }

  get sizeInBytes(): number {
    return this.#writer?.length ?? this.#inner.sizeInBytes;
  }

  get maxSizeInBytes(): number {
    return this.#inner.maxSizeInBytes;
  }

  tryAdd(message: EncodedMessage): boolean {
    if (this.count === 0) return this.#addFirst(message);
    const writer = this.#writer;
    if (writer === undefined) return this.#inner.tryAddMessage(toServiceBusMessage(message));
    if (!isPlain(message) || !this.#isAlike(message)) return this.#leaveToSdk(message);
    if (!writer.tryAppend(message, this.maxSizeInBytes)) return false;
    this.#messages.push(message);
    return true;
  }

  /** What the SDK sends as a batch. Throws `operation-invalid` when another sender made it. */
  innerFor(sender: ServiceBusSenderLike, entityPath: string): ServiceBusMessageBatchLike {
    if (sender !== this.#sender) {
      throw new WaybillError("operation-invalid", "The batch was made by another sender.", { entityPath });
    }
    const writer = this.#writer;
    if (writer === undefined) return this.#inner;
    return Object.create(this.#inner, { _generateMessage: { value: () => writer.bytes() } });
  }

  #addFirst(message: EncodedMessage): boolean {
    if (!this.#inner.tryAddMessage(toServiceBusMessage(message))) return false;
    const { _generateMessage, _messageSpanContexts } = this.#inner;
    if (typeof _generateMessage !== "function" || _messageSpanContexts?.length !== 0) return true;
    if (!isPlain(message)) return true;
    const writer = new BatchWriter(message, this.#usualBytes);
    // In the SDK's encoding it fits; in this one, which may be longer, it need not.
    if (!writer.tryAppend(message, this.maxSizeInBytes)) return true;
    this.#writer = writer;
    this.#messages.push(message);
    return true;
  }

  /** Whether the SDK would treat it as the first, to which it gave no trace context: it gives none to messages that carry one. */
  #isAlike(message: EncodedMessage): boolean {
    const [first] = this.#messages;
    return isTraced(message) || first === undefined || !isTraced(first);
  }

  /** There is no room for the message, either, when the SDK, which may take more bytes or add trace contexts, has none for the earlier ones. */
  #leaveToSdk(message: EncodedMessage): boolean {
    for (const earlier of this.#messages.slice(this.#inner.count)) {
      if (!this.#inner.tryAddMessage(toServiceBusMessage(earlier))) return false;
    }
    this.#messages.length = 0;
    this.#writer = undefined;
    return this.#inner.tryAddMessage(toServiceBusMessage(message));
  }
}

function isTraced({ applicationProperties }: EncodedMessage): boolean {
  return (
    applicationProperties?.traceparent !== undefined || applicationProperties?.["Diagnostic-Id"] !== undefined
  );
}
