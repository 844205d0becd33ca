import type { TransportMessageBatch } from "../../contracts/transport.js";
import type { EncodedMessage } from "../../message/message.js";
import { keyOf } from "./key-of.js";
import type { PreparedBatch, Shard } from "./shard.js";

/** The namespace of a batch, and its batch there. */
export interface ChosenShard {
  readonly shard: Shard;
  readonly batch: TransportMessageBatch;
}

/** What a batch needs of its sender. */
export interface ShardBatchSettings {
  /** Of every namespace. */
  readonly prepared: ReadonlyMap<Shard, PreparedBatch>;
  /** The namespace of a message; one after the other for messages without a key. */
  readonly shardOf: (message: EncodedMessage) => Shard;
  /** Called once, when the first message is added. */
  readonly onChosen: (shard: Shard) => void;
}

/** A batch for whichever namespace its first message belongs to: messages of another one do not fit. */
export class ShardBatch implements TransportMessageBatch {
  readonly #settings: ShardBatchSettings;
  readonly #messages: EncodedMessage[] = [];
  #chosen: ChosenShard | undefined;
  #hasKey = false;

  constructor(settings: ShardBatchSettings) {
    this.#settings = settings;
  }

  get count(): number {
    return this.#messages.length;
  }

  get sizeInBytes(): number {
    return this.#chosen?.batch.sizeInBytes ?? 0;
  }

  /** Of its namespace; before the first message the smallest of all. */
  get maxSizeInBytes(): number {
    if (this.#chosen !== undefined) return this.#chosen.batch.maxSizeInBytes;
    const batches = Array.from(this.#settings.prepared.values(), (one) =>
      "batch" in one ? [one.batch] : [],
    );
    return Math.min(...batches.flat().map(({ maxSizeInBytes }) => maxSizeInBytes));
  }

  /** The namespace of its messages; undefined while it is empty. */
  get chosen(): ChosenShard | undefined {
    return this.#chosen;
  }

  /** Its messages, if none of them has a key; undefined if they belong to its namespace. */
  get withoutKeys(): readonly EncodedMessage[] | undefined {
    return this.#hasKey ? undefined : this.#messages;
  }

  /** Throws the error of a namespace that is out of reach. */
  tryAdd(message: EncodedMessage): boolean {
    const hasKey = keyOf(message) !== undefined;
    const place = this.#placeOf(message, hasKey);
    if (this.#chosen !== undefined && place.shard !== this.#chosen.shard) return false;
    if (!place.batch.tryAdd(message)) return false;
    if (this.#chosen === undefined) this.#settings.onChosen(place.shard);
    this.#chosen = place;
    this.#hasKey ||= hasKey;
    this.#messages.push(message);
    return true;
  }

  #placeOf(message: EncodedMessage, hasKey: boolean): ChosenShard {
    if (!hasKey && this.#chosen !== undefined) return this.#chosen;
    const { prepared, shardOf } = this.#settings;
    const own = shardOf(message);
    if (own === this.#chosen?.shard) return this.#chosen;
    const candidates = hasKey ? [own] : [own, ...prepared.keys()];
    let firstError: unknown;
    for (const shard of candidates) {
      const one = prepared.get(shard);
      if (one !== undefined && "batch" in one) return { shard, batch: one.batch };
      firstError ??= one?.error;
    }
    throw firstError;
  }
}
