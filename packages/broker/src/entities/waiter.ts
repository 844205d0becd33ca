import type { ReceivedMessage } from "../messages/received-message.js";

/** How a message is handed out: locked until it is settled, or removed at once. */
export type ReceiveMode = "peekLock" | "receiveAndDelete";

/** Somebody who waits in a lane for `demand` more messages. Lanes serve their waiters strictly in the order of joining. */
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

  /** Takes one message; `demand` is already lowered. */
  abstract take(message: ReceivedMessage): void;
  /** Called after `take` once no more messages follow at present, or `demand` is met and the waiter has left the lane. */
  abstract flush(): void;
  /** Called when the lane ends under the waiter, which has left it. */
  abstract refuse(error: Error): void;
  /** Leaves the lane for good while it seems to wait, for faults; false where that does not concern it, as calls that wait for a time. */
  stall(): boolean {
    return false;
  }
}

/** Waiters in order of joining; joining and leaving take the same time however many wait. */
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

  /** Lets all go without that it concerns; returns how many. */
  stallAll(): number {
    const waiters: Waiter[] = [];
    for (let waiter = this.first; waiter !== undefined; waiter = waiter.next) waiters.push(waiter);
    return waiters.filter((waiter) => waiter.stall()).length;
  }

  /** Removes all waiters and tells each why. */
  refuseAll(error: Error): void {
    for (let waiter = this.first; waiter !== undefined; waiter = this.first) {
      this.leave(waiter);
      waiter.refuse(error);
    }
  }
}
