import type { ReadyQueue } from "./ready-queue.js";
import { WaiterList } from "./waiter.js";

/** What may keep messages back. */
export interface Gate {
  readonly isShut: boolean;
}

/** Where messages meet receivers: a store has one, and every session that is locked. */
export class Lane {
  readonly ready: ReadyQueue;
  readonly waiters = new WaiterList();
  /** Set while messages are handed out, so that what a receiver does at once does not hand out in between. */
  isDispatching = false;
  readonly #gate: Gate | undefined;

  /** Messages are handed out unless `gate` is shut. */
  constructor(ready: ReadyQueue, gate?: Gate) {
    this.ready = ready;
    this.#gate = gate;
  }

  /** Whether nothing is handed out at present, though there may be messages. */
  get isShut(): boolean {
    return this.#gate?.isShut === true;
  }
}
