import { WaybillError } from "@waybill/core";
import type { Scheduler } from "@waybill/core/transport";
import { pause } from "@waybill/foundation";

/** A batch waits about this long at most before it is sent, so its locks need to last that long. */
const batchSeconds = 5;

/** Keeps sending below a rate. */
export class Pace {
  readonly #perSecond: number;
  readonly #scheduler: Scheduler;
  /** When the next message may be sent. */
  #freeAt = Number.NEGATIVE_INFINITY;

  /** Without a rate, `wait` returns at once. */
  constructor(perSecond: number | undefined, scheduler: Scheduler) {
    this.#perSecond = perSecond ?? Number.POSITIVE_INFINITY;
    this.#scheduler = scheduler;
  }

  /** How many messages to receive at once, so that they are sent before their locks expire. */
  atOnce(max: number): number {
    return Math.max(1, Math.min(max, Math.floor(this.#perSecond * batchSeconds)));
  }

  /** Waits until this many more messages may be sent. Rejects with `aborted`. */
  async wait(messages: number, abortSignal: AbortSignal | undefined): Promise<void> {
    const now = this.#scheduler.steadyNow?.() ?? this.#scheduler.now();
    const waitMs = this.#freeAt - now;
    this.#freeAt = Math.max(this.#freeAt, now) + (messages / this.#perSecond) * 1000;
    if (waitMs > 0) await pause(waitMs, this.#scheduler, abortSignal);
    if (abortSignal?.aborted) throw new WaybillError("aborted", "The repair was aborted.");
  }
}
