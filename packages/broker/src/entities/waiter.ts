import type { BrokerReceivedMessage } from "../messages/received-message.js";

/** How a message is delivered: locked until it is settled, or deleted at once. */
export type ReceiveMode = "peekLock" | "receiveAndDelete";

/** Waits in a lane for `demand` more messages. Lanes serve waiters strictly in the order of joining. */
export abstract class Waiter {
  readonly mode: ReceiveMode;
  demand: number;
  list: WaiterList | undefined = undefined;
  next: Waiter | undefined = undefined;
  previous: Waiter | undefined = undefined;

  constructor(mode: ReceiveMode, demand: number) {
    this.mode = mode;
    this.demand = demand;
  }

  /** Called with one message; `demand` is already reduced. */
  abstract take(message: BrokerReceivedMessage): void;
  /** Called after `take` when no more messages are ready, or when `demand` is met and the waiter has left the lane. */
  abstract flush(): void;
  /** Called when the lane ends the wait; the waiter has already left it. */
  abstract refuse(error: Error): void;
  /** Fault injection: leaves the lane but seems to keep waiting; returns false for waits with a timeout, which are not stalled. */
  stall(): boolean {
    return false;
  }
}

/** Waiters in order of joining; joining and leaving take constant time. */
export class WaiterList {
  first: Waiter | undefined = undefined;
  last: Waiter | undefined = undefined;

  join(waiter: Waiter): void {
    waiter.list = this;
    waiter.previous = this.last;
    if (this.last === undefined) this.first = waiter;
    else this.last.next = waiter;
    this.last = waiter;
  }

  leave(waiter: Waiter): void {
    if (waiter.list !== this) return;
    if (waiter.previous === undefined) this.first = waiter.next;
    else waiter.previous.next = waiter.next;
    if (waiter.next === undefined) this.last = waiter.previous;
    else waiter.next.previous = waiter.previous;
    waiter.list = undefined;
    waiter.next = undefined;
    waiter.previous = undefined;
  }

  /** Stalls all waiters that can be stalled; returns their number. */
  stallAll(): number {
    const waiters: Waiter[] = [];
    for (let waiter = this.first; waiter !== undefined; waiter = waiter.next) waiters.push(waiter);
    return waiters.filter((waiter) => waiter.stall()).length;
  }

  /** Removes all waiters and rejects each with `error`. */
  refuseAll(error: Error): void {
    for (let waiter = this.first; waiter !== undefined; waiter = this.first) {
      this.leave(waiter);
      waiter.refuse(error);
    }
  }
}
