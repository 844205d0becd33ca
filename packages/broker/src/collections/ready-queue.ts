import { MinHeap } from "./min-heap.js";

/** A message that can wait in a queue of ready ones. */
export interface Ready<Message> {
  /** Its position in the delivery order. */
  readonly arrival: number;
  /** `gone` after it has left its store. */
  readonly state: string;
  /** The next message in its queue; changed by the queue only. */
  nextReady: Message | undefined;
}

/** Stale messages are swept out when there are at least this many, and more than of the others. */
const sweepMinimum = 32;

/**
 * Messages ready for delivery, oldest first. Nearly all are added at an end of a linked list: new ones at the tail, returned ones
 * (abandoned, lock expired) at the head. Only those whose old position is in between use a heap. A message that leaves its store while it
 * waits here is skipped and swept out later.
 */
export class ReadyQueue<Message extends Ready<Message>> {
  #first: Message | undefined = undefined;
  #last: Message | undefined = undefined;
  #between: MinHeap<Message> | undefined = undefined;
  #length = 0;
  /** Messages in this queue that have left their store. */
  #stale = 0;

  /** How many messages can be delivered. */
  get size(): number {
    return this.#length - this.#stale;
  }

  /** Adds a message at its position. */
  add(message: Message): void {
    this.#length++;
    const first = this.#first;
    const last = this.#last;
    if (first === undefined || last === undefined) {
      this.#first = message;
      this.#last = message;
    } else if (last.arrival < message.arrival) {
      last.nextReady = message;
      this.#last = message;
    } else if (message.arrival < first.arrival) {
      message.nextReady = first;
      this.#first = message;
    } else {
      this.#between ??= new MinHeap(({ arrival }) => arrival);
      this.#between.push(message);
    }
  }

  /** The oldest message, without removing it. */
  peek(): Message | undefined {
    let message = this.#peek();
    while (message?.state === "gone") {
      this.#remove(message);
      this.#stale--;
      message = this.#peek();
    }
    return message;
  }

  /** Removes the oldest message. */
  shift(): Message | undefined {
    const message = this.peek();
    if (message !== undefined) this.#remove(message);
    return message;
  }

  /** All deliverable messages, in no particular order. The queue must not change meanwhile. */
  *ready(): Generator<Message, void, undefined> {
    for (let message = this.#first; message !== undefined; message = message.nextReady)
      if (message.state !== "gone") yield message;
    if (this.#between === undefined) return;
    for (const message of this.#between) if (message.state !== "gone") yield message;
  }

  /** Counts a message in this queue that has left its store, or is about to. */
  forget(): void {
    this.#stale++;
    if (this.#stale > sweepMinimum && this.#stale > this.#length / 2) this.#sweep();
  }

  #peek(): Message | undefined {
    const first = this.#first;
    const between = this.#between?.peek();
    if (between === undefined) return first;
    return first === undefined || between.arrival < first.arrival ? between : first;
  }

  #remove(message: Message): void {
    this.#length--;
    if (message === this.#first) {
      this.#first = message.nextReady;
      message.nextReady = undefined;
      if (this.#first === undefined) this.#last = undefined;
    } else {
      this.#between?.pop();
      if (this.#between?.size === 0) this.#between = undefined;
    }
  }

  #sweep(): void {
    const before = this.#length;
    let last: Message | undefined;
    let message = this.#first;
    this.#first = undefined;
    this.#length = 0;
    while (message !== undefined) {
      const next: Message | undefined = message.nextReady;
      message.nextReady = undefined;
      if (message.state !== "gone") {
        if (last === undefined) this.#first = message;
        else last.nextReady = message;
        last = message;
        this.#length++;
      }
      message = next;
    }
    this.#last = last;
    this.#between?.retain((one) => one.state !== "gone");
    this.#length += this.#between?.size ?? 0;
    this.#stale -= before - this.#length;
  }
}
