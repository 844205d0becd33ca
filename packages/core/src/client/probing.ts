import type { Scheduler, Timer } from "../scheduler.js";
import type { DeliveredMessage, TransportReceiver } from "../transport.js";
import type { CircuitBreaker } from "./circuit-breaker.js";
import { type Delivery, settle } from "./delivery.js";
import type { LockRenewal } from "./lock-renewal.js";

/** What probing works with. */
export interface ProbingSettings {
  readonly breaker: CircuitBreaker;
  readonly receiver: TransportReceiver;
  readonly renewal: LockRenewal;
  readonly scheduler: Scheduler;
  /** Whether the order of messages counts, so that nothing may be received past one that is held. */
  readonly isOrdered: boolean;
  /** Reads a message and handles it if it can be read; resolves with whether it is to be held instead. Never rejects. */
  readonly read: (probe: HeldMessage, isHeldAlready: boolean) => Promise<boolean>;
  /** Takes a message that was just received. */
  readonly open: (delivered: DeliveredMessage) => Delivery | undefined;
  readonly onError: (error: unknown) => void;
}

/** A message that waits, locked, to be read again. */
export interface HeldMessage {
  readonly delivered: DeliveredMessage;
  readonly delivery: Delivery | undefined;
}

/** How long a probe waits for a message, in milliseconds. */
const probeWaitMs = 1_000;

/**
 * When as many are held as may be, one more is received only in every so many probes: it takes the place of the oldest, whose
 * delivery count rises when it is given back, and after the last delivery the broker would dead-letter it.
 */
const probesPerExchange = 10;

/**
 * What a processor does while its circuit breaker is open: it keeps some unread messages locked, and in intervals reads them again and
 * receives further ones, one at a time, until one shows that the format can be read.
 */
export class Probing {
  readonly #settings: ProbingSettings;
  readonly #held: HeldMessage[] = [];
  readonly #stopping = new AbortController();

  constructor(settings: ProbingSettings) {
    this.#settings = settings;
  }

  /** Keeps a message locked. When there are too many, the oldest is given back to the entity. */
  async hold(message: HeldMessage): Promise<void> {
    const { breaker, renewal, isOrdered } = this.#settings;
    if (message.delivery === undefined) return;
    // In a session the lock is the session's.
    if (!isOrdered) renewal.track(message.delivery, Number.POSITIVE_INFINITY);
    this.#held.push(message);
    if (this.#held.length > breaker.options.maxHeldMessages) await this.#giveBack(this.#held.shift()!);
  }

  /** Resolves when the breaker has closed and what was held is dealt with, or when it was stopped. Never rejects. */
  async run(): Promise<void> {
    const { breaker } = this.#settings;
    for (let probe = 1; breaker.isOpen && !this.#isStopped; probe += 1) {
      await this.#pause(breaker.options.probeIntervalInMs);
      if (this.#isStopped) break;
      breaker.beginProbe();
      await this.#readHeld();
      if (this.#hasRoom || (!this.#settings.isOrdered && probe % probesPerExchange === 0)) {
        await this.#receiveSome();
      }
      breaker.endProbe();
    }
    // What could still not be read is poison like any other now.
    if (!this.#isStopped) await this.#readHeld();
    for (const message of this.#held.splice(0)) await this.#giveBack(message);
  }

  /** Gives the held messages back. */
  stop(): void {
    this.#stopping.abort();
  }

  get #hasRoom(): boolean {
    const { breaker, isOrdered } = this.#settings;
    return this.#held.length < (isOrdered ? 1 : breaker.options.maxHeldMessages);
  }

  get #isStopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  async #readHeld(): Promise<void> {
    for (const message of this.#held.splice(0)) {
      if (message.delivery?.state === "lost") continue;
      const isHeld = this.#isStopped || (await this.#settings.read(message, true));
      if (isHeld) this.#held.push(message);
    }
  }

  /** Until one cannot be read, or none is there: what the breaker has nothing against must not wait for the next interval. */
  async #receiveSome(): Promise<void> {
    const { breaker, receiver, read, open, onError } = this.#settings;
    while (breaker.isOpen && !this.#isStopped) {
      try {
        const abortSignal = this.#stopping.signal;
        const [delivered] = await receiver.receive({
          maxMessages: 1,
          maxWaitTimeMs: probeWaitMs,
          abortSignal,
        });
        if (delivered === undefined) return;
        const probe = { delivered, delivery: open(delivered) };
        if (!(await read(probe, false))) continue;
        return await this.hold(probe);
      } catch (error) {
        if (!this.#isStopped) onError(error);
        return;
      }
    }
  }

  async #giveBack({ delivery }: HeldMessage): Promise<void> {
    if (delivery?.state !== "open") return;
    try {
      await settle(delivery, "abandon");
    } catch (error) {
      this.#settings.renewal.forget(delivery);
      this.#settings.onError(error);
    }
  }

  #pause(durationMs: number): Promise<void> {
    const { scheduler } = this.#settings;
    const { signal } = this.#stopping;
    return new Promise((resolve) => {
      let timer: Timer | undefined;
      const end = () => {
        timer?.cancel();
        signal.removeEventListener("abort", end);
        resolve();
      };
      signal.addEventListener("abort", end);
      timer = scheduler.schedule(durationMs, end);
    });
  }
}
