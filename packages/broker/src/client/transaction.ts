import { randomUUID } from "node:crypto";
import type { Engine } from "../engine/engine.js";
import type { Queue } from "../entities/queue.js";
import type { Topic } from "../entities/topic.js";
import { BrokerError, messageLockLost, refusal } from "../errors/broker-error.js";
import { brokerLimits } from "../errors/limits.js";
import type { StoredMessage } from "../messages/stored-message.js";
import { TimerEntry } from "../timing/timing-wheel.js";

/** A pending step of a transaction. */
export interface TransactionStep {
  /** The message that the step settles; a transaction settles each message at most once. */
  readonly settles?: StoredMessage;
  /** Throws if the step can no longer be applied. */
  check(nowMs: number): void;
  /** Applies the step; must not fail after `check` passed. */
  apply(nowMs: number): void;
  /** Releases what the step holds. */
  rollBack(): void;
}

/** A transaction rolls back this long after its first step. Source: "Overview of Service Bus transaction processing". */
const timeoutMs = 2 * 60_000;
/** Source: "Service Bus quotas". */
const { stepsPerTransaction: stepLimit } = brokerLimits;

type TransactionState = "open" | "committed" | "rolled-back" | "timed-out";

/**
 * Sends and settlements that happen all or not at all, across entities. Nothing is visible before `commit`; locks must still be held then.
 * It rolls back by itself 2 minutes after its first step.
 */
export class Transaction extends TimerEntry {
  readonly id = randomUUID();
  readonly #engine: Engine;
  readonly #steps: TransactionStep[] = [];
  /** The only partition key allowed per partitioned entity. */
  readonly #keys = new Map<Queue | Topic, string>();
  #state: TransactionState = "open";

  /** Created by `Broker.beginTransaction`. */
  constructor(engine: Engine) {
    super();
    this.#engine = engine;
  }

  get state(): TransactionState {
    return this.#state;
  }

  /** Adds a step; for the engine. Throws `quota-exceeded` beyond 100 steps. */
  enlist(step: TransactionStep, nowMs: number): void {
    try {
      this.requireOpen();
      if (this.#steps.length >= stepLimit) {
        const text = `Transaction ${this.id} has its ${stepLimit} operations already.`;
        throw new BrokerError("quota-exceeded", text);
      }
      this.#requireUnsettled(step.settles);
    } catch (error) {
      step.rollBack();
      throw error;
    }
    if (this.#steps.length === 0) this.#engine.timers.arm(this, nowMs + timeoutMs);
    this.#steps.push(step);
  }

  /** Throws `transaction-timeout` or `transaction-not-found` once the transaction has ended. */
  requireOpen(): void {
    if (this.#state === "open") return;
    const code = this.#state === "timed-out" ? "transaction-timeout" : "transaction-not-found";
    throw new BrokerError(code, `Transaction ${this.id} is ${this.#state.replace("-", " ")}.`);
  }

  /**
   * For the engine: requires that all sends to a partitioned entity have the same partition key. Throws `not-allowed` for another key or
   * none. Source: "Partitioned queues and topics", use transactions with partitioned entities.
   */
  pin(target: Queue | Topic, key: string | undefined): void {
    if (!target.isPartitioned) return;
    const pinned = this.#keys.get(target) ?? key;
    if (key !== undefined && key === pinned) {
      this.#keys.set(target, key);
      return;
    }
    const reason =
      key === undefined ? "a message has no partition key" : "its messages have different partition keys";
    const text = `Cannot send to '${target.path}' in transaction ${this.id}: it is partitioned and ${reason}.`;
    throw refusal(target.path, "not-allowed", text);
  }

  /** Applies all steps at once; if one cannot be applied, none is, and the transaction is rolled back. */
  async commit(): Promise<void> {
    const nowMs = this.#engine.begin();
    this.requireOpen();
    try {
      for (const step of this.#steps) step.check(nowMs);
    } catch (error) {
      this.#end("rolled-back");
      throw error;
    }
    this.#state = "committed";
    this.#engine.timers.disarm(this);
    for (const step of this.#steps.splice(0)) step.apply(nowMs);
    await this.#engine.end(nowMs);
    await this.#engine.fanOuts.whenDone();
  }

  /** Discards all steps. Messages that were to be settled stay locked. */
  async rollBack(): Promise<void> {
    const nowMs = this.#engine.begin();
    this.requireOpen();
    this.#end("rolled-back");
    await this.#engine.end(nowMs);
  }

  override onDue(): void {
    this.#end("timed-out");
  }

  #requireUnsettled(message: StoredMessage | undefined): void {
    if (message === undefined || !this.#steps.some(({ settles }) => settles === message)) return;
    throw messageLockLost(message.store.path, `the message with sequence number ${message.sequence}`);
  }

  #end(state: TransactionState): void {
    this.#state = state;
    this.#engine.timers.disarm(this);
    for (const step of this.#steps.splice(0)) step.rollBack();
  }
}
