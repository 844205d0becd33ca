import { required } from "@waybill/foundation";
import type { Engine } from "../engine/engine.js";
import type { Lane } from "../entities/lane.js";
import type { MessageStore } from "../entities/message-store.js";
import type { ReceiveMode } from "../entities/waiter.js";
import { BrokerError, entityNotFound } from "../errors/broker-error.js";
import { releaseLock } from "../lifecycle/end-lock.js";
import type { ApplicationProperties } from "../messages/message.js";
import type { BrokerReceivedMessage } from "../messages/received-message.js";
import type { StoredMessage } from "../messages/stored-message.js";
import { abandon } from "../operations/abandon.js";
import { changeProperties, checkChanges } from "../operations/change-properties.js";
import { complete } from "../operations/complete.js";
import { checkDeadLetter, type DeadLetterOptions, deadLetter } from "../operations/dead-letter.js";
import { defer } from "../operations/defer.js";
import { BatchDelete, type DeleteBatchOptions } from "../operations/delete-batch.js";
import { findLock, type LockedMessage } from "../operations/find-lock.js";
import { Peek, type PeekOptions } from "../operations/peek.js";
import { checkReceivable, receiveReady } from "../operations/receive.js";
import { type ReceiveDeferredOptions, receiveDeferred } from "../operations/receive-deferred.js";
import { renewLock } from "../operations/renew-lock.js";
import { nextTurn } from "../timing/next-turn.js";
import { Consumer, type ConsumerHandlers } from "./consumer.js";
import { type PullOptions, waitForMessages } from "./pull-waiter.js";
import { settled } from "./settled.js";
import type { Transaction } from "./transaction.js";

/** Where a receiver currently takes its messages from. */
export interface ReceiveSource {
  readonly store: MessageStore;
  readonly lane: Lane;
  /** Only messages of this session are received. */
  readonly sessionId: string | undefined;
}

type Settlement = (engine: Engine, stored: StoredMessage, nowMs: number) => void;

/** Shared by receivers with and without a session. Every promise resolves once its effect is durable. */
export abstract class MessageReceiver {
  /** The entity or sub-queue. */
  readonly path: string;
  readonly mode: ReceiveMode;
  protected readonly engine: Engine;
  readonly #consumers = new Set<Consumer>();

  constructor(engine: Engine, path: string, mode: ReceiveMode) {
    this.engine = engine;
    this.path = path;
    this.mode = mode;
  }

  /** Where messages come from; throws if messages can no longer be received. */
  protected abstract source(): ReceiveSource;

  /** Called by each receive call. */
  protected onReceive(_nowMs: number): void {}

  /** Takes up to `maxCount` ready messages, or waits for the first one; resolves with none when the time is up. */
  receive(maxCount = 1, options?: PullOptions): Promise<BrokerReceivedMessage[]> {
    const { engine } = this;
    try {
      checkCount("receive", maxCount);
      if (options?.signal?.aborted) throw new BrokerError("cancelled", "The receive call was cancelled.");
      const nowMs = engine.begin();
      const { lane, store, sessionId } = this.#begin(nowMs);
      checkReceivable(store, sessionId);
      this.onReceive(nowMs);
      const messages = receiveReady(engine, lane, this.mode, maxCount, nowMs);
      const maxWaitMs = options?.maxWaitMs ?? Number.POSITIVE_INFINITY;
      if (messages.length === 0 && maxWaitMs > 0) {
        return waitForMessages(engine, lane, this.mode, maxCount, maxWaitMs, options?.signal, nowMs);
      }
      const durable = engine.end(nowMs);
      return this.#hold(durable === undefined ? Promise.resolve(messages) : onceDurable(durable, messages));
    } catch (error) {
      return this.#hold(Promise.reject(error));
    }
  }

