import type { StoredMessage } from "../messages/stored-message.js";
import { MinHeap } from "./min-heap.js";
import { arrivalOf } from "./sequence-number.js";

/**
 * The messages that may be delivered next, oldest first. New ones join at the end; one that comes back (abandoned, lock
 * expired) takes its old place again. A message that leaves its store while it waits here is skipped and swept later.
 */
export class ReadyQueue {
  #ring: (StoredMessage | undefined)[] = [];
  #head = 0;
  #length = 0;
  /** Those that came back or arrived out of order. */
  readonly #returned = new MinHeap<StoredMessage>(arrivalOf);
  #lastArrival = -1;
  #stale = 0;

  /** How many messages can be taken. */
  get size(): number {
    return this.#length + this.#returned.size - this.#stale;
  }

  /** Adds a message at its place. */
  add(message: StoredMessage): void {
    const arrival = arrivalOf(message);
    if (arrival > this.#lastArrival) {
      this.#lastArrival = arrival;
      this.#append(message);
    } else {
      this.#returned.push(message);
    }
  }

  /** The oldest message, which stays. */
  peek(): StoredMessage | undefined {
    const fresh = this.#firstFresh();
    const returned = this.#firstReturned();
    if (fresh === undefined || returned === undefined) return fresh ?? returned;
    return arrivalOf(returned) < arrivalOf(fresh) ? returned : fresh;
  }

  /** Takes the oldest message out. */
  shift(): StoredMessage | undefined {
    const message = this.peek();
    if (message === undefined) return undefined;
    if (this.#returned.peek() === message) this.#returned.pop();
    else this.#dropHead();
    return message;
  }

  /** Tells that a message in here has left its store. */
  forget(): void {
    this.#stale++;
    if (this.#stale > 32 && this.#stale > (this.#length + this.#returned.size) / 2) this.#sweep();
  }

  #append(message: StoredMessage): void {
    if (this.#length === this.#ring.length) this.#grow();
    this.#ring[(this.#head + this.#length) & (this.#ring.length - 1)] = message;
    this.#length++;
  }

  #grow(): void {
    const { length } = this.#ring;
    const next: (StoredMessage | undefined)[] = new Array(length === 0 ? 4 : length * 2).fill(undefined);
    for (let i = 0; i < this.#length; i++) next[i] = this.#ring[(this.#head + i) & (length - 1)];
    this.#ring = next;
    this.#head = 0;
  }

  #dropHead(): void {
    this.#ring[this.#head] = undefined;
    this.#head = (this.#head + 1) & (this.#ring.length - 1);
    this.#length--;
    if (this.#length === 0 && this.#ring.length > 1024) this.#ring = [];
  }

  #firstFresh(): StoredMessage | undefined {
    while (this.#length > 0) {
      const message = this.#ring[this.#head]!;
      if (message.state !== "gone") return message;
      this.#dropHead();
      this.#stale--;
    }
    return undefined;
  }

  #firstReturned(): StoredMessage | undefined {
    let message = this.#returned.peek();
    while (message?.state === "gone") {
      this.#returned.pop();
      this.#stale--;
      message = this.#returned.peek();
    }
    return message;
  }

  #sweep(): void {
    const live: StoredMessage[] = [];
    for (let i = 0; i < this.#length; i++) {
      const message = this.#ring[(this.#head + i) & (this.#ring.length - 1)]!;
      if (message.state !== "gone") live.push(message);
    }
    this.#ring = [];
    this.#head = 0;
    this.#length = 0;
    for (const message of live) this.#append(message);
    this.#returned.retain((message) => message.state !== "gone");
    this.#stale = 0;
  }
}
