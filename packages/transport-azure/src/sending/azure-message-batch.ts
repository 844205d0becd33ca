import { BatchWriter } from "@waybill/amqp/batches";
import { type EncodedMessage, WaybillError } from "@waybill/core";
import type { TransportMessageBatch } from "@waybill/core/transport";
import { required } from "@waybill/foundation";
import { isPlain, toMessageParts } from "../messages/plain-message.js";
import { toServiceBusMessage } from "../messages/to-service-bus-message.js";
import type { ServiceBusMessageBatchLike, ServiceBusSenderLike } from "../sdk/service-bus-client.js";

/** Service Bus refuses more in one batch, in Basic and Standard; the SDK does not know. Source: Azure/azure-service-bus#397. */
const maxMessages = 4_500;

/** Untyped members of the SDK's batch that are used: the encoded bytes requested when sending, and the tracing spans of its messages. */
interface InnerBatch extends ServiceBusMessageBatchLike {
  _generateMessage?: () => Uint8Array;
  readonly _messageSpanContexts?: readonly unknown[];
}

/**
 * A batch of the SDK whose common messages are encoded here, because the SDK's encoding takes more time than everything else. The SDK gets
 * the first message; it gets all of them if it traces them, if one is not common, or if its batch has another structure.
 */
export class AzureMessageBatch implements TransportMessageBatch {
  readonly #inner: InnerBatch;
  readonly #sender: ServiceBusSenderLike;
  readonly #usualBytes: number;
  readonly #messages: EncodedMessage[] = [];
  /** Undefined when the SDK encoded all messages. */
  #writer: BatchWriter | undefined;
  /** The SDK's own encoding. */
  #generateOfSdk: InnerBatch["_generateMessage"];

  /** `usualBytes` is the typical size of this sender's batches. */
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
    if (this.count === maxMessages) return false;
    if (this.count === 0) return this.#addFirst(message);
    const writer = this.#writer;
    if (writer === undefined) return this.#inner.tryAddMessage(toServiceBusMessage(message));
    if (!isPlain(message) || !this.#isAlike(message)) return this.#leaveToSdk(message);
    if (!writer.tryAppend(toMessageParts(message), this.maxSizeInBytes)) return false;
    this.#messages.push(message);
    return true;
  }

  /** The batch to pass to the SDK. Throws `operation-invalid` when another sender created it. */
  innerFor(sender: ServiceBusSenderLike, entityPath: string): ServiceBusMessageBatchLike {
    if (sender !== this.#sender) {
      throw new WaybillError("operation-invalid", "The batch was made by another sender.", { entityPath });
    }
    const writer = this.#writer;
    if (writer !== undefined) this.#inner._generateMessage = () => writer.bytes();
    return this.#inner;
  }

  #addFirst(message: EncodedMessage): boolean {
    if (!this.#inner.tryAddMessage(toServiceBusMessage(message))) return false;
    const { _generateMessage, _messageSpanContexts } = this.#inner;
    if (typeof _generateMessage !== "function" || _messageSpanContexts?.length !== 0) return true;
    if (!isPlain(message)) return true;
    this.#generateOfSdk = _generateMessage;
    // As the SDK does, the envelope gets the properties of the first message.
    const { body, ...front } = toMessageParts(message);
    const writer = new BatchWriter(front, this.#usualBytes);
    // It fits in the SDK's encoding, but may not fit in this one, which may be longer.
    if (!writer.tryAppend({ ...front, body }, this.maxSizeInBytes)) return true;
    this.#writer = writer;
    this.#messages.push(message);
    return true;
  }

  /** Whether the SDK would treat it like the first message, which got no trace context: only messages that already carry one get none. */
  #isAlike(message: EncodedMessage): boolean {
    const [first] = this.#messages;
    return isTraced(message) || first === undefined || !isTraced(first);
  }

  /**
   * Moves all messages to the SDK's batch. Returns false if they do not fit there, as the SDK may need more bytes or add trace contexts.
   */
  #leaveToSdk(message: EncodedMessage): boolean {
    for (const earlier of this.#messages.slice(this.#inner.count)) {
      if (!this.#inner.tryAddMessage(toServiceBusMessage(earlier))) return false;
    }
    this.#messages.length = 0;
    this.#writer = undefined;
    // The batch may have been sent before.
    this.#inner._generateMessage = required(this.#generateOfSdk);
    return this.#inner.tryAddMessage(toServiceBusMessage(message));
  }
}

function isTraced({ applicationProperties }: EncodedMessage): boolean {
  return (
    applicationProperties?.traceparent !== undefined || applicationProperties?.["Diagnostic-Id"] !== undefined
  );
}
