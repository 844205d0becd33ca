import { MinHeap } from "./min-heap.js";
import { Page } from "./page.js";

/** A message that can wait in a queue of ready ones. */
export interface Ready<Message> {
  /** Its position in the delivery order. */
  readonly arrival: number;
  /** `gone` after it has left its store. */
  readonly state: string;
  /** What follows it in its queue; changed by the queue only. */
  nextReady: Message | Page<Message> | undefined;
}

/** Stale messages are swept out when there are at least this many, and more than of the others. */
const sweepMinimum = 32;

/**
 * Messages ready for delivery, oldest first. Nearly all are added at an end of a linked list: new ones at the tail, returned ones
 * (abandoned, lock expired) at the head. Only those whose old position is in between use a heap. A message that leaves its store while it
 * waits here is skipped and swept out later. A page stands in the list for its messages until it comes to the head.
 */
export class ReadyQueue<Message extends Ready<Message>> {
  #first: Message | Page<Message> | undefined = undefined;
  #last: Message | Page<Message> | undefined = undefined;
  #between: MinHeap<Message> | undefined = undefined;
  #length = 0;
  /** Messages in this queue that have left their store. */
  #stale = 0;

  /** Its last message or page, apart from messages that returned to a place in between. */
  get last(): Message | Page<Message> | undefined {
    return this.#last;
  }

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
    } else if ((last instanceof Page ? last.last : last.arrival) < message.arrival) {
      last.nextReady = message;
      this.#last = message;
    } else if (message.arrival < firstArrival(first)) {
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

  /**
   * Puts a page in the place of its messages. Returns `false`, and changes nothing, unless these are exactly what follows `before` to the end.
   */
  replaceEnd(before: Message | Page<Message>, messages: readonly Message[], page: Page<Message>): boolean {
    let node = before.nextReady;
    for (const message of messages) {
      if (node !== message) return false;
      node = message.nextReady;
    }
    if (node !== undefined) return false;
    for (const message of messages) message.nextReady = undefined;
    before.nextReady = page;
    this.#last = page;
    return true;
  }

  /** All deliverable messages, in no particular order. The queue must not change meanwhile. */
  *ready(): Generator<Message, void, undefined> {
    for (let node = this.#first; node !== undefined; node = node.nextReady) {
      if (node instanceof Page) yield* node.open().filter(({ state }) => state !== "gone");
      else if (node.state !== "gone") yield node;
    }
    if (this.#between === undefined) return;
    for (const message of this.#between) if (message.state !== "gone") yield message;
  }

  /** Counts a message in this queue that has left its store, or is about to. */
  forget(): void {
    this.#stale++;
    if (this.#stale > sweepMinimum && this.#stale > this.#length / 2) this.#sweep();
  }

  #peek(): Message | undefined {
    const between = this.#between?.peek();
    for (;;) {
      const first = this.#first;
      if (between !== undefined && (first === undefined || between.arrival < firstArrival(first)))
        return between;
      if (!(first instanceof Page)) return first;
      this.#openFirst(first);
    }
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

  /** Puts the messages of the page at the head in its place. */
  #openFirst(page: Page<Message>): void {
    const rest = page.nextReady;
    const end = this.#last;
    this.#first = undefined;
    this.#last = undefined;
    page.nextReady = undefined;
    for (const message of page.take()) this.#append(message);
    if (rest === undefined) return;
    this.#append(rest);
    this.#last = end;
  }

  #append(node: Message | Page<Message>): void {
    if (this.#last === undefined) this.#first = node;
    else this.#last.nextReady = node;
    this.#last = node;
  }

  #sweep(): void {
    const before = this.#length;
    let node = this.#first;
    this.#first = undefined;
    this.#last = undefined;
    this.#length = 0;
    while (node !== undefined) {
      const next: Message | Page<Message> | undefined = node.nextReady;
      node.nextReady = undefined;
      if (node instanceof Page && !node.isOpen) {
        this.#append(node);
        this.#length += node.count;
      } else {
        for (const message of node instanceof Page ? node.take() : [node]) {
          if (message.state === "gone") continue;
          this.#append(message);
          this.#length++;
        }
      }
      node = next;
    }
    this.#between?.retain((one) => one.state !== "gone");
    this.#length += this.#between?.size ?? 0;
    this.#stale -= before - this.#length;
  }
}

function firstArrival<Message extends Ready<Message>>(node: Message | Page<Message>): number {
  return node instanceof Page ? node.first : node.arrival;
}
