import type { Engine } from "../engine/engine.js";
import type { Lane } from "../entities/lane.js";
import { type ReceiveMode, Waiter } from "../entities/waiter.js";
import type { BrokerReceivedMessage } from "../messages/received-message.js";

/** Callbacks of a consumer. */
export interface ConsumerHandlers {
  /** Called synchronously with each message; it may call the broker. An error it throws becomes an uncaught exception. */
  onMessage(message: BrokerReceivedMessage): void;
  /** Called once when the broker closes the consumer: its entity was deleted or disabled, or its session lock was lost. */
  onClosed?(error: Error): void;
}

/**
 * Gets messages pushed against credit. Grants of all consumers and receive calls on an entity are served in the order in which they were
 * made. Closing a consumer settles nothing: its messages stay locked until their locks expire.
 */
export class Consumer {
  readonly #engine: Engine;
  readonly #lane: Lane;
  readonly #mode: ReceiveMode;
  readonly #handlers: ConsumerHandlers;
  readonly #check: (nowMs: number) => void;
  readonly #grants = new Set<Grant>();
  #credit = 0;
  #isStalled = false;
  #isClosed = false;

  /** Created by `Receiver.consume`. `check` is called with each grant and throws once messages can no longer be received. */
  constructor(
    engine: Engine,
    lane: Lane,
    mode: ReceiveMode,
    handlers: ConsumerHandlers,
    check: (nowMs: number) => void,
  ) {
    this.#engine = engine;
    this.#lane = lane;
    this.#mode = mode;
    this.#handlers = handlers;
    this.#check = check;
    lane.consumers++;
  }

  /** How many messages may still be delivered. */
  get credit(): number {
    return this.#credit;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /**
   * Allows `count` more messages; ready messages are delivered before the call returns. If messages can no longer be received, the consumer
   * is closed instead.
   */
  grant(count: number): void {
    if (!Number.isInteger(count) || count < 0)
      throw new TypeError(`Consumer.grant: ${count} is not a number of messages`);
    if (this.#isClosed || count === 0) return;
    let nowMs: number;
    try {
      nowMs = this.#engine.begin();
      this.#check(nowMs);
    } catch (error) {
      this.end(error as Error);
      return;
    }
    if (this.#credit === 0) this.#engine.timers.beginWait();
    this.#credit += count;
    if (!this.#isStalled) {
      const { last } = this.#lane.waiters;
      if (last instanceof Grant && last.consumer === this) last.demand += count;
      else this.#join(count);
      this.#engine.wake(this.#lane);
    }
    void this.#engine.end(nowMs);
  }

  /** Fault injection: delivers nothing any more, as if there were no messages. Its credit stays. */
  stall(): void {
    this.#isStalled = true;
    for (const grant of this.#grants) this.#lane.waiters.leave(grant);
    this.#grants.clear();
  }

  /** Takes back all credit and returns how much was unused; ready messages were delivered before. */
  drain(): number {
    const unused = this.#credit;
    for (const grant of this.#grants) this.#lane.waiters.leave(grant);
    this.#grants.clear();
    if (unused > 0) this.#engine.timers.endWait();
    this.#credit = 0;
    return unused;
  }

  /** Closes the consumer. Delivered messages stay locked. */
  close(): void {
    if (!this.#isClosed) this.#lane.consumers--;
    this.#isClosed = true;
    this.drain();
  }

  /** For the engine: closes the consumer and calls `onClosed`. */
  end(error: Error): void {
    if (this.#isClosed) return;
    this.close();
    this.#handlers.onClosed?.(error);
  }

  #join(count: number): void {
    const grant = new Grant(this, this.#mode, count, {
      take: (message) => {
        this.#credit--;
        if (grant.demand === 0) this.#grants.delete(grant);
        if (this.#credit === 0) this.#engine.timers.endWait();
        this.#hand(message);
      },
      refuse: (error) => this.end(error),
    });
    this.#grants.add(grant);
    this.#lane.waiters.join(grant);
  }

  /** An error of the handler concerns neither the sender nor the timer that is running here. */
  #hand(message: BrokerReceivedMessage): void {
    try {
      this.#handlers.onMessage(message);
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  }
}

type GrantEvents = Pick<Waiter, "take" | "refuse">;

class Grant extends Waiter {
  readonly consumer: Consumer;
  readonly #events: GrantEvents;

  constructor(consumer: Consumer, mode: ReceiveMode, demand: number, events: GrantEvents) {
    super(mode, demand);
    this.consumer = consumer;
    this.#events = events;
  }

  take(message: BrokerReceivedMessage): void {
    this.#events.take(message);
  }

  flush(): void {}

  refuse(error: Error): void {
    this.#events.refuse(error);
  }

  override stall(): boolean {
    this.consumer.stall();
    return true;
  }
}
