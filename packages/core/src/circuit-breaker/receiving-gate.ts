import { type Scheduler, steadyNow, type Timer } from "../foundation/scheduler.js";
import type { LookAhead } from "./look-ahead.js";

/** What a gate works with. */
export interface ReceivingGateSettings {
  readonly lookAhead: LookAhead;
  readonly scheduler: Scheduler;
  /** So many messages that cannot be read may pass after one that could, once they were seen to be mixed. */
  readonly allowance: number;
  /** How often to look through the entity from its beginning, in milliseconds. */
  readonly restartIntervalInMs: number;
  /** Is called when messages may pass that were refused before; undefined for those who ask again by themselves. */
  readonly onOpened: (() => void) | undefined;
  readonly onError: (error: unknown) => void;
}

/** How often to look for messages that can be read while none may pass, in milliseconds. */
const lookIntervalMs = 1_000;

/**
 * Decides whether messages that cannot be read, and for which there is no room, are set aside so that others can come. They are as long as
 * that leads to messages that can be read: one was among the last, or one is seen waiting behind them. Otherwise nothing would be left
 * of a queue that its consumer cannot read.
 */
export class ReceivingGate {
  readonly #settings: ReceivingGateSettings;
  #allowance = 0;
  /** Whether messages that can be read were seen behind others that cannot. */
  #isMixed = false;
  #from = 0n;
  #restartAtMs = 0;
  #looking: Promise<void> | undefined;
  #timer: Timer | undefined;
  #isStopped = false;

  constructor(settings: ReceivingGateSettings) {
    this.#settings = settings;
  }

  /** Notes that a message was read. */
  onDecoded(): void {
    if (!this.#isMixed) return;
    const { allowance } = this.#settings;
    if (this.#allowance < allowance) this.#allowance = allowance;
    if (this.#timer !== undefined && this.#allowance > 0) this.#open();
  }

  /** Forgets what was seen: there is nothing in the way any more. */
  reset(): void {
    this.#isMixed = false;
    this.#allowance = 0;
  }

  /** Whether the message with this number may be set aside. When not, `onOpened` is called as soon as it may. */
  async mayPass(sequenceNumber: bigint): Promise<boolean> {
    if (this.#take()) return true;
    if (this.#timer === undefined) {
      if (sequenceNumber >= this.#from) this.#from = sequenceNumber + 1n;
      await this.#look();
      if (this.#take()) return true;
    }
    this.#arm();
    return false;
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
  }

  #take(): boolean {
    if (this.#allowance <= 0) return false;
    this.#allowance -= 1;
    return true;
  }

  #look(): Promise<void> {
    this.#looking ??= this.#lookOnce().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #lookOnce(): Promise<void> {
    const { lookAhead, scheduler, allowance, restartIntervalInMs, onError } = this.#settings;
    try {
      const { messageCount, readable, next, isAtEnd } = await lookAhead.findReadable(this.#from);
      this.#from = next;
      if (readable !== undefined) {
        this.#isMixed = true;
        this.#allowance = Math.max(messageCount, allowance);
      }
      // What lies before the end can have become active, or be in another partition.
      if (!isAtEnd || steadyNow(scheduler) < this.#restartAtMs) return;
      this.#restartAtMs = steadyNow(scheduler) + restartIntervalInMs;
      this.#from = 0n;
    } catch (error) {
      onError(error);
    }
  }

  #open(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    if (!this.#isStopped) this.#settings.onOpened?.();
  }

  #arm(): void {
    const { scheduler, restartIntervalInMs, onOpened } = this.#settings;
    if (this.#timer !== undefined || this.#isStopped || onOpened === undefined) return;
    const timer = scheduler.schedule(Math.min(lookIntervalMs, restartIntervalInMs), async () => {
      await this.#look();
      if (this.#timer !== timer) return;
      if (this.#allowance > 0) return this.#open();
      this.#timer = undefined;
      this.#arm();
    });
    this.#timer = timer;
  }
}
