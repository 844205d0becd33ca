import { type AbandonBackoff, DelayedAbandons } from "../delivery/delayed-abandons.js";
import { pause } from "../foundation/pause.js";
import type { Scheduler } from "../foundation/scheduler.js";
import { underEither } from "../foundation/under-either.js";

/** The pending delays of a processor: before it abandons a message, and before it reads a message of a session again in place. */
export class PendingWaits {
  readonly abandons: DelayedAbandons;
  readonly #scheduler: Scheduler;
  readonly #inPlace = new AbortController();
  #isEnded = false;

  constructor(scheduler: Scheduler, backoff: AbandonBackoff) {
    this.abandons = new DelayedAbandons(scheduler, backoff);
    this.#scheduler = scheduler;
  }

  /** Whether the processor is closing, so that there are no more delays. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Waits before a message is read again in place. Resolves with whether it may be: false once these delays were ended. */
  async waitInPlace(delayMs: number): Promise<boolean> {
    const { signal } = this.#inPlace;
    await underEither(signal, undefined, () => pause(delayMs, this.#scheduler, signal));
    return !signal.aborted;
  }

  /** Ends the delays before reading in place, but not those before abandoning. */
  endInPlace(): void {
    this.#inPlace.abort();
  }

  /** Ends all delays, including later ones. */
  end(): void {
    this.#isEnded = true;
    this.endInPlace();
    this.abandons.flush();
  }
}
