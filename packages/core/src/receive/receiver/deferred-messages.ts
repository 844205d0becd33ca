import type { SettleableMessage } from "../../contracts/settlement.js";
import type { CallOptions } from "../../contracts/transport.js";
import { hasCode } from "../../errors/error.js";
import type { ApplicationProperties, ReceivedMessage, UndecodedMessage } from "../../message/message.js";
import { peekAll } from "./peek-all.js";
import type { Receiver } from "./receiver.js";

/** A store for the sequence numbers of deferred messages: a session's state, a table, a file. */
export interface SequenceNumberStore {
  /** The numbers that were saved last; empty at first. */
  load(): Promise<readonly bigint[]>;
  /** Replaces them; resolves when they are durable. */
  save(sequenceNumbers: readonly bigint[]): Promise<void>;
}

/**
 * Records the sequence numbers of deferred messages, without which they cannot be received. A number is recorded before its message is
 * deferred and removed after it is settled, so that a crash in between leaves a number without a message, never a message without a
 * number. A record must have only one writer at a time: the receiver that holds the session, or a single process.
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

  /** The recorded numbers, in the order in which their messages were deferred. */
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

  /** Receives the recorded messages in order. Numbers whose messages do not exist any more are removed. */
  async receive<Body = unknown>(options: CallOptions = {}): Promise<(ReceivedMessage<Body> | Undecoded)[]> {
    const numbers = await this.sequenceNumbers();
    try {
      return await this.#receiver.receiveDeferredMessages<Body>(numbers, options);
    } catch (error) {
      if (!hasCode(error, "message-not-found")) throw error;
      return this.#receiveOneByOne<Body>(numbers, options);
    }
  }

  /** Completes a recorded message and removes its number. */
  async complete(message: SettleableMessage & { readonly sequenceNumber: bigint }): Promise<void> {
    await this.#receiver.completeMessage(message);
    await this.#change((numbers) => numbers.delete(message.sequenceNumber));
  }

  /** Peeks for deferred messages and records missing ones, for example after a record was lost; resolves with how many it added. */
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

  /** If one message does not exist, the call for several fails. */
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
        if (!hasCode(error, "message-not-found")) throw error;
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
        // The next call loads them again.
        this.#numbers = undefined;
        throw error;
      },
    );
    return this.#numbers;
  }

  /** Applies changes one after the other, so that none overwrites another. */
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
