import type { InFlightMessage } from "./in-flight-message.js";

/** Limits how many messages a processor handles at once: each acquires a slot; prefetched messages wait for one in order. */
export class CallSlots {
  readonly #maxCalls: number;
  readonly #call: (inFlight: InFlightMessage) => void;
  readonly #waiting: InFlightMessage[] = [];
  #busyCalls = 0;

  /** `call` runs a message that has acquired its slot. */
  constructor(maxCalls: number, call: (inFlight: InFlightMessage) => void) {
    this.#maxCalls = maxCalls;
    this.#call = call;
  }

  /** How many messages have a slot or wait for one. */
  get size(): number {
    return this.#busyCalls + this.#waiting.length;
  }

  /** Runs the message as soon as a slot is free. */
  acquire(inFlight: InFlightMessage): void {
    if (this.#busyCalls < this.#maxCalls) this.#run(inFlight);
    else this.#waiting.push(inFlight);
  }

  /** Passes the slot of a message, if it still has one, to the next waiting message. */
  release(inFlight: InFlightMessage): void {
    if (!inFlight.isCalling) return;
    inFlight.isCalling = false;
    this.#busyCalls -= 1;
    const next = this.#waiting.shift();
    if (next !== undefined) this.#run(next);
  }

  /** Removes and returns the messages that wait for a slot. */
  takeWaiting(): InFlightMessage[] {
    return this.#waiting.splice(0);
  }

  #run(inFlight: InFlightMessage): void {
    this.#busyCalls += 1;
    inFlight.isCalling = true;
    this.#call(inFlight);
  }
}
