import { isLinkLost } from "./lost-link.js";
import type { Settlement } from "./settlement.js";

/** How often to look whether a link is lost, in milliseconds. */
const lookEveryMs = 250;

/** Watches over settlements that wait for their answer, because nobody notifies them that their link was lost. */
export class PendingSettlements {
  /**
   * In no order. A `Map` makes itself again after so many entries, and each of its forms leads to the next: when the garbage collector has
   * once taken a form for long-lived, all the messages of the later ones are kept until its next full run. That took a fifth of the time.
   */
  readonly #watched: Settlement[] = [];
  readonly #settleAgain: (settlement: Settlement) => void;
  #timer: ReturnType<typeof setInterval> | undefined;

  /** `settleAgain` is called for settlements whose link was lost or does not answer; it must not need the link. */
  constructor(settleAgain: (settlement: Settlement) => void) {
    this.#settleAgain = settleAgain;
  }

  /** Watches until its end is announced. Without an answer for so many milliseconds, its link counts as lost. */
  watch(settlement: Settlement, timeoutMs = Number.POSITIVE_INFINITY): void {
    this.#timer ??= setInterval(this.#look, lookEveryMs).unref();
    settlement.answerUntil = performance.now() + timeoutMs;
    settlement.place = this.#watched.push(settlement) - 1;
  }

  succeeded(settlement: Settlement): void {
    this.#forget(settlement);
    settlement.succeed();
  }

  /** One that is made again fails only if that does. */
  failed(settlement: Settlement, error: unknown): void {
    if (this.#forget(settlement)) settlement.fail(error);
  }

  /** Returns whether it was watched until now. */
  #forget(settlement: Settlement): boolean {
    const { place } = settlement;
    if (place < 0) return false;
    settlement.place = -1;
    const last = this.#watched.pop();
    if (last !== undefined && last !== settlement) {
      this.#watched[place] = last;
      last.place = place;
    }
    return true;
  }

  readonly #look = (): void => {
    if (this.#watched.length === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    const now = performance.now();
    for (const settlement of this.#watched.filter(
      ({ delivery, answerUntil }) => answerUntil <= now || isLinkLost(delivery.message),
    )) {
      this.#forget(settlement);
      this.#settleAgain(settlement);
    }
  };
}
