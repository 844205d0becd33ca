import type { ReadyQueue } from "./ready-queue.js";
import { WaiterList } from "./waiter.js";

/** Where messages meet receivers: a store has one, and every session that is locked. */
export class Lane {
  readonly ready: ReadyQueue;
  readonly waiters = new WaiterList();
  /** Set while messages are handed out, so that what a receiver does at once does not hand out in between. */
  isDispatching = false;

  constructor(ready: ReadyQueue) {
    this.ready = ready;
  }
}
