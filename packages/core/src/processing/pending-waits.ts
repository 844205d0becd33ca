import { type AbandonBackoff, DelayedAbandons } from "../delivery/delayed-abandons.js";
import type { Scheduler } from "../foundation/scheduler.js";

/**
 * What a processor waits for before it goes on with a message: a back-off before it gives one back, and another try to read one of a
 * session in its place. Each is made when there is something to wait for.
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

  /** Whether the processor is closing, and nothing waits any more. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  get abandons(): DelayedAbandons {
    this.#abandons ??= new DelayedAbandons(this.#scheduler, this.#backoff);
    if (this.#isEnded) this.#abandons.flush();
    return this.#abandons;
  }

  /** Ends the waiting for another try to read a message in its place. */
  get inPlace(): AbortSignal {
    this.#inPlace ??= new AbortController();
    if (this.#isEnded) this.#inPlace.abort();
    return this.#inPlace.signal;
  }

  /** Ends what waits in its place; what will be given back goes on waiting. */
  endInPlace(): void {
    this.#inPlace?.abort();
  }

  /** Ends all waits, now and from now on. */
  end(): void {
    this.#isEnded = true;
    this.#inPlace?.abort();
    this.#abandons?.flush();
  }
}
