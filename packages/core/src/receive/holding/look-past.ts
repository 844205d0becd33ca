import { type Scheduler, steadyNowOf, type Timer } from "@waybill/foundation";
import type { ResolvedCircuitBreakerOptions } from "../circuit-breaker/circuit-breaker-options.js";
import type { LookAhead } from "../circuit-breaker/look-ahead.js";
import type { ReceiverContext } from "../delivery/receiver-context.js";

/** Where it looks, and the options of the breaker if there is one. */
export interface LookPastContext {
  readonly lookAhead: Pick<LookAhead, "findReadable">;
  readonly scheduler: Scheduler;
  readonly breaker: { readonly options: ResolvedCircuitBreakerOptions } | undefined;
}

/** When messages may be set aside, and who is called. */
export interface LookPastSettings {
  /** Whether a message that decoded lets others be set aside; false if none can be. */
  readonly isRefilled: boolean;
  /** Called when `tryPass` would succeed after it failed; undefined if the caller polls. */
  readonly onAllowance: (() => void) | undefined;
  readonly onError: (error: unknown) => void;
}

/** How often to look for readable messages while none may be set aside, in milliseconds. */
const lookIntervalMs = 1_000;

const defaultAllowance = 10;
const defaultRestartIntervalMs = 30_000;

/**
 * Decides whether unreadable messages beyond those held are set aside (deferred or dead-lettered) so that others can be received. They
 * are set aside only while readable messages arrive or are seen behind them. Otherwise a broken consumer would empty its queue.
 */
export class LookPast {
  readonly #context: LookPastContext;
  readonly #settings: LookPastSettings;
  /** How many messages may be set aside at least, after a readable one was seen behind them. */
  readonly #minAllowance: number;
  /** How often to peek from the beginning of the entity, in milliseconds. */
  readonly #restartIntervalMs: number;
  #allowance = 0;
  /** Whether readable messages were seen behind unreadable ones. */
  #isMixed = false;
  #from = 0n;
  #restartAtMs = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> | undefined;
  #timer: Timer | undefined;
  #isStopped = false;

  /** Looks past the messages of a receiver; undefined for dead-letter queues. */
  static of(
    { lookAhead, scheduler, breaker, receiver }: ReceiverContext,
    settings: Omit<LookPastSettings, "isRefilled">,
  ): LookPast | undefined {
    if (lookAhead === undefined) return undefined;
    // A message that was deleted on receipt cannot be set aside, so one that decodes does not let others be.
    const isRefilled = receiver.receiveMode === "peekLock";
    return new LookPast({ lookAhead, scheduler, breaker }, { ...settings, isRefilled });
  }

  constructor(context: LookPastContext, settings: LookPastSettings) {
    const options = context.breaker?.options;
    this.#context = context;
    this.#settings = settings;
    this.#minAllowance = settings.isRefilled ? (options?.maxHeldMessages ?? defaultAllowance) : 0;
    this.#restartIntervalMs = options?.probeIntervalInMs ?? defaultRestartIntervalMs;
  }

  onDecoded(): void {
    // A message that decodes in front of them proves nothing about those behind.
    if (!this.#isMixed) return;
    this.#allowance = Math.max(this.#allowance, this.#minAllowance);
    if (this.#timer !== undefined && this.#allowance > 0) this.#endWaiting();
  }

  /** Forgets what was seen, once no message is held any more. */
  reset(): void {
    this.#isMixed = false;
    this.#allowance = 0;
  }

  /** Uses up an allowance to set this message aside. If there is none, resolves with false and later calls `onAllowance`. */
  async tryPass(sequenceNumber: bigint): Promise<boolean> {
    if (this.#useAllowance()) return true;
    // While the timer runs, it is what looks.
    if (this.#timer === undefined) {
      // What was delivered is known: the look begins behind it.
      if (sequenceNumber >= this.#from) this.#from = sequenceNumber + 1n;
      await this.#look();
      if (this.#useAllowance()) return true;
    }
    this.#arm();
    return false;
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
  }

  #useAllowance(): boolean {
    if (this.#allowance <= 0) return false;
    this.#allowance--;
    return true;
  }

  #look(): Promise<void> {
    this.#looking ??= this.#lookOnce().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #lookOnce(): Promise<void> {
    const { lookAhead, scheduler } = this.#context;
    try {
      const { messageCount, readable, next, isAtEnd } = await lookAhead.findReadable(this.#from);
      // The next look goes on from here, so that a long queue is not read from its beginning every second.
      this.#from = next;
      if (readable !== undefined) {
        this.#isMixed = true;
        // As many as lie in front of the readable one may be set aside to reach it.
        this.#allowance = Math.max(messageCount, this.#minAllowance);
      }
      // A message before the end may have become active meanwhile, or be in another partition.
      if (!isAtEnd || steadyNowOf(scheduler) < this.#restartAtMs) return;
      this.#restartAtMs = steadyNowOf(scheduler) + this.#restartIntervalMs;
      this.#from = 0n;
    } catch (error) {
      this.#settings.onError(error);
    }
  }

  #endWaiting(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    if (!this.#isStopped) this.#settings.onAllowance?.();
  }

  #arm(): void {
    const { onAllowance } = this.#settings;
    if (this.#timer !== undefined || this.#isStopped || onAllowance === undefined) return;
    const timer = this.#context.scheduler.schedule(
      Math.min(lookIntervalMs, this.#restartIntervalMs),
      async () => {
        await this.#look();
        // `onDecoded` was faster, and has done what follows.
        if (this.#timer !== timer) return;
        if (this.#allowance > 0) return this.#endWaiting();
        this.#timer = undefined;
        this.#arm();
      },
    );
    this.#timer = timer;
  }
}
