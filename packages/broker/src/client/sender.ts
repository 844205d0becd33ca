import { requireKnownOptions } from "@waybill/foundation";
import type { Engine } from "../engine/engine.js";
import type { Queue } from "../entities/queue.js";
import { partitionKeyOf, takeSequence, transferKeyOf } from "../entities/sequence-number.js";
import { requireFeature } from "../entities/tier.js";
import type { Topic } from "../entities/topic.js";
import { entityNotFound, refusal } from "../errors/broker-error.js";
import { hasRoom } from "../lifecycle/forward-message.js";
import { scheduleOrRoute } from "../lifecycle/route-message.js";
import { newTransit } from "../lifecycle/transit.js";
import type { BrokerMessage } from "../messages/message.js";
import { type Admitted, bytesToStore, type MessageContent } from "../messages/message-content.js";
import { quotaCostOf, sizeOf } from "../messages/message-size.js";
import { cancelScheduled } from "../operations/cancel-scheduled.js";
import { checkOnePartition } from "../operations/check-one-partition.js";
import { admitScheduled, schedule } from "../operations/schedule.js";
import {
  admitAll,
  checkSendable,
  enter,
  enterVia,
  isDropped,
  readerOf,
  send,
  sendBatch,
  take,
} from "../operations/send.js";
import { settled } from "./settled.js";
import type { Transaction } from "./transaction.js";

/** Options of a sender. */
export interface BrokerSenderOptions {
  /**
   * Path of a queue or topic via which messages are sent: sending succeeds whatever the target's state, and a message that cannot be
   * transferred moves to the transfer dead-letter queue of this entity. Default: none.
   */
  readonly via?: string | undefined;
}

/** The maximum batch size, even if the entity allows larger messages. Source: Service Bus quotas, "large messages support". */
const maxBatchBytes = 1024 * 1024;

/** Sends to one queue or topic. Every promise resolves once its effect is durable in the broker's storage. */
export class BrokerSender {
  readonly path: string;
  readonly #engine: Engine;
  readonly #via: string | undefined;
  #target: Queue | Topic;

  /** Created by `Broker.sender`. */
  constructor(engine: Engine, path: string, options: BrokerSenderOptions = {}) {
    requireKnownOptions("sender", options, { via: true });
    const { via } = options;
    this.path = path;
    this.#engine = engine;
    this.#via = via;
    if (via !== undefined) requireFeature(engine.tier, "sends via another queue", via);
    this.#target = engine.entities.sendTarget(via ?? path);
  }

