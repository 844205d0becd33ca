import { type EncodedMessage, type TransportMessageBatch, WaybillError } from "@waybill/core";
import type { ServiceBusMessageBatchLike, ServiceBusSenderLike } from "./service-bus-client.js";
import { toServiceBusMessage } from "./to-service-bus-message.js";

/** A batch of the SDK: it encodes each message as it is added, so its sizes are those of the wire. */
export class AzureMessageBatch implements TransportMessageBatch {
  readonly #inner: ServiceBusMessageBatchLike;
  readonly #sender: ServiceBusSenderLike;

  constructor(inner: ServiceBusMessageBatchLike, sender: ServiceBusSenderLike) {
    this.#inner = inner;
    this.#sender = sender;
  }

  get count(): number {
    return this.#inner.count;
  }

  get sizeInBytes(): number {
    return this.#inner.sizeInBytes;
  }

  get maxSizeInBytes(): number {
    return this.#inner.maxSizeInBytes;
  }

  tryAdd(message: EncodedMessage): boolean {
    return this.#inner.tryAddMessage(toServiceBusMessage(message));
  }

  /** The SDK's batch. Throws `operation-invalid` when another sender made it. */
  innerFor(sender: ServiceBusSenderLike, entityPath: string): ServiceBusMessageBatchLike {
    if (sender === this.#sender) return this.#inner;
    throw new WaybillError("operation-invalid", "The batch was made by another sender.", { entityPath });
  }
}
