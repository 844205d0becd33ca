import { type Scheduler, steadyNowOf } from "@waybill/foundation";
import type { LookAhead } from "../receive/circuit-breaker/look-ahead.js";

/** How often to look for a session while none is found, in milliseconds. */
export const searchIntervalMs = 1_000;

/** Sessions that are remembered as unreadable; then the search begins again. */
const maxPassed = 10_000;

/** Finds, by peeking, a session whose first message can be read, behind those that are kept locked because theirs cannot. */
export class SessionSearch {
  readonly #lookAhead: LookAhead;
  readonly #scheduler: Scheduler;
  #passed = new Set<string>();
  #from = 0n;
  #nextAtMs = Number.NEGATIVE_INFINITY;
  #isSearching = false;

  constructor(lookAhead: LookAhead, scheduler: Scheduler) {
    this.#lookAhead = lookAhead;
    this.#scheduler = scheduler;
  }

  /**
   * The id of such a session, except the `held` ones; undefined if none was seen, or if the last search has just ended. Rejects as peeking
   * does.
   */
  async find(held: Iterable<string>): Promise<string | undefined> {
    if (this.#isSearching || steadyNowOf(this.#scheduler) < this.#nextAtMs) return undefined;
    this.#isSearching = true;
    try {
      for (const sessionId of held) this.#passed.add(sessionId);
      const { readable, next, isAtEnd } = await this.#lookAhead.findReadable(this.#from, this.#passed);
      this.#from = next;
      if (readable !== undefined) return readable.sessionId;
      this.#nextAtMs = steadyNowOf(this.#scheduler) + searchIntervalMs;
      if (isAtEnd || this.#passed.size > maxPassed) this.#restart();
      return undefined;
    } finally {
      this.#isSearching = false;
    }
  }

  #restart(): void {
    this.#from = 0n;
    this.#passed = new Set();
  }
}
