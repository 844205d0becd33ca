import { type Scheduler, steadyNow, type Timer } from "../foundation/scheduler.js";
import type { CircuitBreaker } from "./circuit-breaker.js";

/** Dependencies and limits of a gate. */
export interface SetAsideGateSettings {
  readonly breaker: CircuitBreaker;
  readonly scheduler: Scheduler;
  /** Whether messages can be set aside at all. */
  readonly isPossible: boolean;
  /** Called when `tryPass` would succeed after it failed; undefined if the caller polls. */
  readonly onOpened: (() => void) | undefined;
  readonly onError: (error: unknown) => void;
}

/** How often to look for readable messages while none may be set aside, in milliseconds. */
const lookIntervalMs = 1_000;

/**
 * Decides whether undeserializable messages beyond those held are set aside (deferred or dead-lettered) so that others can be received. They
 * are set aside only while readable messages arrive or are seen behind them. Otherwise a broken consumer would empty its queue.
 */
export class SetAsideGate {
  readonly #settings: SetAsideGateSettings;
  /** How many undeserializable messages may be set aside after a readable one, once both kinds were seen. */
  readonly #maxAllowance: number;
  /** How often to peek from the beginning of the entity, in milliseconds. */
  readonly #restartIntervalMs: number;
  #allowance = 0;
  /** Whether readable messages were seen behind undeserializable ones. */
  #isMixed = false;
  #from = 0n;
  #restartAtMs = 0;
  #looking: Promise<void> | undefined;
  #timer: Timer | undefined;
  #isStopped = false;

  constructor(settings: SetAsideGateSettings) {
    const { maxHeldMessages, probeIntervalInMs } = settings.breaker.options;
    this.#settings = settings;
    this.#maxAllowance = settings.isPossible ? maxHeldMessages : 0;
    this.#restartIntervalMs = probeIntervalInMs;
  }

  onDecoded(): void {
    if (!this.#isMixed) return;
    if (this.#allowance < this.#maxAllowance) this.#allowance = this.#maxAllowance;
    if (this.#timer !== undefined && this.#allowance > 0) this.#open();
  }

  /** Forgets what was seen, once no message is held any more. */
  reset(): void {
    this.#isMixed = false;
    this.#allowance = 0;
  }

  /** Uses up an allowance to set this message aside. If there is none, resolves with false and later calls `onOpened`. */
  async tryPass(sequenceNumber: bigint): Promise<boolean> {
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
    const { breaker, scheduler, onError } = this.#settings;
    try {
      const { messageCount, readable, next, isAtEnd } = await breaker.lookAhead.findReadable(this.#from);
      this.#from = next;
      if (readable !== undefined) {
        this.#isMixed = true;
        this.#allowance = Math.max(messageCount, this.#maxAllowance);
      }
      // A message before the end may have become active meanwhile, or be in another partition.
      if (!isAtEnd || steadyNow(scheduler) < this.#restartAtMs) return;
      this.#restartAtMs = steadyNow(scheduler) + this.#restartIntervalMs;
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
    const { scheduler, onOpened } = this.#settings;
    if (this.#timer !== undefined || this.#isStopped || onOpened === undefined) return;
    const timer = scheduler.schedule(Math.min(lookIntervalMs, this.#restartIntervalMs), async () => {
      await this.#look();
      if (this.#timer !== timer) return;
      if (this.#allowance > 0) return this.#open();
      this.#timer = undefined;
      this.#arm();
    });
    this.#timer = timer;
  }
}
