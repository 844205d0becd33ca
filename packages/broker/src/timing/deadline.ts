import { TimerEntry } from "./timing-wheel.js";

/** Calls a function at its due time, unless it is disarmed before. */
export class Deadline extends TimerEntry {
  readonly #expire: (nowMs: number) => void;

  constructor(expire: (nowMs: number) => void) {
    super();
    this.#expire = expire;
  }

  override onDue(nowMs: number): void {
    this.#expire(nowMs);
  }
}
