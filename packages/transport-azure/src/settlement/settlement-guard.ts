/**
 * Keeps settlements apart that the AMQP library beneath the SDK would confuse. It writes what was settled since the last turn of the
 * event loop in one go, and gives the second of two neighbouring deliveries the outcome of the first: a message that is dead-lettered
 * while its neighbour is completed is completed, too, and lost (rhea 3.0.5, `write_dispositions` in `session.js`).
 *
 * So settlements wait for the end of the turn, which takes no round trip, and each turn sends those of one outcome. Equal ones leave
 * together, in fewer and larger writes than one by one.
 */
export class SettlementGuard {
  readonly #waiting = new Map<string, (() => void)[]>();

  /** Calls `send` in a turn in which nothing is settled but with this outcome. */
  settle(outcome: string, send: () => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = () => void send().then(resolve, reject);
      const waiting = this.#waiting.get(outcome);
      if (waiting !== undefined) waiting.push(start);
      else this.#add(outcome, start);
    });
  }

  #add(outcome: string, start: () => void): void {
    // The library writes in `process.nextTick`, which comes before the next immediate.
    if (this.#waiting.size === 0) setImmediate(this.#sendNext);
    this.#waiting.set(outcome, [start]);
  }

  readonly #sendNext = (): void => {
    for (const [outcome, starts] of this.#waiting) {
      this.#waiting.delete(outcome);
      if (this.#waiting.size > 0) setImmediate(this.#sendNext);
      for (const start of starts) start();
      return;
    }
  };
}
