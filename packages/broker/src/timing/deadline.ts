import { TimerEntry } from "./timing-wheel.js";

/** Calls a function when its time has come, unless it is disarmed before. */
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
