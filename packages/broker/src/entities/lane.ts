import type { ReadyQueue } from "../collections/ready-queue.js";
import type { StoredMessage } from "../messages/stored-message.js";
import { WaiterList } from "./waiter.js";

/** A condition under which no messages are delivered. */
export interface Gate {
  readonly isShut: boolean;
}

/** Matches ready messages with waiting receivers: one per store, and one per locked session. */
export class Lane {
  readonly ready: ReadyQueue<StoredMessage>;
  readonly waiters = new WaiterList();
  /** Open consumers, with or without credit. */
  consumers = 0;
  /** Set while messages are delivered, so that calls a receiver makes meanwhile do not deliver recursively. */
  isDispatching = false;
  readonly #gate: Gate | undefined;

  /** No messages are delivered while `gate` is shut. */
  constructor(ready: ReadyQueue<StoredMessage>, gate?: Gate) {
    this.ready = ready;
    this.#gate = gate;
  }

  /** Whether delivery is currently suspended. */
  get isShut(): boolean {
    return this.#gate?.isShut === true;
  }
}
