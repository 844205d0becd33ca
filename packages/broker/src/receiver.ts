import { BrokerError } from "./broker-error.js";
import { Consumer, type ConsumerHandlers } from "./consumer.js";
import type { Engine } from "./engine.js";
import type { MessageStore } from "./entities/message-store.js";
import type { ReceiveMode } from "./entities/waiter.js";
import type { ApplicationProperties } from "./messages/message.js";
import type { ReceivedMessage } from "./messages/received-message.js";
import { abandon } from "./operations/abandon.js";
import { complete } from "./operations/complete.js";
import { checkDeadLetter, type DeadLetterOptions, deadLetter } from "./operations/dead-letter.js";
import { defer } from "./operations/defer.js";
import { findLock, type LockedMessage } from "./operations/find-lock.js";
import { type PeekOptions, peek } from "./operations/peek.js";
import { receiveReady } from "./operations/receive.js";
import { receiveDeferred } from "./operations/receive-deferred.js";
import { renewLock } from "./operations/renew-lock.js";
import { type PullOptions, waitForMessages } from "./pull-waiter.js";
import { settled } from "./settled.js";

/** How a receiver takes messages. */
export interface ReceiverOptions {
  /** Default `"peekLock"`. */
  readonly mode?: ReceiveMode | undefined;
}

/**
 * Receives from one queue, subscription or sub-queue. Every promise resolves once what it did is durable. Locks belong to
 * the entity: any receiver on it may settle a message, and closing one settles nothing.
 */
export class Receiver {
  readonly path: string;
  readonly mode: ReceiveMode;
  readonly #engine: Engine;
  readonly #consumers = new Set<Consumer>();
  #store: MessageStore;

  /** Made by `Broker.receiver`. */
  constructor(engine: Engine, path: string, options: ReceiverOptions) {
    this.path = path;
    this.mode = options.mode ?? "peekLock";
    this.#engine = engine;
    this.#store = engine.entities.receiveSource(path);
  }

  /** Takes up to `maxCount` messages that are ready, or waits for the first; resolves with none when the wait is over. */
  receive(maxCount = 1, options?: PullOptions): Promise<ReceivedMessage[]> {
    const engine = this.#engine;
    try {
      checkCount("receive", maxCount);
      if (options?.signal?.aborted) throw new BrokerError("cancelled", "The receive call was cancelled.");
      const nowMs = engine.begin();
      const { lane } = this.#current();
      const messages = receiveReady(engine, lane, this.mode, maxCount, nowMs);
      const maxWaitMs = options?.maxWaitMs ?? Number.POSITIVE_INFINITY;
      if (messages.length === 0 && maxWaitMs > 0) {
        return waitForMessages(engine, lane, this.mode, maxCount, maxWaitMs, options?.signal, nowMs);
      }
      const durable = engine.end(nowMs);
      return durable === undefined ? Promise.resolve(messages) : durable.then(() => messages);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Gets messages pushed as far as credit is granted to the consumer that is returned. */
  consume(handlers: ConsumerHandlers): Consumer {
    this.#engine.begin();
    const consumer = new Consumer(this.#engine, this.#current().lane, this.mode, handlers);
    this.#consumers.add(consumer);
    return consumer;
  }

  /** Reads messages in any state, without locking them, in the order of their sequence numbers. */
  async peek(maxCount = 1, options: PeekOptions = {}): Promise<ReceivedMessage[]> {
    checkCount("peek", maxCount);
    this.#engine.begin();
    return peek(this.#current(), maxCount, options);
  }

  /** Receives deferred messages, all or none; rejects with `message-not-found`. */
  async receiveDeferred(sequenceNumbers: readonly bigint[]): Promise<ReceivedMessage[]> {
    const nowMs = this.#engine.begin();
    const messages = receiveDeferred(this.#engine, this.#current(), sequenceNumbers, this.mode, nowMs);
    await this.#engine.end(nowMs);
    return messages;
  }

  /** Removes a locked message: it was processed. Rejects with `message-lock-lost`, as every settlement. */
  complete(message: LockedMessage): Promise<void> {
    const engine = this.#engine;
    try {
      const nowMs = engine.begin();
      complete(engine, findLock(engine, this.#current(), message), nowMs);
      return engine.end(nowMs) ?? settled;
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Gives a locked message back as a failed delivery, at its old place. */
  async abandon(message: LockedMessage, propertiesToModify?: ApplicationProperties): Promise<void> {
    const nowMs = this.#engine.begin();
    abandon(this.#engine, findLock(this.#engine, this.#current(), message), propertiesToModify, nowMs);
    await this.#engine.end(nowMs);
  }

  /** Sets a locked message aside, to be received by its sequence number. */
  async defer(message: LockedMessage, propertiesToModify?: ApplicationProperties): Promise<void> {
    const nowMs = this.#engine.begin();
    defer(this.#engine, findLock(this.#engine, this.#current(), message), propertiesToModify, nowMs);
    await this.#engine.end(nowMs);
  }

  /** Moves a locked message to the dead-letter queue. */
  async deadLetter(message: LockedMessage, options: DeadLetterOptions = {}): Promise<void> {
    const nowMs = this.#engine.begin();
    const stored = findLock(this.#engine, this.#current(), message);
    checkDeadLetter(stored, options);
    deadLetter(this.#engine, stored, options, nowMs);
    await this.#engine.end(nowMs);
  }

  /** Lets a lock start anew; resolves to its new end. */
  async renewLock(message: LockedMessage): Promise<Date> {
    const nowMs = this.#engine.begin();
    return new Date(renewLock(this.#engine, findLock(this.#engine, this.#current(), message), nowMs));
  }

  /** Ends the receiver's consumers. Messages stay locked until their locks end. */
  close(): void {
    for (const consumer of this.#consumers) consumer.close();
    this.#consumers.clear();
  }

  #current(): MessageStore {
    if (this.#store.owner.isDeleted) this.#store = this.#engine.entities.receiveSource(this.path);
    return this.#store;
  }
}

function checkCount(operation: string, count: number): void {
  if (!Number.isInteger(count) || count < 1)
    throw new TypeError(`${operation}: ${count} is not a number of messages`);
}
