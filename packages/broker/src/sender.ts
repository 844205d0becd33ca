import type { Engine } from "./engine.js";
import type { Queue } from "./entities/queue.js";
import type { Topic } from "./entities/topic.js";
import type { BrokerMessage } from "./messages/message.js";
import { cancelScheduled } from "./operations/cancel-scheduled.js";
import { schedule } from "./operations/schedule.js";
import { send, sendBatch } from "./operations/send.js";
import { settled } from "./settled.js";

/** Sends to one queue or topic. Every promise resolves once what it did is durable in the broker's storage. */
export class Sender {
  readonly path: string;
  readonly #engine: Engine;
  #target: Queue | Topic;

  /** Made by `Broker.sender`. */
  constructor(engine: Engine, path: string) {
    this.path = path;
    this.#engine = engine;
    this.#target = engine.entities.sendTarget(path);
  }

  /** Sends one message; a `scheduledEnqueueTime` in the future keeps it until then. */
  send(message: BrokerMessage): Promise<void> {
    const engine = this.#engine;
    try {
      const nowMs = engine.begin();
      send(engine, this.#current(), message, nowMs);
      return engine.end(nowMs) ?? settled;
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Sends messages as one: if one is refused, none is sent. */
  sendBatch(messages: readonly BrokerMessage[]): Promise<void> {
    const engine = this.#engine;
    try {
      const nowMs = engine.begin();
      sendBatch(engine, this.#current(), messages, nowMs);
      return engine.end(nowMs) ?? settled;
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Keeps messages until their `scheduledEnqueueTime`; resolves to the numbers that cancel them. */
  async schedule(messages: readonly BrokerMessage[]): Promise<bigint[]> {
    const nowMs = this.#engine.begin();
    const sequenceNumbers = schedule(this.#engine, this.#current(), messages, nowMs);
    await this.#engine.end(nowMs);
    return sequenceNumbers;
  }

  /** Cancels scheduled messages, all or none; rejects with `message-not-found` for one that is not scheduled any more. */
  async cancelScheduled(sequenceNumbers: readonly bigint[]): Promise<void> {
    const nowMs = this.#engine.begin();
    cancelScheduled(this.#engine, this.#current(), sequenceNumbers, nowMs);
    await this.#engine.end(nowMs);
  }

  #current(): Queue | Topic {
    if (this.#target.isDeleted) this.#target = this.#engine.entities.sendTarget(this.path);
    return this.#target;
  }
}
