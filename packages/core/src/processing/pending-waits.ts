import { type AbandonBackoff, DelayedAbandons } from "../delivery/delayed-abandons.js";
import type { Scheduler } from "../foundation/scheduler.js";

/**
 * The pending delays of a processor: before it abandons a message, and before it reads a message of a session again in place. Each is
 * created on first use.
 */
export class PendingWaits {
  readonly #scheduler: Scheduler;
  readonly #backoff: AbandonBackoff;
  #abandons: DelayedAbandons | undefined;
  #inPlace: AbortController | undefined;
  #isEnded = false;

  constructor(scheduler: Scheduler, backoff: AbandonBackoff) {
    this.#scheduler = scheduler;
    this.#backoff = backoff;
  }

  /** Whether the processor is closing, so that there are no more delays. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  get abandons(): DelayedAbandons {
    this.#abandons ??= new DelayedAbandons(this.#scheduler, this.#backoff);
    if (this.#isEnded) this.#abandons.flush();
    return this.#abandons;
  }

  /** Aborts the delays before reading in place. */
  get inPlace(): AbortSignal {
    this.#inPlace ??= new AbortController();
    if (this.#isEnded) this.#inPlace.abort();
    return this.#inPlace.signal;
  }

  /** Ends the delays before reading in place, but not those before abandoning. */
  endInPlace(): void {
    this.#inPlace?.abort();
  }

  /** Ends all delays, including later ones. */
  end(): void {
    this.#isEnded = true;
    this.#inPlace?.abort();
    this.#abandons?.flush();
  }
}
