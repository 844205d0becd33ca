import type { CallOptions, TransportMessageBatch } from "../contracts/transport.js";
import { WaybillError } from "../errors/error.js";
import { isPromise } from "../foundation/is-promise.js";
import type { Message } from "../message/message.js";
import type { Pipeline } from "../pipeline/pipeline.js";
import { encode } from "./outgoing.js";

/** How large a batch may become. */
export interface CreateMessageBatchOptions extends CallOptions {
  /** In bytes, as they travel. Default, and at most: what the broker takes as one. */
  readonly maxSizeInBytes?: number | undefined;
}

/** What a batch works with. */
export interface MessageBatchSettings {
  readonly batch: TransportMessageBatch;
  readonly pipeline: Pipeline;
  readonly entityPath: string;
}

/**
 * Messages that are sent as one, all or none. Bodies are written when they are added, so that the size is known; made by
 * `createMessageBatch` and sent by `sendMessages` of one sender.
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

  /** The size of what was added, in bytes, as it travels. */
  get sizeInBytes(): number {
    return this.#settings.batch.sizeInBytes;
  }

  /** The size that the batch never exceeds, in bytes. */
  get maxSizeInBytes(): number {
    return this.#settings.batch.maxSizeInBytes;
  }

  /**
   * Adds the message and returns true, or returns false when it has no room, and in an empty batch never will. Throws
   * `operation-invalid` for a property outside its limits, and when the body cannot be written at once, because a serializer is
   * asynchronous or the body is encrypted or goes to a store: `tryAddMessageAsync` waits for those. Throws `serialization-failed`
   * for a body that cannot be written at all.
   */
  tryAddMessage(message: Message): boolean {
    const { batch, pipeline, entityPath } = this.#settings;
    const encoded = encode(message, pipeline, { entityPath, index: 0, count: 1 }, undefined);
    if (!isPromise(encoded)) return batch.tryAdd(encoded);
    // Nobody waits for what was begun.
    (encoded as Promise<unknown>).catch(() => {});
    throw new WaybillError(
      "operation-invalid",
      "Its body cannot be written at once: add it with tryAddMessageAsync.",
      { entityPath, messageId: message.messageId },
    );
  }

  /** As {@link tryAddMessage}, for bodies that have to be waited for too; rejects where that throws. */
  async tryAddMessageAsync(message: Message, options?: CallOptions): Promise<boolean> {
    const { batch, pipeline, entityPath } = this.#settings;
    return batch.tryAdd(await encode(message, pipeline, { entityPath, index: 0, count: 1 }, options));
  }
}
