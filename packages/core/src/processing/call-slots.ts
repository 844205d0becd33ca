import type { InFlightMessage } from "./in-flight-message.js";

/** Limits how many messages a processor handles at once: each takes a slot, and those that came ahead wait for one in order. */
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

  /** Runs the message now if there is a slot, or else when there is one. */
  acquire(inFlight: InFlightMessage): void {
    if (this.#busyCalls < this.#maxCalls) this.#run(inFlight);
    else this.#waiting.push(inFlight);
  }

  /** Gives the slot of a message, if it still has it, to the next that waits. */
  release(inFlight: InFlightMessage): void {
    if (!inFlight.isCalling) return;
    inFlight.isCalling = false;
    this.#busyCalls -= 1;
    const next = this.#waiting.shift();
    if (next !== undefined) this.#run(next);
  }

  /** Takes out those that wait: they get no slot any more. */
  takeWaiting(): InFlightMessage[] {
    return this.#waiting.splice(0);
  }

  #run(inFlight: InFlightMessage): void {
    this.#busyCalls += 1;
    inFlight.isCalling = true;
    this.#call(inFlight);
  }
}
