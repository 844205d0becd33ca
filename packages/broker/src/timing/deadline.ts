import { TimerEntry } from "./timing-wheel.js";

/** Calls a function at its due time, unless it is disarmed before. */
export class Deadline extends TimerEntry {
  readonly #expire: () => void;

  constructor(expire: () => void) {
    super();
    this.#expire = expire;
  }

  override onDue(): void {
    this.#expire();
  }
}
