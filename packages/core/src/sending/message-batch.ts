import { isPromise } from "@waybill/foundation";
import type { CallOptions, TransportMessageBatch } from "../contracts/transport.js";
import { WaybillError } from "../errors/error.js";
import type { Message } from "../message/message.js";
import type { Pipeline } from "../pipeline/pipeline.js";
import { encode } from "./outgoing.js";

/** Options of `createMessageBatch`. */
export interface CreateMessageBatchOptions extends CallOptions {
  /** The maximum encoded size of the batch in bytes. Default, and at most: the broker's maximum. */
  readonly maxSizeInBytes?: number | undefined;
}

/** Dependencies of a batch. */
export interface MessageBatchSettings {
  readonly batch: TransportMessageBatch;
  readonly pipeline: Pipeline;
  readonly entityPath: string;
}

/**
 * Messages that are sent together, all or none. Bodies are serialized when they are added, so that the size is known. Created by
 * `createMessageBatch` and sent by `sendMessages` of the same sender.
 */
export class MessageBatch {
  readonly #settings: MessageBatchSettings;

  constructor(settings: MessageBatchSettings) {
    this.#settings = settings;
  }

  /** The number of messages added. */
  get count(): number {
    return this.#settings.batch.count;
  }

  /** The encoded size of the added messages, in bytes. */
  get sizeInBytes(): number {
    return this.#settings.batch.sizeInBytes;
  }

  /** The maximum encoded size, in bytes. */
  get maxSizeInBytes(): number {
    return this.#settings.batch.maxSizeInBytes;
  }

  /**
   * Adds the message and returns true, or returns false if it does not fit; if the batch is empty, the message fits no batch of this size.
   * Throws `operation-invalid` for a property beyond its limit, and for a body that cannot be written synchronously, because the serializer is
   * asynchronous or the body is encrypted or stored as a claim check; use `tryAddMessageAsync` for these. Throws `serialization-failed` for a
   * body that cannot be written at all.
   */
  tryAddMessage(message: Message): boolean {
    const { batch, pipeline, entityPath } = this.#settings;
    const place = { entityPath, index: 0, count: 1 };
    // An asynchronous upcaster cannot be waited for here: what it would read back is added unread.
    for (const options of [undefined, { readBack: false }]) {
      const encoded = encode(message, pipeline, place, options);
      if (!isPromise(encoded)) return batch.tryAdd(encoded);
      // The result is not awaited.
      encoded.catch(() => {});
    }
    throw new WaybillError(
      "operation-invalid",
      "Its body cannot be written at once: add it with tryAddMessageAsync.",
      { entityPath, messageId: message.messageId },
    );
  }

  /** Like {@link tryAddMessage}, also for bodies that are written asynchronously; rejects where that throws. */
  async tryAddMessageAsync(message: Message, options?: CallOptions): Promise<boolean> {
    const { batch, pipeline, entityPath } = this.#settings;
    return batch.tryAdd(await encode(message, pipeline, { entityPath, index: 0, count: 1 }, options));
  }
}
