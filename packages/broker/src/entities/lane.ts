import { ReadyQueue } from "./ready-queue.js";
import { WaiterList } from "./waiter.js";

/** Where messages meet receivers: a store has one lane, or one per session. */
export class Lane {
  readonly ready = new ReadyQueue();
  readonly waiters = new WaiterList();
  /** Set while messages are handed out, so that what a receiver does at once does not hand out in between. */
  isDispatching = false;
}
