/**
 * Keeps settlements apart that the AMQP library beneath the SDK would confuse. It writes what was settled since the last turn of the
 * event loop in one go, and gives the second of two neighbouring deliveries the outcome of the first: a message that is dead-lettered
 * while its neighbour is completed is completed, too, and lost (rhea 3.0.5, `write_dispositions` in `session.js`).
 *
 * So only equal outcomes go out in the same turn. The others wait for the next, which takes no round trip.
 */
export class SettlementGuard {
  /** The outcome that goes out in this turn. */
  #current: string | undefined;
  readonly #waiting = new Map<string, (() => void)[]>();

  /** Calls `send` in a turn in which nothing is settled but with this outcome: now, or soon. */
  settle(outcome: string, send: () => Promise<void>): Promise<void> {
    if (this.#current === undefined) this.#begin(outcome);
    if (this.#current === outcome) return send();
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(outcome);
      const start = () => void send().then(resolve, reject);
      if (waiting === undefined) this.#waiting.set(outcome, [start]);
      else waiting.push(start);
    });
  }

  #begin(outcome: string): void {
    this.#current = outcome;
    // The library writes in `process.nextTick`, before any immediate runs.
    setImmediate(this.#nextTurn);
  }

  readonly #nextTurn = (): void => {
    this.#current = undefined;
    for (const [outcome, starts] of this.#waiting) {
      this.#waiting.delete(outcome);
      this.#begin(outcome);
      for (const start of starts) start();
      return;
    }
  };
}
