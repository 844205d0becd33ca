import { type EncodedMessage, type TransportMessageBatch, WaybillError } from "@waybill/core";
import { encodeEntry, encodeEnvelope } from "./encode-batch.js";
import type { ServiceBusMessageBatchLike, ServiceBusSenderLike } from "./service-bus-client.js";
import { toServiceBusMessage } from "./to-service-bus-message.js";

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
  readonly #messages: EncodedMessage[] = [];
  /** The envelope and the messages; undefined when the SDK has encoded them all. */
  #encoded: Uint8Array[] | undefined;
  #encodedBytes = 0;

  constructor(inner: ServiceBusMessageBatchLike, sender: ServiceBusSenderLike) {
    this.#inner = inner;
    this.#sender = sender;
  }

  get count(): number {
    return this.#encoded === undefined ? this.#inner.count : this.#messages.length;
  }

  get sizeInBytes(): number {
    return this.#encoded === undefined ? this.#inner.sizeInBytes : this.#encodedBytes;
  }

  get maxSizeInBytes(): number {
    return this.#inner.maxSizeInBytes;
  }

  tryAdd(message: EncodedMessage): boolean {
    if (this.count === 0) return this.#addFirst(message);
    if (this.#encoded === undefined) return this.#inner.tryAddMessage(toServiceBusMessage(message));
    const entry = this.#isAlike(message) ? encodeEntry(message) : undefined;
    if (entry === undefined) return this.#leaveToSdk(message);
    return this.#add(message, entry);
  }

  /** What the SDK sends as a batch. Throws `operation-invalid` when another sender made it. */
  innerFor(sender: ServiceBusSenderLike, entityPath: string): ServiceBusMessageBatchLike {
    if (sender !== this.#sender) {
      throw new WaybillError("operation-invalid", "The batch was made by another sender.", { entityPath });
    }
    const encoded = this.#encoded;
    if (encoded === undefined) return this.#inner;
    return Object.create(this.#inner, { _generateMessage: { value: () => Buffer.concat(encoded) } });
  }

  #addFirst(message: EncodedMessage): boolean {
    if (!this.#inner.tryAddMessage(toServiceBusMessage(message))) return false;
    const { _generateMessage, _messageSpanContexts } = this.#inner;
    if (typeof _generateMessage !== "function" || _messageSpanContexts?.length !== 0) return true;
    const entry = encodeEntry(message);
    if (entry === undefined) return true;
    const envelope = encodeEnvelope(message);
    this.#encoded = [envelope];
    this.#encodedBytes = envelope.length;
    // In the SDK's encoding it fits; in this one, a little longer, it may not.
    if (!this.#add(message, entry)) this.#encoded = undefined;
    return true;
  }

  #add(message: EncodedMessage, entry: Uint8Array): boolean {
    if (this.#encodedBytes + entry.length > this.maxSizeInBytes) return false;
    this.#messages.push(message);
    this.#encoded!.push(entry);
    this.#encodedBytes += entry.length;
    return true;
  }

  /** Whether the SDK would treat it as the first, to which it gave no trace context: it gives none to messages that carry one. */
  #isAlike(message: EncodedMessage): boolean {
    return isTraced(message) || !isTraced(this.#messages[0]!);
  }

  #leaveToSdk(message: EncodedMessage): boolean {
    for (const earlier of this.#messages.splice(0).slice(1)) {
      this.#inner.tryAddMessage(toServiceBusMessage(earlier));
    }
    this.#encoded = undefined;
    return this.#inner.tryAddMessage(toServiceBusMessage(message));
  }
}

function isTraced({ applicationProperties }: EncodedMessage): boolean {
  return (
    applicationProperties?.traceparent !== undefined || applicationProperties?.["Diagnostic-Id"] !== undefined
  );
}
