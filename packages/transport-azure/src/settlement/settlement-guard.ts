/**
 * Keeps settlements apart that the AMQP library beneath the SDK would confuse. It writes what was settled since the last turn of the
 * event loop in one go, and gives the second of two neighbouring deliveries the outcome of the first: a message that is dead-lettered
 * while its neighbour is completed is completed, too, and lost (rhea 3.0.5, `write_dispositions` in `session.js`).
 *
 * So each turn sends settlements of one outcome, and those of others wait for a turn of their own, which takes no round trip. Equal ones
 * leave together, right behind what the library has to write already: that is credit for the next messages, on which the broker can work
 * meanwhile.
 */
export class SettlementGuard<Settlement> {
  readonly #send: (settlement: Settlement) => void;
  /** What this turn sends, once it has begun to. */
  #outcome: string | undefined;
  #batch: Settlement[] = [];
  readonly #waiting = new Map<string, Settlement[]>();

  /** `send` is called soon, in a turn in which nothing is settled but with the same outcome. */
  constructor(send: (settlement: Settlement) => void) {
    this.#send = send;
  }

  settle(outcome: string, settlement: Settlement): void {
    if (this.#outcome === undefined) this.#begin(outcome);
    if (this.#outcome === outcome) {
      // The library writes in `process.nextTick`; microtasks come when all those are done.
      if (this.#batch.length === 0) process.nextTick(queueMicrotask, this.#sendBatch);
      this.#batch.push(settlement);
      return;
    }
    const waiting = this.#waiting.get(outcome);
    if (waiting === undefined) this.#waiting.set(outcome, [settlement]);
    else waiting.push(settlement);
  }

  #begin(outcome: string): void {
    this.#outcome = outcome;
    // All that was sent is written before the next immediate.
    setImmediate(this.#end);
  }

  readonly #sendBatch = (): void => {
    const batch = this.#batch;
    this.#batch = [];
    for (const settlement of batch) this.#send(settlement);
  };

  readonly #end = (): void => {
    this.#outcome = undefined;
    for (const [outcome, settlements] of this.#waiting) {
      this.#waiting.delete(outcome);
      this.#begin(outcome);
      for (const settlement of settlements) this.#send(settlement);
      return;
    }
  };
}
