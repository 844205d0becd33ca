/**
 * Keeps settlements apart that the AMQP library beneath the SDK would confuse. It writes what was settled since the last turn of the
 * event loop in one go, and gives the second of two neighbouring deliveries the outcome of the first: a message that is dead-lettered
 * while its neighbour is completed is completed, too, and lost (rhea 3.0.5, `write_dispositions` in `session.js`).
 *
 * So each turn sends the settlements of one outcome, and others wait for a turn of their own, which takes no round trip. Runs of equal
 * outcomes never wait.
 */
export class SettlementGuard {
  /** What this turn sends. */
  #outcome: string | undefined;
  readonly #waiting = new Map<string, (() => void)[]>();

  /** Calls `send`, at once or in a later turn, in which nothing is settled but with this outcome. */
  settle(outcome: string, send: () => void): void {
    if (this.#outcome === undefined) this.#begin(outcome);
    if (outcome === this.#outcome) {
      send();
      return;
    }
    const waiting = this.#waiting.get(outcome);
    if (waiting === undefined) this.#waiting.set(outcome, [send]);
    else waiting.push(send);
  }

  #begin(outcome: string): void {
    this.#outcome = outcome;
    // The library writes in `process.nextTick`, which comes before the next immediate.
    setImmediate(this.#end);
  }

  readonly #end = (): void => {
    this.#outcome = undefined;
    for (const [outcome, sends] of this.#waiting) {
      this.#waiting.delete(outcome);
      this.#begin(outcome);
      for (const send of sends) send();
      return;
    }
  };
}
