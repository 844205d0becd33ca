import { WaybillError } from "@waybill/core";
import { pause, type Scheduler } from "@waybill/core/transport";

/** How long the locks of a batch that waits its turn must hold. */
const batchSeconds = 5;

/** Keeps sending below a rate. */
export class Pace {
  readonly #perSecond: number;
  readonly #scheduler: Scheduler;
  /** When what was sent so far is worked off. */
  #freeAt = 0;

  /** Without a rate nothing waits. */
  constructor(perSecond: number | undefined, scheduler: Scheduler) {
    this.#perSecond = perSecond ?? Number.POSITIVE_INFINITY;
    this.#scheduler = scheduler;
  }

  /** How many messages to take at once, so that they are sent before their locks run out. */
  atOnce(most: number): number {
    return Math.max(1, Math.min(most, Math.floor(this.#perSecond * batchSeconds)));
  }

  /** Waits until so many more may be sent. Rejects with `aborted`. */
  async wait(messages: number, abortSignal: AbortSignal | undefined): Promise<void> {
    const now = this.#scheduler.steadyNow?.() ?? this.#scheduler.now();
    const waitMs = this.#freeAt - now;
    this.#freeAt = Math.max(this.#freeAt, now) + (messages / this.#perSecond) * 1000;
    if (waitMs <= 0) return;
    await pause(waitMs, this.#scheduler, abortSignal);
    if (abortSignal?.aborted) throw new WaybillError("aborted", "the repair was given up.");
  }
}
