import { isLinkLost } from "./lost-link.js";
import type { Settlement } from "./settlement.js";

/** How often to check whether a link is lost, in milliseconds. */
const checkEveryMs = 250;

/** Watches settlements that wait for their answer: nothing reports to them that their link was lost. */
export class PendingSettlements {
  /**
   * Unordered. A `Map` rehashes as it grows, and its old tables reference the new ones: once the garbage collector has promoted an old
   * table, it keeps all later messages until the next full collection. That took a fifth of the time.
   */
  readonly #watched: Settlement[] = [];
  readonly #settleAgain: (settlement: Settlement) => void;
  #timer: ReturnType<typeof setInterval> | undefined;

  /** `settleAgain` is called for settlements whose link was lost or does not answer; it must not use the link. */
  constructor(settleAgain: (settlement: Settlement) => void) {
    this.#settleAgain = settleAgain;
  }

  /** Watches until `succeeded` or `failed` is called. After `timeoutMs` without an answer, the link counts as lost. */
  watch(settlement: Settlement, timeoutMs = Number.POSITIVE_INFINITY): void {
    this.#timer ??= setInterval(this.#check, checkEveryMs).unref();
    settlement.answerUntil = performance.now() + timeoutMs;
    settlement.index = this.#watched.push(settlement) - 1;
  }

  succeeded(settlement: Settlement): void {
    this.#forget(settlement);
    settlement.succeed();
  }

  /** A settlement that is being repeated fails only if the repetition fails. */
  failed(settlement: Settlement, error: unknown): void {
    if (this.#forget(settlement)) settlement.fail(error);
  }

  /** Returns whether it was still watched. */
  #forget(settlement: Settlement): boolean {
    const { index } = settlement;
    if (index < 0) return false;
    settlement.index = -1;
    // Moves the last one into the gap, so that forgetting takes the same time for any number.
    const last = this.#watched.pop();
    if (last !== undefined && last !== settlement) {
      this.#watched[index] = last;
      last.index = index;
    }
    return true;
  }

  readonly #check = (): void => {
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
