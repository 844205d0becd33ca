/**
 * Separates settlements that the SDK's AMQP library would confuse. It writes all settlements since the last turn of the event loop at once,
 * and gives the second of two adjacent deliveries the outcome of the first: a message that is dead-lettered while its neighbour is
 * completed is completed too, and lost (rhea 3.0.5, `write_dispositions` in `session.js`).
 *
 * So each turn sends settlements of one outcome; others wait for a later turn, which costs no round trip. Equal settlements are sent
 * together, after what the library already has to write: credit for the next messages, which the broker can use meanwhile.
 */
export class SettlementGuard<Settlement> {
  readonly #send: (settlement: Settlement) => void;
  /** The outcome that this turn sends, once sending has begun. */
  #outcome: string | undefined;
  #batch: Settlement[] = [];
  readonly #waiting = new Map<string, Settlement[]>();

  /** `send` is called soon, in a turn that settles with one outcome only. */
  constructor(send: (settlement: Settlement) => void) {
    this.#send = send;
  }

  settle(outcome: string, settlement: Settlement): void {
    if (this.#outcome === undefined) this.#begin(outcome);
    if (this.#outcome === outcome) {
      // The library writes in `process.nextTick`; microtasks run after all those.
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
    // Everything sent is written before the next immediate.
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
