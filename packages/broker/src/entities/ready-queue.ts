import type { StoredMessage } from "../messages/stored-message.js";
import { OrderedQueue } from "./ordered-queue.js";
import { arrivalOf } from "./sequence-number.js";

/** Sweeping starts with so many messages that have left, and only when they are the greater part. */
const SWEEP_MINIMUM = 32;

/**
 * The messages that may be delivered next, oldest first. New ones join at the end; one that comes back (abandoned, lock
 * expired) takes its old place again. A message that leaves its store while it waits here is skipped and swept later.
 */
export class ReadyQueue {
  readonly #queue = new OrderedQueue<StoredMessage>(arrivalOf);
  /** Messages in the queue that have left their store. */
  #stale = 0;

  /** How many messages can be taken. */
  get size(): number {
    return this.#queue.size - this.#stale;
  }

  /** Adds a message at its place. */
  add(message: StoredMessage): void {
    this.#queue.push(message);
  }

  /** The oldest message, which stays. */
  peek(): StoredMessage | undefined {
    let message = this.#queue.peek();
    while (message?.state === "gone") {
      this.#queue.shift();
      this.#stale--;
      message = this.#queue.peek();
    }
    return message;
  }

  /** Takes the oldest message out. */
  shift(): StoredMessage | undefined {
    let message = this.#queue.shift();
    while (message?.state === "gone") {
      this.#stale--;
      message = this.#queue.shift();
    }
    return message;
  }

  /** Tells that a message in here has left its store, or is about to. */
  forget(): void {
    this.#stale++;
    if (this.#stale > SWEEP_MINIMUM && this.#stale > this.#queue.size / 2) this.#sweep();
  }

  #sweep(): void {
    const before = this.#queue.size;
    this.#queue.retain((message) => message.state !== "gone");
    this.#stale -= before - this.#queue.size;
  }
}
