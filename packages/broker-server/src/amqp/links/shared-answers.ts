import type { DeliveryState } from "@waybill/amqp";

interface Group<Delivery> {
  readonly done: Promise<void>;
  readonly state: DeliveryState | undefined;
  readonly deliveries: Delivery[];
}

/**
 * Answers deliveries once the broker has done what they ask for. Those that follow each other with the same state, and wait for the same promise, share one
 * callback: the broker has one promise for all that is done at once, and for all that becomes durable together.
 */
export class SharedAnswers<Delivery> {
  readonly #onDone: (delivery: Delivery, state: DeliveryState | undefined) => void;
  readonly #onFailed: (delivery: Delivery, error: unknown) => void;
  #latest: Group<Delivery> | undefined;

  /** Neither callback may throw. */
  constructor(
    onDone: (delivery: Delivery, state: DeliveryState | undefined) => void,
    onFailed: (delivery: Delivery, error: unknown) => void,
  ) {
    this.#onDone = onDone;
    this.#onFailed = onFailed;
  }

  /** Calls back once `done` is settled, in the order of the calls. */
  add(done: Promise<void>, delivery: Delivery, state?: DeliveryState): void {
    const latest = this.#latest;
    if (latest !== undefined && latest.done === done && latest.state === state) {
      latest.deliveries.push(delivery);
      return;
    }
    const group = { done, state, deliveries: [delivery] };
    this.#latest = group;
    done.then(
      () => {
        for (const one of this.#close(group)) this.#onDone(one, state);
      },
      (error: unknown) => {
        for (const one of this.#close(group)) this.#onFailed(one, error);
      },
    );
  }

  /** A delivery added from now on needs a callback of its own. */
  #close(group: Group<Delivery>): readonly Delivery[] {
    if (this.#latest === group) this.#latest = undefined;
    return group.deliveries;
  }
}