  /** Pushes messages to `handlers`, as far as credit is granted to the returned consumer. */
  consume(handlers: ConsumerHandlers): Consumer {
    const { lane, store, sessionId } = this.#begin(this.engine.begin());
    checkReceivable(store, sessionId);
    const consumer = new Consumer(this.engine, lane, this.mode, handlers, (nowMs) => {
      const source = this.source();
      if (source.lane !== lane) throw entityNotFound(this.path);
      checkReceivable(source.store, source.sessionId);
      this.onReceive(nowMs);
    });
    for (const one of this.#consumers) if (one.isClosed) this.#consumers.delete(one);
    this.#consumers.add(consumer);
    return consumer;
  }

  /** Reads messages in any state, without locking them, in order of sequence number. */
  async peek(maxCount = 1, options: PeekOptions = {}): Promise<BrokerReceivedMessage[]> {
    checkCount("peek", maxCount);
    const { store, sessionId } = this.#begin(this.engine.begin());
    const peek = new Peek(store, maxCount, sessionId === undefined ? options : { ...options, sessionId });
    while (!peek.proceed()) await nextTurn();
    return this.#hold(Promise.resolve(peek.messages));
  }

  /**
   * Receives deferred messages, all or none; rejects with `message-not-found`, or `message-size-exceeded` if they are too large together.
   */
  async receiveDeferred(
    sequenceNumbers: readonly bigint[],
    options: ReceiveDeferredOptions = {},
  ): Promise<BrokerReceivedMessage[]> {
    const nowMs = this.engine.begin();
    const { store, sessionId } = this.#begin(nowMs);
    checkReceivable(store, sessionId);
    let durable: Promise<void> | undefined;
    let messages: BrokerReceivedMessage[];
    try {
      messages = receiveDeferred(this.engine, store, sequenceNumbers, this.mode, sessionId, options, nowMs);
    } finally {
      // A failed call may have expired messages, which must become durable.
      durable = this.engine.end(nowMs);
    }
    await this.#answer(durable);
    return messages;
  }

  /** Completes a locked message. Like every settlement, rejects with `message-lock-lost`. */
  complete(message: LockedMessage, transaction?: Transaction): Promise<void> {
    if (transaction !== undefined) return this.#settle(message, undefined, transaction, complete);
    const { engine } = this;
    try {
      const nowMs = engine.begin();
      complete(engine, findLock(engine, this.#begin(nowMs).store, message), nowMs);
      return this.#answer(engine.end(nowMs));
    } catch (error) {
      return this.#answer(Promise.reject(error));
    }
  }

  /** Abandons a locked message: counts a failed delivery and makes the message available at its old position. */
  abandon(
    message: LockedMessage,
    propertiesToModify?: ApplicationProperties,
    transaction?: Transaction,
  ): Promise<void> {
    return this.#settle(message, propertiesToModify, transaction, abandon);
  }

  /** Defers a locked message, to be received by sequence number; counts as a delivery. */
  defer(
    message: LockedMessage,
    propertiesToModify?: ApplicationProperties,
    transaction?: Transaction,
  ): Promise<void> {
    return this.#settle(message, propertiesToModify, transaction, defer);
  }

  /** Moves a locked message to the dead-letter queue. */
  deadLetter(
    message: LockedMessage,
    options: DeadLetterOptions = {},
    transaction?: Transaction,
  ): Promise<void> {
    const apply: Settlement = (engine, stored, nowMs) => deadLetter(engine, stored, options, nowMs);
    return this.#settle(message, options.propertiesToModify, transaction, apply, (stored) =>
      checkDeadLetter(stored, options),
    );
  }

  /** Releases a locked message unchanged, at its old position, without counting a failed delivery. */
  release(message: LockedMessage, transaction?: Transaction): Promise<void> {
    return this.#settle(message, undefined, transaction, releaseLock);
  }

  /** Renews a lock for its full duration; resolves with its new end. */
  async renewLock(message: LockedMessage): Promise<Date> {
    const nowMs = this.engine.begin();
    const stored = findLock(this.engine, this.#begin(nowMs).store, message);
    return this.#hold(Promise.resolve(renewLock(this.engine, stored, nowMs)));
  }

  /** Deletes up to `maxCount` active, unlocked messages, the oldest first; resolves with their number. */
  async deleteBatch(maxCount: number, options: DeleteBatchOptions = {}): Promise<number> {
    checkCount("deleteBatch", maxCount);
    let batch: BatchDelete | undefined;
    for (;;) {
      const nowMs = this.engine.begin();
      const { store, sessionId } = this.#begin(nowMs);
      checkReceivable(store, sessionId);
      batch ??= new BatchDelete(
        store,
        maxCount,
        sessionId === undefined ? options : { ...options, sessionId },
      );
      const isDone = batch.proceed(this.engine);
      const durable = this.engine.end(nowMs);
      if (isDone) {
        await this.#answer(durable);
        return batch.count;
      }
      await nextTurn();
    }
  }

  /** Closes the receiver's consumers. */
  protected closeConsumers(): void {
    for (const consumer of this.#consumers) consumer.close();
    this.#consumers.clear();
  }

  /** Closes the receiver's consumers, including those without credit, and reports `error` to them. */
  protected endConsumers(error: Error): void {
    for (const consumer of this.#consumers) consumer.end(error);
    this.#consumers.clear();
  }

  async #settle(
    message: LockedMessage,
    changes: ApplicationProperties | undefined,
    transaction: Transaction | undefined,
    apply: Settlement,
    check?: (stored: StoredMessage) => void,
  ): Promise<void> {
    const nowMs = this.engine.begin();
    const stored = findLock(this.engine, this.#begin(nowMs).store, message);
    checkChanges(stored, changes, this.path);
    check?.(stored);
    const settle = (atMs: number): void => {
      changeProperties(stored, changes);
      apply(this.engine, stored, atMs);
    };
    if (transaction === undefined) settle(nowMs);
    else this.#enlist(transaction, stored, nowMs, settle);
    await this.#answer(this.engine.end(nowMs));
  }

  #enlist(
    transaction: Transaction,
    stored: StoredMessage,
    nowMs: number,
    apply: (nowMs: number) => void,
  ): void {
    const { store } = stored;
    const lock = required(stored.lock, "The lock of a message that is settled");
    const check = () => void findLock(this.engine, store, lock);
    transaction.enlist({ settles: stored, check, apply, rollBack: () => {} }, nowMs);
  }

  #begin(nowMs: number): ReceiveSource {
    const { faults } = this.engine;
    if (faults.isActive) faults.check(this.path);
    const source = this.source();
    source.store.owner.accessedAtMs = nowMs;
    return source;
  }

  #answer(durable: Promise<void> | undefined): Promise<void> {
    return this.#hold(durable ?? settled);
  }

  #hold<Answer>(answer: Promise<Answer>): Promise<Answer> {
    const { faults } = this.engine;
    return faults.isActive ? faults.hold(this.path, answer) : answer;
  }
}

/** Not part of `receive`, for which V8 would then allocate the variables of this closure also without a durable storage. */
function onceDurable<Answer>(durable: Promise<void>, answer: Answer): Promise<Answer> {
  return durable.then(() => answer);
}

function checkCount(operation: string, count: number): void {
  if (!Number.isInteger(count) || count < 1)
    throw new TypeError(`${operation}: ${count} is not a number of messages`);
}
