import type {
  CallOptions,
  TransportCreateBatchOptions,
  TransportMessageBatch,
  TransportSender,
} from "../../contracts/transport.js";
import { WaybillError } from "../../errors/error.js";
import type { EncodedMessage } from "../../message/message.js";
import { keyOf } from "./key-of.js";
import { isOutOfReach, type Shard } from "./shard.js";
import { ShardBatch } from "./shard-batch.js";
import { shardOf } from "./shard-of.js";

/** Sends each message to the namespace of its key. */
export class ShardedSender implements TransportSender {
  readonly entityPath: string;
  readonly #shards: readonly Shard[];
  readonly #byName: ReadonlyMap<string, Shard>;
  #turn = 0;

  /** `shards` has the entity in each namespace. */
  constructor(entityPath: string, shards: readonly Shard[]) {
    this.entityPath = entityPath;
    this.#shards = shards;
    this.#byName = new Map(shards.map((shard) => [shard.name, shard]));
  }

  async send(messages: readonly EncodedMessage[], options?: CallOptions): Promise<void> {
    const { shard, hasKey } = this.#oneShardOf(messages);
    const sending = shard.sender.send(messages, options);
    await (hasKey ? sending : this.#elsewhereIfLost(sending, shard, messages, options));
  }

  async createBatch(options: TransportCreateBatchOptions = {}): Promise<TransportMessageBatch> {
    const preparing = this.#shards.map(async (shard) => [shard, await shard.prepare(options)] as const);
    const prepared = new Map(await Promise.all(preparing));
    const keepOthers = (chosen: Shard) => {
      for (const [shard, one] of prepared) if (shard !== chosen) shard.keep(one);
    };
    return new ShardBatch({
      prepared,
      shardOf: (message) => this.#shardOf(keyOf(message)),
      onChosen: options.maxSizeInBytes === undefined ? keepOthers : () => {},
    });
  }

  async sendBatch(batch: TransportMessageBatch, options?: CallOptions): Promise<void> {
    const { chosen, withoutKeys } = batch as ShardBatch;
    if (chosen === undefined) return;
    const sending = chosen.shard.sender.sendBatch(chosen.batch, options);
    if (withoutKeys === undefined) await sending;
    else await this.#elsewhereIfLost(sending, chosen.shard, withoutKeys, options);
  }

  async schedule(messages: readonly EncodedMessage[], at: Date, options?: CallOptions): Promise<bigint[]> {
    return await this.#oneShardOf(messages).shard.sender.schedule(messages, at, options);
  }

  async cancelScheduled(): Promise<void> {
    throw new WaybillError(
      "not-supported",
      `A sequence number is that of one namespace: cancel with a sender to the entity there, such as ${this.#shards[0]?.name}:${this.entityPath}.`,
      { entityPath: this.entityPath },
    );
  }

  async close(): Promise<void> {
    await Promise.all(this.#shards.map(({ sender }) => sender.close()));
  }

  /** Messages without a key go round, so that every namespace gets its share. */
  #shardOf(key: string | undefined): Shard {
    const name = key === undefined ? undefined : shardOf(key, [...this.#byName.keys()]);
    const shard =
      name === undefined ? this.#shards[this.#turn++ % this.#shards.length] : this.#byName.get(name);
    return shard as Shard;
  }

  #oneShardOf(messages: readonly EncodedMessage[]): { readonly shard: Shard; readonly hasKey: boolean } {
    const keys = new Set(messages.map(keyOf).filter((key) => key !== undefined));
    const [shard = this.#shardOf(undefined), second] = new Set(Array.from(keys, (key) => this.#shardOf(key)));
    if (second === undefined) return { shard, hasKey: keys.size > 0 };
    throw new WaybillError(
      "operation-invalid",
      "The messages belong to several namespaces, so they cannot be sent or scheduled all or none: send those of each key alone.",
      { entityPath: this.entityPath },
    );
  }

  /** For messages without a key. */
  async #elsewhereIfLost(
    sending: Promise<void>,
    tried: Shard,
    messages: readonly EncodedMessage[],
    options: CallOptions | undefined,
  ): Promise<void> {
    try {
      await sending;
    } catch (error) {
      if (!isOutOfReach(error)) throw error;
      const others = this.#shards.filter((shard) => shard !== tried);
      if (!(await this.#sendToFirst(others, messages, options))) throw error;
    }
  }

  async #sendToFirst(
    shards: readonly Shard[],
    messages: readonly EncodedMessage[],
    options: CallOptions | undefined,
  ): Promise<boolean> {
    for (const { sender } of shards) {
      try {
        await sender.send(messages, options);
        return true;
      } catch (error) {
        if (!isOutOfReach(error)) throw error;
      }
    }
    return false;
  }
}
