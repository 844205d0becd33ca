import type { Engine } from "../engine/engine.js";
import type { Lane } from "../entities/lane.js";
import { type ReceiveMode, Waiter } from "../entities/waiter.js";
import { BrokerError } from "../errors/broker-error.js";
import type { BrokerReceivedMessage } from "../messages/received-message.js";
import { Deadline } from "../timing/deadline.js";

/** What ends the wait of a receive call. */
export interface PullOptions {
  /** How long to wait for the first message, in ms; default `Infinity`; 0 does not wait. */
  readonly maxWaitMs?: number | undefined;
  /** Aborts the wait with a `cancelled` error; messages already taken are not lost. */
  readonly signal?: AbortSignal | undefined;
}

/** Waits in a lane and resolves with the first messages, or with none when the time is up. */
export function waitForMessages(
  engine: Engine,
  lane: Lane,
  mode: ReceiveMode,
  maxCount: number,
  maxWaitMs: number,
  signal: AbortSignal | undefined,
  nowMs: number,
): Promise<BrokerReceivedMessage[]> {
  return new Promise((resolve, reject) => {
    const waiter = new PullWaiter(engine, mode, maxCount, resolve, reject, signal);
    lane.waiters.join(waiter);
    engine.timers.beginWait();
    if (maxWaitMs !== Number.POSITIVE_INFINITY) engine.timers.arm(waiter.deadline, nowMs + maxWaitMs);
  });
}

class PullWaiter extends Waiter {
  readonly deadline: Deadline;
  readonly #engine: Engine;
  readonly #messages: BrokerReceivedMessage[] = [];
  readonly #resolve: (messages: BrokerReceivedMessage[] | Promise<BrokerReceivedMessage[]>) => void;
  readonly #reject: (error: Error) => void;
  readonly #signal: AbortSignal | undefined;
  readonly #onAbort = (): void => this.#fail(new BrokerError("cancelled", "The receive call was cancelled."));

  constructor(
    engine: Engine,
    mode: ReceiveMode,
    demand: number,
    resolve: (messages: BrokerReceivedMessage[] | Promise<BrokerReceivedMessage[]>) => void,
    reject: (error: Error) => void,
    signal: AbortSignal | undefined,
  ) {
    super(mode, demand);
    this.#engine = engine;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#signal = signal;
    this.deadline = new Deadline(() => this.#finish());
    signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  take(message: BrokerReceivedMessage): void {
    this.#messages.push(message);
  }

  flush(): void {
    if (this.#messages.length > 0) this.#finish();
  }

  refuse(error: Error): void {
    this.#fail(error);
  }

  #finish(): void {
    this.#leave();
    const engine = this.#engine;
    const messages = this.#messages;
    // In receive-and-delete, messages may be handed over only after their deletion is durable.
    const mustWait = this.mode === "receiveAndDelete" && !engine.storage.isVolatile && messages.length > 0;
    this.#resolve(mustWait ? engine.whenDurable().then(() => messages) : messages);
  }

  #fail(error: Error): void {
    this.#leave();
    this.#reject(error);
  }

  #leave(): void {
    this.list?.leave(this);
    this.#engine.timers.disarm(this.deadline);
    this.#engine.timers.endWait();
    this.#signal?.removeEventListener("abort", this.#onAbort);
  }
}