  /** Maximum size of all messages of a batch together, in bytes. */
  get maxBatchSizeInBytes(): number {
    return Math.min(this.#target.options.maxMessageSizeInKilobytes * 1024, maxBatchBytes);
  }

  /** The size of a message that counts towards limits and quotas, in bytes. Throws `argument-error` for a body that cannot be encoded. */
  sizeOf(message: BrokerMessage): number {
    return sizeOf(message, bytesToStore(message, this.path));
  }

  /** Sends one message; one with a `scheduledEnqueueTime` in the future is scheduled. */
  send(message: BrokerMessage, transaction?: Transaction): Promise<void> {
    if (transaction !== undefined || this.#via !== undefined) return this.sendBatch([message], transaction);
    const engine = this.#engine;
    try {
      const nowMs = engine.begin();
      send(engine, this.#current(nowMs), message, nowMs);
      return this.#answer(engine.end(nowMs));
    } catch (error) {
      return this.#answer(Promise.reject(error));
    }
  }

  /** Sends all messages or, if one is refused, none. */
  sendBatch(messages: readonly BrokerMessage[], transaction?: Transaction): Promise<void> {
    const engine = this.#engine;
    try {
      const nowMs = engine.begin();
      const target = this.#current(nowMs);
      if (transaction !== undefined) this.#enlist(target, messages, transaction, nowMs);
      else if (this.#via !== undefined) this.#sendVia(target, messages, nowMs);
      else sendBatch(engine, target, messages, nowMs);
      const durable = engine.end(nowMs);
      return transaction === undefined ? this.#answer(durable) : this.#hold(durable ?? settled);
    } catch (error) {
      return this.#answer(Promise.reject(error));
    }
  }

  /** Schedules messages for their `scheduledEnqueueTime`; resolves with the sequence numbers for `cancelScheduled` (0 for a duplicate). */
  async schedule(messages: readonly BrokerMessage[], transaction?: Transaction): Promise<bigint[]> {
    const engine = this.#engine;
    const nowMs = engine.begin();
    const target = this.#current(nowMs);
    const numbers =
      transaction === undefined
        ? schedule(engine, target, messages, nowMs)
        : admitScheduled(target, messages).map((one) =>
            this.#enlistScheduled(target, one, transaction, nowMs),
          );
    await this.#answer(engine.end(nowMs));
    return numbers;
  }

  /** Cancels scheduled messages, all or none; rejects with `message-not-found` if one is not scheduled any more. */
  async cancelScheduled(sequenceNumbers: readonly bigint[]): Promise<void> {
    const nowMs = this.#engine.begin();
    cancelScheduled(this.#engine, this.#current(nowMs), sequenceNumbers, nowMs);
    await this.#answer(this.#engine.end(nowMs));
  }

  #current(nowMs: number): Queue | Topic {
    const path = this.#via ?? this.path;
    if (this.#target.isDeleted) this.#target = this.#engine.entities.sendTarget(path);
    const { faults } = this.#engine;
    if (faults.isActive) faults.check(path);
    this.#target.accessedAtMs = nowMs;
    return this.#target;
  }

  #answer(durable: Promise<void> | undefined): Promise<void> {
    return this.#hold(this.#whenHandedOn(durable) ?? settled);
  }

  #hold(answer: Promise<void>): Promise<void> {
    const { faults } = this.#engine;
    return faults.isActive ? faults.hold(this.#via ?? this.path, answer) : answer;
  }

  /** A message waiting in a topic counts as sent once its subscriptions have it. */
  #whenHandedOn(durable: Promise<void> | undefined): Promise<void> | undefined {
    const { fanOuts } = this.#engine;
    const handedOn = this.#target.kind === "topic" ? fanOuts.whenDone(this.#target) : undefined;
    return handedOn === undefined ? durable : Promise.all([durable, handedOn]).then(() => {});
  }

  #sendVia(via: Queue | Topic, messages: readonly BrokerMessage[], nowMs: number): void {
    for (const admitted of admitAll(via, messages)) {
      enterVia(this.#engine, via, this.path, take(this.#engine, admitted), nowMs);
    }
  }

  #enlist(
    target: Queue | Topic,
    messages: readonly BrokerMessage[],
    transaction: Transaction,
    nowMs: number,
  ): void {
    transaction.requireOpen();
    const engine = this.#engine;
    const via = this.#via === undefined ? undefined : target;
    if (via === undefined) checkOnePartition(target, messages);
    const allAdmitted = admitAll(target, messages);
    for (const { message } of allAdmitted) {
      const key = via === undefined ? partitionKeyOf(target, message) : transferKeyOf(via, message);
      transaction.pin(target, key);
    }
    for (const admitted of allAdmitted) {
      const read = readerOf(admitted.message);
      this.#enlistStep(target, admitted, transaction, nowMs, (content, atMs) => {
        if (via === undefined) enter(engine, target, content, read, atMs);
        else enterVia(engine, via, this.path, content, atMs);
      });
    }
  }

  #enlistScheduled(
    target: Queue | Topic,
    admitted: Admitted,
    transaction: Transaction,
    nowMs: number,
  ): bigint {
    transaction.requireOpen();
    transaction.pin(target, partitionKeyOf(target, admitted.message));
    let sequence = 0;
    const content = this.#enlistStep(target, admitted, transaction, nowMs, (content, atMs) => {
      if (isDropped(this.#engine, target, content, atMs)) return;
      const transit = newTransit(content, readerOf(admitted.message), sequence);
      scheduleOrRoute(this.#engine, target, transit, atMs);
    });
    sequence = takeSequence(this.#engine.storage, target, content);
    return BigInt(sequence);
  }

  #enlistStep(
    target: Queue | Topic,
    admitted: Admitted,
    transaction: Transaction,
    nowMs: number,
    apply: (content: MessageContent, nowMs: number) => void,
  ): MessageContent {
    const engine = this.#engine;
    const content = take(engine, admitted);
    // The message is stored from now on, so it counts towards the quota.
    const cost = quotaCostOf(content.sizeInBytes);
    target.usage.bytes += cost;
    engine.memory.grow(cost);
    const uncount = (): void => {
      target.usage.bytes -= cost;
    };
    transaction.enlist(
      {
        check: () => {
          if (target.isDeleted) throw entityNotFound(target.path);
          checkSendable(target);
          if (!hasRoom(target, 0)) {
            throw refusal(target.path, "quota-exceeded", `Cannot send to '${target.path}': it is full.`);
          }
        },
        apply: (atMs) => {
          uncount();
          apply(content, atMs);
        },
        rollBack: () => {
          uncount();
          engine.storage.releaseBody(content.bodyId);
        },
      },
      nowMs,
    );
    return content;
  }
}
