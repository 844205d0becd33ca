import type { SettleableMessage } from "../contracts/settlement.js";
import type { CallOptions } from "../contracts/transport.js";
import { WaybillError } from "../errors/error.js";
import type { ApplicationProperties, ReceivedMessage, UndecodedMessage } from "../message/message.js";
import { peekAll } from "./peek-all.js";
import type { Receiver } from "./receiver.js";

/** Where the sequence numbers of deferred messages are kept: a session's state, a table, a file. */
export interface SequenceNumberStore {
  /** The numbers that were saved last; none at first. */
  load(): Promise<readonly bigint[]>;
  /** Replaces them; resolves when they will survive whatever the store is meant to survive. */
  save(sequenceNumbers: readonly bigint[]): Promise<void>;
}

/**
 * Keeps a record of deferred messages, which can be received by their sequence numbers only. A number is recorded before its message is
 * deferred and forgotten after it is settled, so that a crash between leaves a number without a message, never a message without a
 * number. One record has one writer at a time: a session's holder, or a single process.
 */
export class DeferredMessages<Undecoded extends UndecodedMessage = never> {
  readonly #receiver: Receiver<Undecoded>;
  readonly #store: SequenceNumberStore;
  #numbers: Promise<Set<bigint>> | undefined;
  #saving: Promise<void> = Promise.resolve();

  constructor(receiver: Receiver<Undecoded>, store: SequenceNumberStore) {
    this.#receiver = receiver;
    this.#store = store;
  }

  /** The numbers on record, in the order in which they were deferred. */
  async sequenceNumbers(): Promise<bigint[]> {
    return [...(await this.#load())];
  }

  /** Records a message and defers it. */
  async defer(
    message: SettleableMessage & { readonly sequenceNumber: bigint },
    propertiesToModify?: ApplicationProperties,
  ): Promise<void> {
    await this.#change((numbers) => numbers.add(message.sequenceNumber));
    await this.#receiver.deferMessage(message, propertiesToModify);
  }

  /** Receives the messages on record, in their order. Numbers whose messages are gone are forgotten. */
  async receive<Body = unknown>(options: CallOptions = {}): Promise<(ReceivedMessage<Body> | Undecoded)[]> {
    const numbers = await this.sequenceNumbers();
    try {
      return await this.#receiver.receiveDeferredMessages<Body>(numbers, options);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      return this.#receiveOneByOne<Body>(numbers, options);
    }
  }

  /** Completes a message that was received from the record, and forgets its number. */
  async complete(message: SettleableMessage & { readonly sequenceNumber: bigint }): Promise<void> {
    await this.#receiver.completeMessage(message);
    await this.#change((numbers) => numbers.delete(message.sequenceNumber));
  }

  /** Looks through the entity for deferred messages and records those that are missing; resolves with how many. For a record that was lost. */
  async discover(options: CallOptions = {}): Promise<number> {
    const found: bigint[] = [];
    for await (const { sequenceNumber } of peekAll(this.#receiver, { ...options, state: "deferred" })) {
      found.push(sequenceNumber);
    }
    const known = await this.#load();
    const missing = found.filter((number) => !known.has(number));
    await this.#change((numbers) => {
      for (const number of missing) numbers.add(number);
    });
    return missing.length;
  }

  /** A call for several is refused as a whole when one is not there. */
  async #receiveOneByOne<Body>(
    numbers: readonly bigint[],
    options: CallOptions,
  ): Promise<(ReceivedMessage<Body> | Undecoded)[]> {
    const messages: (ReceivedMessage<Body> | Undecoded)[] = [];
    const gone: bigint[] = [];
    for (const number of numbers) {
      try {
        messages.push(...(await this.#receiver.receiveDeferredMessages<Body>(number, options)));
      } catch (error) {
        if (!isNotFound(error)) throw error;
        gone.push(number);
      }
    }
    await this.#change((kept) => {
      for (const number of gone) kept.delete(number);
    });
    return messages;
  }

  #load(): Promise<Set<bigint>> {
    this.#numbers ??= this.#store.load().then(
      (numbers) => new Set(numbers),
      (error: unknown) => {
        // To be tried again by the next call.
        this.#numbers = undefined;
        throw error;
      },
    );
    return this.#numbers;
  }

  /** One change after the other, so that none saves numbers from before another. */
  #change(change: (numbers: Set<bigint>) => void): Promise<void> {
    const saved = this.#saving.then(async () => {
      const numbers = new Set(await this.#load());
      change(numbers);
      await this.#store.save([...numbers]);
      this.#numbers = Promise.resolve(numbers);
    });
    this.#saving = saved.catch(() => {});
    return saved;
  }
}

function isNotFound(error: unknown): boolean {
  return error instanceof WaybillError && error.code === "message-not-found";
}
